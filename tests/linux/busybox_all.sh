#!/bin/sh
# busybox_all.sh - busybox's own test suite, run by busybox's shell inside Debian's Linux, once
# make linux has built both: each test says what it says of the same program under qemu-ppc, in
# directories of the same names. Where the two may differ, `may_differ` says why.
# timeout: 1800
set -u
. tests/sim/lib.sh
. tests/linux/built.sh
for tool in qemu-ppc unshare chroot /sbin/mke2fs; do
    command -v $tool >/dev/null || { echo "$tool is missing"; rm -rf "$dir"; exit 77; }
done
unshare --kill-child -Urmpfn true 2>"$dir/err" || {
    echo "no namespaces of one's own here, which qemu-ppc needs for the same directories"
    rm -rf "$dir"
    exit 77
}
suite=$(echo "$linux"/busybox-*/testsuite)
[ -f "$suite/runtest" ] || fail "no test suite in $suite"
"${CC:-gcc}" -O1 -static -o "$dir/through" "$beside/through.c" || fail "through.c does not compile"

# What /media has. Left out: wget, whose tests are of a network, and what takes longest: two
# tests of bc that print millions of numbers, its Bessel functions, and the 3000 processes
# each of sha1sum's and sha256sum's tests (md5sum's, sha3sum's and sha512sum's have as many).
mkdir "$dir/disk"
cp -r "$suite" "$dir/disk/suite"
cp "$linux/busybox/busybox" "$linux/busybox/.config" "$dir/disk"
for name in wget bc_bessel.bc sha1sum.tests sha256sum.tests; do
    [ -e "$dir/disk/suite/$name" ] || fail "no $name in $suite"
    rm -r "$dir/disk/suite/$name"
done
awk '/^testing "bc parsing of numbers"/ { print "SKIP=1"; some = 1 }
    /^for f in bc/ { print "SKIP="; some += 2 }
    { print }
    END { exit some != 3 }' "$suite/bc.tests" >"$dir/disk/suite/bc.tests" ||
    fail "bc.tests is not what it was"
do="cd /media/suite; sh ./runtest </dev/null 2>&1"

# The judge's root: programs by the names that they have in the RAM disk, each by qemu-ppc.
judge=$dir/judge
(
    mkdir "$judge"
    cd "$judge" || exit 1
    mkdir -p bin sbin usr/bin usr/sbin dev proc sys tmp root etc qemu
    cp "$(command -v qemu-ppc)" qemu/qemu-ppc
    cp "$linux/busybox/busybox" qemu/program
    for library in $(ldd qemu/qemu-ppc | grep -o '/[^ ]*'); do
        cp -L --parents "$library" .
    done
    cp -r "$dir/disk" media
    cp "$dir/through" media/busybox
    cp "$dir/through" bin/busybox
    while read -r link; do ln -s /bin/busybox ".$link"; done <"$linux/busybox/busybox.links"
) || fail "no root for qemu-ppc"
# shellcheck disable=SC2016 # it is the inner shell's
unshare --kill-child -Urmpfn sh -c 'cd "$1" || exit 1
    for device in null zero full random urandom tty; do # whose modes no test changes
        : >dev/$device && mount --bind /dev/$device dev/$device &&
            mount -o remount,bind,ro dev/$device || exit 1
    done
    mount -t proc proc proc || exit 1
    exec env -i PATH=/bin:/sbin:/usr/bin:/usr/sbin HOME=/root TERM=vt100 \
        chroot . /bin/sh -c "$2"' sh "$judge" "$do" >"$dir/judge.out" 2>&1 </dev/null &
judging=$!
start=$(date +%s)
# A run that ends early ends the judge's.
trap 'kill $judging 2>/dev/null' EXIT
/sbin/mke2fs -q -b 4096 -d "$dir/disk" "$dir/disk.img" 64M >"$dir/out" 2>&1 || fail "no disk"
"$simrun" -q --mode=fast --cpus=1 --max-cycles=2000000000000 \
    --disk "$dir/disk.img" --initrd "$linux/initrd.cpio" \
    --append "console=ttyS0 quiet run=\"mount /dev/vda /media; $do; cd /; umount /media; exit 3\"" \
    "$linux/vmlinux" >"$dir/raw" 2>"$dir/err" </dev/null
status=$?
took=$(($(date +%s) - start))
tr -d '\r' <"$dir/raw" >"$dir/inside.out"
tail -n 20 "$dir/inside.out" >"$dir/out"
[ $status -eq 3 ] || fail "status $status"
! complains "$dir/inside.out" || fail "the kernel complains"
wait $judging

results() { grep -a '^\(PASS\|FAIL\|SKIPPED\|UNTESTED\): ' "$dir/$1.out" >"$dir/$1.said"; }
results judge
results inside
cp "$dir/judge.said" "$dir/out"
[ "$(grep -c '^PASS' "$dir/judge.said")" -gt 800 ] || fail "under qemu-ppc few tests pass"
cp "$dir/inside.said" "$dir/out"
[ "$(grep -c '^PASS' "$dir/inside.said")" -gt 800 ] || fail "inside Linux few tests pass"

# What may differ: what is said inside Linux, and why. All else is a fault.
may_differ() {
    cat <<'END'
# Device files, of which qemu-ppc's user namespace may make none; mdev has a root of its
# own, too, without a qemu-ppc.
PASS: makedevs -d ../makedevs.device_table.txt .
PASS: mdev add /block/sda
PASS: mdev deletes /block/sda
PASS: mdev stops on first rule
PASS: mdev does not stop on dash-rule
PASS: mdev $ENVVAR=regex match
PASS: mdev move/symlink rule '>bar/baz'
PASS: mdev move/symlink rule '>bar/'
PASS: mdev move rule '=bar/baz/fname'
PASS: mdev regexp substring match + replace
PASS: mdev command
PASS: mdev move and command
PASS: mdev #maj,min and no explicit uid
PASS: move rule does not delete node with name == device_name
# Programs' names in /proc: under qemu-ppc all are qemu-ppc, process 1 as well.
PASS: pidof this
PASS: pidof -s
PASS: pidof -o %PPID NOP
# Linux 6.1's ext4 without CONFIG_EXT4_FS_POSIX_ACL takes the umask from a symbolic
# link's mode, too (fs/ext4/acl.h, ext4_init_acl).
FAIL: tar symlinks mode
END
}
may_differ | sed '/^#/d' >"$dir/may"
diff "$dir/judge.said" "$dir/inside.said" | sed -n '/^[<>]/p' >"$dir/differ"
# What qemu-ppc says has a row by the test's name, what is said inside by all of it.
awk 'FILENAME == ARGV[1] { may["> " $0]; sub(/^[A-Z]*: /, ""); of[$0]; next }
    { name = $0; sub(/^. [A-Z]*: /, "", name) }
    /^</ ? !(name in of) : !($0 in may)' "$dir/may" "$dir/differ" >"$dir/out"
[ ! -s "$dir/out" ] || fail "otherwise under qemu-ppc (<) than inside (>)"
for where in inside judge; do
    printf '%s: ' $where
    for said in PASS FAIL SKIPPED UNTESTED; do
        printf '%d %s, ' "$(grep -c "^$said" "$dir/$where.said")" $said
    done
    echo
done
echo "$(grep -c '^>' "$dir/differ") of those inside otherwise under qemu-ppc, each named;" \
    "$((took / 60)) min $((took % 60)) s inside"
grep '^FAIL' "$dir/inside.said"
rm -rf "$dir"
