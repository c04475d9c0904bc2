package state

import (
	"bytes"
	"maps"
)

// sameFile reports whether two images show one file, unchanged.
func (i Image) sameFile(other Image) bool {
	if i.Absent || other.Absent {
		return i.Absent == other.Absent
	}
	return i.Device == other.Device && i.Inode == other.Inode && i.Folder == other.Folder &&
		(i.Folder || i.Size == other.Size && i.Change == other.Change && i.Sum == other.Sum)
}

// sameRights reports whether two images may be used by the same people.
func (i Image) sameRights(other Image) bool {
	return i.Mode == other.Mode && i.UID == other.UID && i.GID == other.GID && maps.EqualFunc(i.Xattrs, other.Xattrs, bytes.Equal)
}

// sameContent reports whether two images hold the same, whichever file it is in.
func (i Image) sameContent(other Image) bool {
	return i.Absent == other.Absent && i.Folder == other.Folder && i.Sum == other.Sum
}
