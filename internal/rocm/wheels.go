package rocm

import "sync"

// DeviceWheel says that AMD builds Python wheels with code for one GPU.
type DeviceWheel struct {
	Gfx      string
	Products string
	Index    string // the address for pip
	Provenance
}

// wheelFile is the embedded table.
type wheelFile struct {
	Index  string
	Wheels []DeviceWheel
}

var knownWheels = sync.OnceValue(func() []DeviceWheel {
	file := load[wheelFile]("wheels")
	wheels := file.Wheels
	for i := range wheels {
		wheels[i].Index = file.Index
	}
	return wheels
})

// DeviceWheels finds the wheels for a GPU: pip install "torch[device-GFX]" from their index.
func DeviceWheels(gfx string) (DeviceWheel, bool) {
	return find(knownWheels(), func(w DeviceWheel) bool { return w.Gfx == gfx })
}
