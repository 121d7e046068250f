#!/bin/sh
# names_test.sh - several names of a file, their count, and owners of files are in the
# guest as under qemu-ppc; names under --user, too. What is opened and closed stays
# there, the root itself. An archive's owners are those of its files.
set -u
. tests/guest/lib.sh
for tool in powerpc-linux-gnu-gcc qemu-ppc; do
    command -v $tool >/dev/null || { echo "$tool is missing"; exit 77; }
done
[ "$(id -u)" -eq 0 ] || { echo "only root gives files to others"; exit 77; }
powerpc-linux-gnu-gcc -O1 -w -static -D_FILE_OFFSET_BITS=64 -o "$dir/names" \
    tests/guest/prog/names.c || fail "names.c does not compile"
qemu-ppc "$dir/names" "$dir/q" >"$dir/want" || fail "qemu-ppc: status $?"
qemu-ppc "$dir/names" "$dir/few" names >"$dir/few.want" || fail "qemu-ppc: status $?"
above "lines under qemu-ppc" "$(wc -l <"$dir/want")" 60
for options in --cpus=1 "--mode=fast --cpus=4" \
    "--mode=fast --cpus=2 --disk=32M --set disk_fixed=20000"; do
    paging=
    [ "${options#*--disk}" = "$options" ] || paging="memory=256K swap=30M"
    "$simrun" -q $options ${paging:+--append "$paging"} --program "$dir/names" "$guest" -- /tmp/n >"$out" 2>&1 </dev/null ||
        fail "$options: status $?"
    cmp -s "$dir/want" "$out" || fail "$options: $(diff "$dir/want" "$out")"
done
mkdir "$dir/u"
(cd "$dir/u" && "$simrun" -q --mode=fast --user ../names n names) >"$out" 2>&1 ||
    fail "--user: status $?"
cmp -s "$dir/few.want" "$out" || fail "--user: $(diff "$dir/few.want" "$out")"

command -v cpio >/dev/null || exit 0
cat >"$dir/whose.c" <<'C'
#include <stdio.h>
#include <sys/stat.h>
int main(int count, char **word)
{
    struct stat s;

    stat(word[1], &s);
    return printf("%d %d\n", (int)s.st_uid, (int)s.st_gid) < 0;
}
C
mkdir -p "$dir/root/bin"
powerpc-linux-gnu-gcc -O1 -static -o "$dir/root/bin/whose" "$dir/whose.c" ||
    fail "whose.c does not compile"
(cd "$dir/root" && find . | cpio -o -H newc -R 5:70000 >"$dir/root.cpio" 2>/dev/null)
"$simrun" -q --mode=fast --initrd "$dir/root.cpio" --append "run=/bin/whose /bin/whose" "$guest" \
    >"$out" 2>&1 || fail "of an archive: status $?"
is "owner of an archive's file" "$(cat "$out")" "5 70000"
exit 0
