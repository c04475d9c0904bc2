package probe

import (
	"bytes"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/rocsmith/rocsmith/internal/host"
)

// An activity is what a child and the processes that it started have used so
// far.
type activity struct {
	known   bool
	cpu     time.Duration // of the whole process group
	faults  int64         // pages touched for the first time
	helpers time.Duration // the part of cpu that is not the child's own
	helper  string        // the name of one of them
	cache   int64         // bytes in the caches of compiled kernels
	wants   bool          // a thread runs, or would if a processor were free
}

// jiffy is the unit of times in /proc/PID/stat: USER_HZ is 100 on every
// architecture that ROCm runs on (proc_pid_stat(5)).
const jiffy = 10 * time.Millisecond

// watch reads what the process group of a child has used.
func watch(r host.Reader, group int, caches []string) activity {
	entries, err := r.ReadDir("/proc")
	if err != nil {
		return activity{}
	}
	var a activity
	for _, e := range entries {
		if e.Name == "" || e.Name[0] < '0' || e.Name[0] > '9' {
			continue
		}
		data, err := r.ReadFile("/proc/" + e.Name + "/stat")
		if err != nil {
			continue // it ended meanwhile
		}
		if s, ok := parseStat(data); ok && s.group == group {
			a.add(s, s.pid == group)
			a.wants = a.wants || runnable(r, "/proc/"+e.Name+"/task")
		}
	}
	for _, dir := range caches {
		a.cache += sizeBelow(r, dir, deepest)
	}
	return a
}

// runnable reports a thread that is not waiting for anything but a processor. On a
// machine with too much to do a process may get none for a while, and is not idle.
func runnable(r host.Reader, dir string) bool {
	threads, err := r.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, t := range threads[:min(len(threads), mostFiles)] {
		data, err := r.ReadFile(dir + "/" + t.Name + "/stat")
		if s, ok := parseStat(data); err == nil && ok && s.state == "R" {
			return true
		}
	}
	return false
}

func (a *activity) add(s stat, leader bool) {
	a.known = true
	a.cpu += s.own + s.reaped
	a.faults += s.faults
	a.helpers += s.reaped
	if !leader {
		a.helpers += s.own
		a.helper = s.name
	}
}

// A stat is what /proc/PID/stat says of one process.
type stat struct {
	pid, group  int
	name        string
	state       string        // R runs, S sleeps, D waits for a device
	own, reaped time.Duration // processor time: its own, and of its ended children
	faults      int64
}

// parseStat reads /proc/PID/stat. The name stands in brackets and may itself
// hold brackets and blanks.
func parseStat(data []byte) (stat, bool) {
	open, end := bytes.IndexByte(data, '('), bytes.LastIndexByte(data, ')')
	if open < 0 || end < open {
		return stat{}, false
	}
	// After the name: state, ppid, pgrp, session, tty, tpgid, flags, minflt,
	// cminflt, majflt, cmajflt, utime, stime, cutime, cstime.
	const group, minflt, majflt, utime, cstime = 2, 7, 9, 11, 14
	fields := strings.Fields(string(data[end+1:]))
	if len(fields) <= cstime {
		return stat{}, false
	}
	numbers := make([]int64, cstime+1)
	for i := range numbers {
		if i == 0 {
			continue // the state is a letter
		}
		n, err := strconv.ParseInt(fields[i], 10, 64)
		if err != nil {
			return stat{}, false
		}
		numbers[i] = n
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data[:open])))
	if err != nil {
		return stat{}, false
	}
	return stat{
		pid: pid, group: int(numbers[group]), name: string(data[open+1 : end]), state: fields[0],
		own: ticks(numbers[utime] + numbers[utime+1]), reaped: ticks(numbers[utime+2] + numbers[cstime]),
		faults: numbers[minflt] + numbers[majflt],
	}, true
}

// ticks is a time that cannot be negative or overflow, whatever the file says.
func ticks(n int64) time.Duration {
	const most = int64(1<<62) / int64(jiffy)
	return time.Duration(min(max(n, 0), most)) * jiffy
}

// deepest and mostFiles bound the look into a cache: MIOpen keeps a folder for
// each version, and few files in it.
const (
	deepest   = 3
	mostFiles = 500
)

func sizeBelow(r host.Reader, dir string, depth int) int64 {
	entries, err := r.ReadDir(dir)
	if err != nil {
		return 0
	}
	var size int64
	for _, e := range entries[:min(len(entries), mostFiles)] {
		name := path.Join(dir, e.Name)
		switch {
		case e.Type&fs.ModeDir != 0 && depth > 1:
			size += sizeBelow(r, name, depth-1)
		case e.Type.IsRegular():
			if st, err := r.Lstat(name); err == nil {
				size += st.Size
			}
		}
	}
	return size
}
