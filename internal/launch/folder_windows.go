package launch

import "io/fs"

// ownedBy is not known: folders of a user lie below the profile there.
func ownedBy(fs.FileInfo) (owner, bool) { return ours, false }
