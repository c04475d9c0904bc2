package host

import (
	"fmt"

	"golang.org/x/sys/unix"
)

func (l live) Statfs(path string) (FileSystem, error) {
	return onPath(l, opStatfs, path, func() (FileSystem, error) {
		var st unix.Statfs_t
		_, err := retried(func() (int, error) { return 0, unix.Statfs(path, &st) })
		if err != nil {
			return FileSystem{}, err
		}
		// The widths of these fields differ from machine to machine.
		block := int64(st.Frsize) //nolint:unconvert // 32 bits wide on some machines
		if block == 0 {
			block = int64(st.Bsize) //nolint:unconvert // 32 bits wide on some machines
		}
		return FileSystem{
			Type:     fileSystemName(uint32(st.Type)),     //nolint:gosec // magic numbers have 32 bits
			ReadOnly: int64(st.Flags)&unix.ST_RDONLY != 0, //nolint:unconvert // as above
			Free:     int64(st.Bavail) * block,            //nolint:gosec // no disk has 8 EiB
			Size:     int64(st.Blocks) * block,            //nolint:gosec // as above
		}, nil
	})
}

// Magic numbers that golang.org/x/sys/unix does not have, from the projects'
// own headers.
const (
	lustreMagic = 0x0BD00BD0
	zfsMagic    = 0x2FC12FC1
	gpfsMagic   = 0x47504653
	beegfsMagic = 0x19830326
	exfatMagic  = 0x2011BAB0
	ntfs3Magic  = 0x7366746E
	bcacheMagic = 0xCA451A4E
)

// fileSystemName names the file systems on which something about GPUs depends
// (no locks, no ownership, read-only by nature) and the common ones. ext2, ext3
// and ext4 share one number.
func fileSystemName(magic uint32) string {
	switch magic {
	case unix.EXT4_SUPER_MAGIC:
		return "ext"
	case unix.XFS_SUPER_MAGIC:
		return "xfs"
	case unix.BTRFS_SUPER_MAGIC:
		return "btrfs"
	case unix.F2FS_SUPER_MAGIC:
		return "f2fs"
	case bcacheMagic:
		return "bcachefs"
	case zfsMagic:
		return "zfs"
	case unix.MSDOS_SUPER_MAGIC:
		return "vfat"
	case exfatMagic:
		return "exfat"
	case ntfs3Magic:
		return "ntfs3"
	case unix.SQUASHFS_MAGIC:
		return "squashfs"
	case unix.EROFS_SUPER_MAGIC_V1:
		return "erofs"
	case unix.ISOFS_SUPER_MAGIC:
		return "iso9660"
	}
	return unusualFileSystemName(magic)
}

// unusualFileSystemName names those that are on no disk of this machine.
func unusualFileSystemName(magic uint32) string {
	switch magic {
	case unix.TMPFS_MAGIC:
		return "tmpfs"
	case unix.RAMFS_MAGIC:
		return "ramfs"
	case unix.OVERLAYFS_SUPER_MAGIC:
		return "overlayfs"
	case unix.NFS_SUPER_MAGIC:
		return "nfs"
	case unix.CIFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC:
		return "cifs"
	case unix.V9FS_MAGIC:
		return "9p"
	case unix.AFS_SUPER_MAGIC:
		return "afs"
	case unix.FUSE_SUPER_MAGIC:
		return "fuse"
	case unix.CEPH_SUPER_MAGIC:
		return "ceph"
	case lustreMagic:
		return "lustre"
	case gpfsMagic:
		return "gpfs"
	case beegfsMagic:
		return "beegfs"
	case unix.PROC_SUPER_MAGIC:
		return "proc"
	case unix.SYSFS_MAGIC:
		return "sysfs"
	case unix.CGROUP_SUPER_MAGIC, unix.CGROUP2_SUPER_MAGIC:
		return "cgroup"
	case unix.DEVPTS_SUPER_MAGIC:
		return "devpts"
	}
	return fmt.Sprintf("%#x", magic)
}
