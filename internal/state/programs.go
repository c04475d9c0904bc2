package state

// Programs are the folders in which commands are looked for.
var Programs = []string{"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"}
