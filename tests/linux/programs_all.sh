#!/bin/sh
# programs_all.sh - programs that nobody here wrote do inside Linux what they do
# under qemu-ppc: bzip2, Lua, sqlite3, a program of threads; from a disk whose
# file system mke2fs made, also where memory is short and pages go to a file.
# timeout: 1800
. "$(dirname "$0")/../user/real.sh"

. tests/linux/built.sh
command -v /sbin/mke2fs >/dev/null || { echo "mke2fs is missing"; exit 77; }

disk=$TMPDIR/files
mkdir -p "$disk"
for name in bzip2 lua sqlite3; do # each unpacks into a src of its own
    mkdir -p "$TMPDIR/$name"
    (TMPDIR=$TMPDIR/$name && "real_$name") || exit $?
done
cp "$TMPDIR/bzip2/src/bzip2" "$TMPDIR/lua/src/src/lua" \
    "$TMPDIR/sqlite3/src/sqlite3" "$here/script.lua" "$here/script.sql" "$disk"
real_text 2000 >"$disk/text"
echo 'local t, s = {}, 0
for i = 1, 500000 do t[i] = i * 7 end
for i = 1, #t do s = s + t[i] end
print(s)' >"$disk/big.lua"
powerpc-linux-gnu-gcc -O1 -static -pthread -o "$disk/threads" \
    "$here/prog/threads.c" || exit 1

# What is run, here and there: each line is one program's, in a directory that
# has all files and may be written to.
cat >"$disk/all" <<'SH'
$by ./bzip2 -9 -c <text >packed 2>err; echo "bzip2 $?"; md5sum <packed
$by ./bzip2 -dc <packed 2>err >plain; echo "bzip2 -d $?"; cmp plain text
$by ./lua script.lua argument 2>err; echo "lua $?"; cat err
$by ./lua big.lua
$by ./sqlite3 -batch <script.sql 2>err; echo "sqlite3 $?"; cat err
$by ./threads; echo "threads $?"
SH
cp -r "$disk" "$TMPDIR/wanted.d"
(cd "$TMPDIR/wanted.d" && by=qemu-ppc sh ./all) >"$TMPDIR/wanted" 2>&1
/sbin/mke2fs -q -d "$disk" "$TMPDIR/disk.img" 64M >"$TMPDIR/log" 2>&1 || exit 1

# inside NAME BEFORE OPTION...: the same in Linux, which does BEFORE first
inside() {
    name=$1 before=$2
    shift 2
    cp "$TMPDIR/disk.img" "$TMPDIR/$name.img"
    "$BUILD/simrun" -q --max-cycles=200000000000 "$@" \
        --disk "$TMPDIR/$name.img" --initrd "$linux/initrd.cpio" \
        --append "console=ttyS0 quiet run=\"mount /dev/vda /media; cd /media; $before
            sh ./all >out 2>&1; $after cd /; umount /media\"" \
        "$linux/vmlinux" >"$TMPDIR/$name.console" 2>&1 </dev/null ||
        { echo "$name: status $?"; bad=1; tail -n 20 "$TMPDIR/$name.console"; }
    /sbin/debugfs -R "dump /out $TMPDIR/$name.out" "$TMPDIR/$name.img" \
        2>/dev/null
    cmp "$TMPDIR/wanted" "$TMPDIR/$name.out" ||
        { bad=1; diff "$TMPDIR/wanted" "$TMPDIR/$name.out" | head -n 20; }
}
after=
inside one "" --mode=fast
inside four "" --mode=fast --cpus=4
inside again "" --mode=fast --cpus=4
cmp "$TMPDIR/four.img" "$TMPDIR/again.img" || bad=1
# A table of 8 MB, and one of half that size which it is made of, in 16 MB that
# are also Linux's.
after="cat /proc/swaps >swapped; swapoff /media/swap;"
inside short "dd if=/dev/zero of=swap bs=1M count=24 2>/dev/null;
    mkswap swap >/dev/null; swapon swap;" --mode=fast --cpus=2 --mem=16M
/sbin/debugfs -R "cat /swapped" "$TMPDIR/short.img" 2>/dev/null |
    awk '/^.media/ { used = $4 } END { exit !used }' ||
    { echo "no page went out"; bad=1; }
exit $bad
