package state

// sameFile reports whether two images show one file, unchanged.
func (i Image) sameFile(other Image) bool {
	if i.Absent || other.Absent {
		return i.Absent == other.Absent
	}
	return i.Device == other.Device && i.Inode == other.Inode && i.Folder == other.Folder &&
		(i.Folder || i.Size == other.Size && i.Change == other.Change && i.Sum == other.Sum)
}

// sameContent reports whether two images hold the same, whichever file it is in.
func (i Image) sameContent(other Image) bool {
	return i.Absent == other.Absent && i.Folder == other.Folder && i.Sum == other.Sum
}

// maxFile bounds what a before-image holds. What rocsmith rewrites are text files.
const maxFile = 4 << 20
