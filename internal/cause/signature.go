package cause

// A Signature is a form of line that speaks for a cause, or against it. A signature without a cause is a sign: it says
// something about the surroundings, or is there to be referred to.
type Signature struct {
	Name     string   `yaml:"name"`
	Cause    string   `yaml:"-"`
	Text     []string `yaml:"text"`     // any of these, word for word
	Match    []string `yaml:"match"`    // any of these, as RE2 writes them
	Like     string   `yaml:"like"`     // matches where the signature of this name does
	Strength Strength `yaml:"strength"` // what it is worth
	When     When     `yaml:"when"`     // counts only then
	Says     string   `yaml:"says"`     // what the line means, with {captured} values
	Layer    Layer    `yaml:"layer"`    // of the software that prints it
	Tells    []string `yaml:"tells"`    // of the surroundings: "platform=wsl", "gpu", "maker=amd", "maker=other" (of the GPU), "env"; "failure" where something failed
	Source   []string `yaml:"source"`   // where the form of the line is known from
	Examples []string `yaml:"examples"` // lines written for it
	Anchors  []string `yaml:"-"`        // any of these stands in every line that matches
}

// Strength is what a signature is worth.
type Strength string

// The strengths.
const (
	Decisive   Strength = "decisive"   // the line names the cause
	Strong     Strength = "strong"     // it is nearly always this
	Supportive Strength = "supportive" // it is often this
	Weak       Strength = "weak"       // it may be this, among others
	Against    Strength = "against"    // it speaks for something else
	Excluding  Strength = "excluding"  // it cannot be this
	Sign       Strength = "sign"       // it says nothing by itself
)

// Layer is a layer of the software whose words a line holds.
type Layer string

// The layers, the lowest first.
const (
	LayerKernel Layer = "kernel"
	LayerLoader Layer = "loader"
	LayerHIP    Layer = "hip"
	LayerBuild  Layer = "build"
	LayerEngine Layer = "engine" // of containers
	LayerPython Layer = "python"
	LayerApp    Layer = "app"
)

// Platform is the kind of machine on which a log was written.
type Platform string

// The platforms. A container, a cluster's pod and WSL are Linux, too.
const (
	PlatformLinux      Platform = "linux"
	PlatformWindows    Platform = "windows"
	PlatformWSL        Platform = "wsl"
	PlatformContainer  Platform = "container"
	PlatformKubernetes Platform = "kubernetes"
)

// When says in which surroundings a signature counts. Every field that is set must hold.
type When struct {
	GPU      []string   `yaml:"gpu"`      // patterns of the GPU that the user named or the log shows: gfx115?
	Env      []string   `yaml:"env"`      // variables, set to anything (NAME) or to a value (NAME=1)
	Override []string   `yaml:"override"` // what HSA_OVERRIDE_GFX_VERSION does to the GPU: cross-family, same-family, risky, unsupported, pointless, unknown, invalid, none
	Arch     []string   `yaml:"arch"`     // what the captured gfx is: integrated, other, same
	Platform []Platform `yaml:"platform"`
	With     []string   `yaml:"with"`    // signatures, one of which must match somewhere in the log
	Without  []string   `yaml:"without"` // signatures none of which may
}
