#!/bin/sh
# shadow_all.sh - stacks of programs that nobody here wrote are those of a
# shadow call stack: bzip2 and Lua, six ways compiled. So are those of C++ that
# throws, but while the unwinder is about to go to a handler.
# timeout: 1800
. "$(dirname "$0")/../user/real.sh"
CC=${CC:-gcc}
. tests/unwind/judge.sh

real_unpack bzip2 1.0.8-5 bzip2_1.0.8.orig.tar.gz \
    ab5a03176ee106d3f0fa90e381da478ddae405918153cca248e682cd0c4a2269
mv "$TMPDIR/src" "$TMPDIR/bzip2"
real_unpack lua5.4 5.4.4-3+deb12u1 lua5.4_5.4.4.orig.tar.gz \
    164c7849653b80ae67bec4b7473b884bf5cc8d2dca05653475ec2ed27b9ebf61
mv "$TMPDIR/src" "$TMPDIR/lua"
real_text 60 >"$TMPDIR/text"
cat >"$TMPDIR/script.lua" <<'LUA'
local words = {}
for w in (("the cat sat on the mat "):rep(40)):gmatch("%a+") do
  words[w] = (words[w] or 0) + 1
end
local keys = {}
for k in pairs(words) do keys[#keys + 1] = k end
table.sort(keys)
local co = coroutine.wrap(function() for i = 1, 9 do coroutine.yield(i) end end)
for i = 1, 9 do keys[#keys + 1] = co() end
print(table.concat(keys, " "), pcall(error, "x"), string.format("%.14g", 1 / 3))
LUA
cd "$TMPDIR" || exit 1 # what the programs see
make_one() { # directory, make's arguments
    ln -sfn "$TMPDIR/$1" "$TMPDIR/src"
    shift
    make -s -C "$TMPDIR/src" clean >/dev/null 2>&1
    real_build make -j2 "$@"
}
for flags in -O0 -O2 -Os "-O2 -fno-omit-frame-pointer" \
    "-Os -fno-omit-frame-pointer" "-O0 -fomit-frame-pointer"; do
    make_one bzip2 CC=powerpc-linux-gnu-gcc AR=powerpc-linux-gnu-ar \
        RANLIB=powerpc-linux-gnu-ranlib CFLAGS="$flags" LDFLAGS=-static bzip2
    judge "bzip2 $flags" 13 8000000 "$TMPDIR/src/bzip2" -kc text
    [ "$walks" -gt 100000 ] && [ "$outside" -eq 0 ] || fail "$(head -n 3 "$TMPDIR/differ")"
    make_one lua -C src lua CC="powerpc-linux-gnu-gcc -std=gnu99" \
        CFLAGS="$flags -DLUA_COMPAT_5_3 -DLUA_USE_POSIX" \
        AR="powerpc-linux-gnu-ar rcu" RANLIB=powerpc-linux-gnu-ranlib SYSLIBS=-static
    judge "lua $flags" 13 8000000 "$TMPDIR/src/src/lua" script.lua
    [ "$walks" -gt 20000 ] && [ "$outside" -eq 0 ] || fail "$(head -n 3 "$TMPDIR/differ")"
done
if command -v powerpc-linux-gnu-g++ >/dev/null; then
    for flags in -O0 -O2 -Os; do
        powerpc-linux-gnu-g++ $flags -static -o throws "$here/../unwind/throws.cc" || bad=1
        judge "C++ $flags" 7 20000000 ./throws
        outside=$(awk '/: walked/ && !/ (_exit|_Unwind_|uw_install)/ { n += $1 }
            END { print n + 0 }' differ)
        [ "$walks" -gt 1000000 ] && [ "$outside" -eq 0 ] &&
            [ "$differ" -lt $((walks / 50)) ] || fail "$(head -n 3 differ)"
    done
fi
exit $bad
