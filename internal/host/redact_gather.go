package host

import (
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// gather learns from all records whose names are in them, and numbers them in
// an order that depends on nothing but the machine.
func gather(raw *Snapshot) *aliases {
	a := newAliases(raw.system)
	list := sorted(raw.records)
	// The file comes before single look-ups, so that people are numbered in
	// its order.
	a.learnAccounts(raw.records[heading(verbFile, "/etc/passwd")].body)
	for _, r := range list {
		if r.verb == verbAsk && isTable(r.args, "passwd") {
			a.learnAccounts(r.body)
		}
	}
	a.learnVariables(raw.env)
	for _, r := range list {
		a.learnRecord(r)
	}
	for _, name := range slices.Sorted(maps.Keys(raw.env.vars)) {
		a.learnHomes(raw.env.vars[name].value)
	}
	return a
}

func (a *aliases) learnVariables(env environment) {
	for _, name := range slices.Sorted(maps.Keys(env.vars)) {
		value := env.vars[name].value
		switch upper := strings.ToUpper(name); {
		case value == "":
		case isUserVariable(upper) && a.isPerson(value):
			a.person(value)
		case isHostVariable(upper):
			a.hostField(value)
		}
	}
}

// isPerson says whether a login name is a person's, as far as is known.
func (a *aliases) isPerson(name string) bool {
	if _, ok := a.people[name]; ok {
		return true
	}
	return name != "root" && !a.services[name]
}

func (a *aliases) learnRecord(r record) {
	for _, arg := range r.args {
		a.learnHomes(arg)
	}
	switch r.verb {
	case verbFile:
		a.learnFile(r.args[0], r.body)
	case verbAsk:
		if isTable(r.args, "group") {
			a.learnMembers(r.body)
		}
	case verbDir:
		a.learnListing(r.args[0], r.body)
	case verbLink, verbLog:
		a.learnHomes(string(r.body))
	}
}

// learnListing finds people whose home directories were only listed.
func (a *aliases) learnListing(dir string, body []byte) {
	if !mentionsHome(dir) {
		return
	}
	// A listing that does not parse is dropped when it is redacted.
	entries, _ := parseEntries(body)
	for _, e := range entries {
		a.learnHomes(dir + "/" + e.Name)
	}
}

func (a *aliases) learnFile(p string, body []byte) {
	switch {
	case p == "/etc/group":
		a.learnMembers(body)
	case isHostNameFile(p):
		if name := strings.TrimSpace(string(body)); name != "" {
			a.hostField(name)
		}
	case p == "/etc/hosts":
		a.learnHosts(body)
	case path.Base(p) == "mountinfo":
		a.learnServers(body)
	case strings.HasPrefix(p, "/sys/"):
		a.sysfs(p, body)
	}
	if !strings.HasPrefix(p, "/sys/") {
		a.learnHomes(string(body))
	}
}

// learnHomes remembers the owners of the home directories in a text.
func (a *aliases) learnHomes(s string) {
	pattern := homePath
	if a.windows {
		pattern = profilePath
	}
	for line := range strings.Lines(s) {
		if !a.windows && !mentionsHome(line) {
			continue
		}
		for _, m := range pattern().FindAllStringSubmatch(line, -1) {
			if name := strings.TrimSpace(m[1]); name != "" && isHome(name) {
				a.person(name)
			}
		}
	}
}

func isNobodysHost(name string) bool {
	switch name {
	case "localhost", "localhost.localdomain", "(none)", "localhost4", "localhost6", "broadcasthost":
		return true
	}
	return strings.HasPrefix(name, "ip6-") || strings.HasPrefix(name, "localhost")
}

// learnHosts reads the names in /etc/hosts.
func (a *aliases) learnHosts(body []byte) {
	for line := range strings.Lines(string(body)) {
		line, _, _ = strings.Cut(line, "#")
		fields := strings.Fields(line)
		for i, name := range fields {
			if i > 0 {
				a.hostField(name)
			}
		}
	}
}

// learnServers reads the names of file servers in a mountinfo: "nas:/export"
// and "//nas/share" behind the dash.
func (a *aliases) learnServers(body []byte) {
	for line := range strings.Lines(string(body)) {
		_, tail, _ := strings.Cut(line, " - ")
		fields := strings.Fields(tail)
		if len(fields) < 2 {
			continue
		}
		source := fields[1]
		if server, _, ok := strings.Cut(source, ":/"); ok && !strings.Contains(server, "/") {
			a.learnServer(server)
		}
		if share, ok := strings.CutPrefix(source, "//"); ok {
			server, _, _ := strings.Cut(share, "/")
			a.learnServer(server)
		}
	}
}

func (a *aliases) learnServer(name string) {
	if name != "" && !strings.ContainsFunc(name, isSeparatorRune) {
		a.hostField(name)
	}
}

// isNodeProperties finds the properties of a node in the topology of KFD.
func isNodeProperties(p string) bool {
	return path.Base(p) == "properties" && strings.Contains(p, "/kfd/")
}

// nodeProperties replaces the ids in the properties of a KFD node: "unique_id
// 1234", in decimal.
func (a *aliases) nodeProperties(body []byte) []byte {
	var b strings.Builder
	for line := range strings.Lines(string(body)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if name == "unique_id" || name == "hive_id" {
			line = strings.Replace(line, " "+value, " "+a.decimalID(strings.TrimSpace(value)), 1)
		}
		b.WriteString(line)
	}
	return []byte(b.String())
}

func (a *aliases) decimalID(text string) string {
	value, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return "0"
	}
	return strconv.FormatUint(a.id(value), 10)
}

// sysfs replaces the contents of the attributes that identify a device. All
// others stay as they are.
func (a *aliases) sysfs(p string, body []byte) []byte {
	if isNodeProperties(p) {
		return a.nodeProperties(body)
	}
	switch path.Base(p) {
	case "unique_id", "serial_number", "xgmi_device_id":
		return a.wholeValue(body, a.hexID)
	case "xgmi_hive_id":
		return a.wholeValue(body, a.decimalID)
	case "serial", "product_serial", "board_serial", "chassis_serial", "wwid", "nguid", "eui":
		return a.wholeValue(body, a.serial)
	case "uuid", "product_uuid", "address":
		return []byte(a.marks(string(body)))
	}
	return body
}

// hexID replaces a number in hex, with or without 0x; what is no number is a
// serial number.
func (a *aliases) hexID(text string) string {
	digits := strings.TrimPrefix(text, "0x")
	value, err := strconv.ParseUint(digits, 16, 64)
	if err != nil {
		return a.serial(text)
	}
	alias := strconv.FormatUint(a.id(value), 16)
	zeros := strings.Repeat("0", max(0, len(digits)-len(alias)))
	return text[:len(text)-len(digits)] + zeros + alias
}

func (a *aliases) serial(text string) string {
	if strings.Trim(text, "0") == "" {
		return text
	}
	return "serial" + strconv.Itoa(a.number("serial", text))
}
