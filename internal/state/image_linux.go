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

// isInode reports whether two images of one run show the same file or folder.
func (i Image) isInode(other Image) bool {
	return !i.Absent && !other.Absent && i.Device == other.Device && i.Inode == other.Inode
}

// isNoted reports whether this is the file or folder that the journal noted, maybe
// before a start of the machine: btrfs, ZFS, overlays and network file systems give
// their devices a new number each time. Then a file has to be of the same size and
// time besides.
func (i Image) isNoted(noted Image) bool {
	if i.Absent || noted.Absent || i.Inode != noted.Inode || i.Folder != noted.Folder {
		return false
	}
	return i.Device == noted.Device || i.Folder || i.Size == noted.Size && i.Change == noted.Change
}

// unchanged reports whether a file is what the journal noted, or still absent.
func (i Image) unchanged(noted Image) bool {
	return i.Absent && noted.Absent || i.isNoted(noted) && i.Size == noted.Size && i.Change == noted.Change && i.Sum == noted.Sum
}

// taken reports an image of a file that there was, and not of one to be made.
func (i Image) taken() bool { return i.Inode != 0 }

// sameRights reports whether two images may be used by the same people.
func (i Image) sameRights(other Image) bool {
	return i.Mode == other.Mode && i.UID == other.UID && i.GID == other.GID && maps.EqualFunc(i.Xattrs, other.Xattrs, bytes.Equal)
}

// sameContent reports whether two images hold the same, whichever file it is in.
func (i Image) sameContent(other Image) bool {
	return i.Absent == other.Absent && i.Folder == other.Folder && i.Sum == other.Sum
}
