package rocm

import "sync"

// DeviceWheel says that AMD builds Python wheels with code for one GPU.
type DeviceWheel struct {
	Gfx        string
	Products   string
	Index      string `yaml:"-"` // the address for pip
	Provenance `yaml:"-"`
}

var knownWheels = sync.OnceValue(func() []DeviceWheel {
	file := load[struct {
		Index   string
		Sources sources
		Wheels  []row[DeviceWheel]
	}]("wheels.yaml")
	wheels := rows(file.Sources, file.Wheels)
	for i := range wheels {
		wheels[i].Index = file.Index
	}
	return wheels
})

// DeviceWheels finds the wheels for a GPU: pip install "torch[device-GFX]" from their index.
func DeviceWheels(gfx string) (DeviceWheel, bool) {
	return find(knownWheels(), func(w DeviceWheel) bool { return w.Gfx == gfx })
}
