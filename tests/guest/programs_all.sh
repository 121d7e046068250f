#!/bin/sh
# programs_all.sh - programs of others, from their upstream sources as tests/user has them,
# inside the guest: bzip2, gzip, lame, Lua and sqlite3 print what they print under qemu-ppc and under
# simrun --user, and end with the same status, and so does a shell that starts them, dash,
# without --user, which has no fork; on 1 and 4 processors, and where memory is so short
# that pages go to the disk and come back.
# timeout: 3600
. "$(dirname "$0")/../user/real.sh"

root=$TMPDIR/root
mkdir -p "$root/bin" "$root/tmp"
for name in bzip2 gzip lame lua sqlite3 dash; do # each unpacks into a src of its own
    mkdir -p "$TMPDIR/$name"
    (TMPDIR=$TMPDIR/$name && "real_$name") || exit $?
done
cp "$TMPDIR/bzip2/src/bzip2" "$TMPDIR/lua/src/src/lua" "$TMPDIR/sqlite3/src/sqlite3" \
    "$TMPDIR/dash/src/src/dash" "$TMPDIR/gzip/src/gzip" "$TMPDIR/lame/src/frontend/lame" \
    "$root/bin"
cp "$here/script.lua" "$here/script.sql" tests/guest/prog/shell.sh "$root"
real_text 2000 >"$root/text"
real_sound >"$root/sound"
qemu-ppc "$root/bin/bzip2" -c <"$root/text" >"$root/packed" || exit 1
qemu-ppc "$TMPDIR/gzip/src/gzip" -n -c <"$root/text" >"$root/text.gz" || exit 1
head -c 1000 "$root/packed" >"$root/broken"
echo 'local t, s = {}, 0
for i = 1, 60000 do t[i] = i * 7 end
for i = 1, #t do s = s + t[i] end
print(s)' >"$root/big.lua"

# by NAME COMMAND...: the words of $words under it, in a directory of its own.
by() {
    name=$1
    shift
    rm -rf "$TMPDIR/there"
    cp -R "$root" "$TMPDIR/there"
    (cd "$TMPDIR/there" && exec timeout "$JUDGE" "$@" bin/$words) \
        >"$TMPDIR/$name" 2>&1 </dev/null
    echo "status $?" >>"$TMPDIR/$name"
}

# inside OPTION...: the same in the guest.
inside() {
    timeout "$JUDGE" "$BUILD/simrun" -q --initrd "$root" "$@ run=/bin/$words" \
        "$BUILD/guest.elf" >"$TMPDIR/guest" 2>&1 </dev/null
    echo "status $?" >>"$TMPDIR/guest"
    cmp "$TMPDIR/judge" "$TMPDIR/guest" || { bad=1; echo "in the guest, $*: $words"; }
}

count=0
while read -r words; do
    count=$((count + 1))
    by judge env by=qemu-ppc qemu-ppc
    case $words in
    dash*) ;;
    *)
        by user "$BUILD/simrun" -q --mode=fast --user
        cmp "$TMPDIR/judge" "$TMPDIR/user" || { bad=1; echo "under --user: $words"; }
        ;;
    esac
    inside --mode=fast --cpus=1 --append "seed=1"
    inside --mode=fast --cpus=4 --disk=32M --append "memory=1M swap=31M"
done <<'PROGRAMS'
bzip2 -9 -c text
bzip2 -d -c packed
bzip2 -t broken
gzip -9 -n -c text
gzip -v -t text.gz
lame --quiet -r -s 22.05 -m m --bitwidth 16 -b 64 --nohist sound -
lua script.lua argument
lua big.lua
lua -v
sqlite3 -batch -init script.sql :memory: .quit
sqlite3 -batch -init script.sql made.db .quit
dash shell.sh
PROGRAMS
[ $count = 12 ] || { echo "$count programs"; bad=1; }
exit $bad
