package machine

// A CodeLibrary is an installed library of ROCm that holds GPU code in itself.
type CodeLibrary struct {
	Library string `json:"library"` // "rocBLAS"
	Path    string `json:"path"`
	Owner   string `json:"owner"` // path of the installation it belongs to
	// Code is what its bytes hold.
	Code Fact[PythonCode] `json:"code"`
}
