# shellcheck shell=bash
# Real SQLite databases that cannot be written, each for another reason: SQLite
# says the same words, doctor tells them apart and leaves the files alone.

needs+=(sqlite3:sqlite3)

prepare_miopen() { :; }

readonly_words='attempt to write a readonly database'

# database FILE UID MODE makes a kernel cache as MIOpen does.
database() {
	sqlite3 "$1" 'PRAGMA journal_mode=WAL;
		CREATE TABLE kern_db(id INTEGER PRIMARY KEY, kernel_name TEXT, kernel_args TEXT, kernel_blob BLOB, kernel_hash TEXT, uncompressed_size INT);
		INSERT INTO kern_db VALUES (1, "conv.o", "-mcpu=gfx1100", randomblob(40000), "0", 0);' >/dev/null
	chown "$2:$2" "$1"
	chmod "$3" "$1"
}

# as_ada COMMAND… runs it as uid 1000 without groups or capabilities.
as_ada() { setpriv --reuid=1000 --regid=1000 --clear-groups --inh-caps=-all -- "$@"; }

# sqlite_says NAME WORDS FILE [STATEMENT…] holds SQLite to its words, as uid 1000.
# Without statements it begins as MIOpen does.
sqlite_says() {
	local start=$EPOCHREALTIME got statements=("${@:4}")
	[[ $# -gt 3 ]] || statements=("PRAGMA journal_mode=WAL; CREATE TABLE probe(x);")
	got=$(as_ada sqlite3 "$3" "${statements[@]}" 2>&1) || true
	# shellcheck disable=SC2154 # set in lib.sh
	: >"$work/err.txt"
	[[ $got == *"$2"* ]] && got=$2
	verify "$1: sqlite3" "$2" "${got//$'\n'/ }" "$start"
}

# contents prints names, owners, modes, sizes and contents below a directory.
contents() {
	(cd "$1" && find . -printf '%p %u %m %s %T@\n' | sort && find . -type f -print0 | sort -z | xargs -0r sha256sum)
}

# judge_cache NAME WANT PATTERN judges the cache as uid 1000, and makes sure
# that nothing below the home and /opt changed or appeared.
judge_cache() {
	local before start
	before=$(contents "$root/home"; contents "$root/opt")
	VARS=HOME=/home/ada judge "$1" "$2" in_root "$root" "$sys" "$dev" 1000 110
	[[ -z $3 ]] || says "$1: why" "$3"
	start=$EPOCHREALTIME
	if [[ $before == "$(contents "$root/home"; contents "$root/opt")" ]]; then
		verify "$1: untouched" same same "$start"
	else
		verify "$1: untouched" same changed "$start"
	fi
}

# fresh_cache empties the cache; SQLite's own test needs it between cases.
fresh_cache() {
	rm -rf --one-file-system "$root/home/ada" "$root/opt"
	mkdir -p "$folder" "$root/opt"
	chown -R 1000:1000 "$root/home/ada"
	chmod 777 "$folder"
}

run_miopen() {
	# shellcheck disable=SC2154 # set in lib.sh
	local sys=$work/miopen/sys dev=$work/miopen/dev root=$work/miopen/root
	local folder=$root/home/ada/.cache/miopen/3.5.1. file
	file=$folder/gfx1100_48.ukdb
	local fails="1 fail miopen/cache-writable miopen-db-readonly"
	plant_sys "$sys" 1:3
	plant_node "$dev/kfd" 1 3 666 110
	plant_node "$dev/dri/renderD128" 1 3 666 110
	small_root "$root"
	chmod 711 "$work" # sqlite3 runs outside of the small root

	fresh_cache
	judge_cache "no database yet" "0 ok" ""
	database "$file" 1000 644
	judge_cache "a database of ours" "0 ok" "can write its kernel cache \(1 database\)"

	fresh_cache
	database "$file" 0 644
	judge_cache "a file of root" "$fails" "gfx1100_48.ukdb: it belongs to root, and you are uid 1000"
	sqlite_says "a file of root" "$readonly_words" "$file"

	fresh_cache
	database "$file" 0 666
	chown 0:0 "$folder"
	chmod 755 "$folder"
	judge_cache "a folder of root" "$fails" "cannot write into the folder of its kernel cache: it belongs to root"
	sqlite_says "a folder of root" "$readonly_words" "$file"

	run_miopen_beside
	run_miopen_below
	run_miopen_begin
	run_miopen_damaged
}

# run_miopen_beside: what lies beside the file, and a shipped file.
run_miopen_beside() {
	fresh_cache
	database "$file" 1000 644
	# Killed while it is open: the log and its index stay behind, as root's.
	# shellcheck disable=SC2016 # the shell that sqlite3 starts expands it
	(sqlite3 "$file" 'INSERT INTO kern_db(kernel_name) VALUES ("x");' '.shell kill -9 $PPID' || true) >/dev/null 2>&1
	chown 0:0 "$file-wal" "$file-shm"
	chmod 644 "$file-wal" "$file-shm"
	judge_cache "a stale log of root" "$fails" "gfx1100_48.ukdb-wal, which belongs to root"
	sqlite_says "a stale log of root" "$readonly_words" "$file"

	fresh_cache
	local shipped=$root/opt/rocm-7.2.0/share/miopen/db
	put "$root/opt/rocm-7.2.0/.info/version" 7.2.0-1
	mkdir -p "$shipped"
	database "$shipped/gfx1100.kdb" 0 644
	judge_cache "shipped in WAL mode" "$fails" "gfx1100.kdb cannot even be read: the database is in WAL mode"
	sqlite_says "shipped in WAL mode" "$readonly_words" "file:$shipped/gfx1100.kdb?mode=ro" "SELECT count(*) FROM kern_db;"
	sqlite3 "$shipped/gfx1100.kdb" 'PRAGMA journal_mode=delete;' >/dev/null
	judge_cache "shipped, after the cure" "0 ok" ""
	sqlite_says "shipped, after the cure" 1 "file:$shipped/gfx1100.kdb?mode=ro" "SELECT count(*) FROM kern_db;"

	# Gone under a live process, which SQLite notices without WAL only: nothing
	# is left to see, and nothing is wrong.
	fresh_cache
	database "$file" 1000 644
	sqlite_says "removed while open" "$readonly_words" "$file" \
		"PRAGMA journal_mode=delete; SELECT 1 FROM kern_db;" ".shell rm '$file'" "INSERT INTO kern_db(kernel_name) VALUES ('x');"
	judge_cache "removed while open" "0 ok" "no database yet"
}

# run_miopen_below: what the files live on.
run_miopen_below() {
	fresh_cache
	database "$file" 1000 644
	mount --bind "$folder" "$folder"
	mount -o remount,bind,ro "$folder"
	judge_cache "a read-only mount" "$fails" "file system that is mounted read-only"
	sqlite_says "a read-only mount" "unable to open database file" "$file"
	umount "$folder"
	sqlite3 "$file" 'PRAGMA journal_mode=delete;' >/dev/null
	chown 1000:1000 "$file"
	mount --bind "$folder" "$folder"
	mount -o remount,bind,ro "$folder"
	judge_cache "a read-only mount, no WAL" "$fails" "file system that is mounted read-only"
	sqlite_says "a read-only mount, no WAL" "$readonly_words" "$file"
	umount "$folder"

	mount -t tmpfs -o size=256k,mode=777 tmpfs "$folder"
	database "$file" 1000 644
	dd if=/dev/zero of="$folder/fill" bs=4k 2>/dev/null || true
	judge_cache "a full disk" "$fails" "is full: 0 KiB are left"
	sqlite_says "a full disk" "disk" "$file" "INSERT INTO kern_db(kernel_blob) VALUES (randomblob(200000));"
	umount "$folder"
}

# run_miopen_begin: no cache yet, and none can be made.
run_miopen_begin() {
	local warns="0 warn miopen/cache-writable miopen-db-readonly" home=$root/home/ada
	fresh_cache
	rm -r "$home/.cache"
	judge_cache "a home without a cache" "0 ok" ""

	mkdir "$home/.cache"
	judge_cache "a cache folder of root" "$warns" "/home/ada/.cache belongs to root, and you are uid 1000"

	rmdir "$home/.cache"
	mount --bind "$home" "$home"
	mount -o remount,bind,ro "$home"
	judge_cache "a read-only home" "$warns" "/home/ada is on a file system that is mounted read-only"
	umount "$home"
}

# run_miopen_damaged: files that are no database, or not all of one.
run_miopen_damaged() {
	local damaged="1 fail miopen/cache-intact miopen-cache-corrupt"
	fresh_cache
	database "$file" 1000 644
	truncate -s 8192 "$file"
	judge_cache "cut off" "$damaged" "is cut off: it has 8192 bytes and should have"
	sqlite_says "cut off" "malformed" "$file" "PRAGMA integrity_check;"

	fresh_cache
	put "$file" "version https://git-lfs.github.com/spec/v1"
	chown 1000:1000 "$file"
	judge_cache "text instead" "$damaged" "holds text where MIOpen expects a SQLite database"
	sqlite_says "text instead" "file is not a database" "$file"

	fresh_cache
	mkdir -p "$root/home/ada/.config/miopen"
	put "$root/home/ada/.config/miopen/gfx1100_48.HIP.3_5_1_.ufdb.txt" "1x1=ConvAsm1x1U:1,0,miopenConvolutionFwdAlgoDirect"
	chown -R 1000:1000 "$root/home/ada"
	judge_cache "tuning is text" "0 ok" ""
}
