# real.sh - sourced by the *_all.sh scripts: a program that nobody here wrote,
# from its upstream source to a static PowerPC executable, and a comparison.
# Each script names its package, version, file and hash.
set -u
export JUDGE="${JUDGE:-900}" # seconds for qemu-ppc, see same
unset CC # of the host; a package finds the cross compiler by itself
cd "$(dirname "$0")/../.." || exit 1
here=$PWD/tests/user
bad=0

for tool in powerpc-linux-gnu-gcc qemu-ppc xz; do
    command -v $tool >/dev/null || { echo "$tool is missing"; exit 77; }
done

# real_unpack NAME VERSION FILE SHA256: into $TMPDIR/src
real_unpack() {
    archive=$("$here/fetch" "$@" 2>"$TMPDIR/fetch.err") || {
        status=$?
        cat "$TMPDIR/fetch.err"
        exit $status
    }
    mkdir -p "$TMPDIR/src"
    tar -xf "$archive" -C "$TMPDIR/src" --strip-components=1 || exit 1
}

# A build that fails shows why.
real_build() {
    (cd "$TMPDIR/src" && "$@") >"$TMPDIR/build.log" 2>&1 || {
        echo "it does not build:"
        tail -n 20 "$TMPDIR/build.log"
        exit 1
    }
}

# Text that looks like something, the same everywhere: $1 lines.
real_text() {
    awk -v lines="$1" 'BEGIN {
        n = split("the of a machine page table cycle thread lock wait " \
            "counter sample stack and or not never always zero one", w, " ")
        seed = 1
        for (i = 1; i <= lines; i++) {
            line = i
            for (k = 0; k < 9; k++) {
                seed = (seed * 1103515245 + 12345) % 2147483648
                line = line " " w[int(seed / 65536) % n + 1]
            }
            print line
        }
    }'
}

same() { "$here/same" "$@" || bad=1; }
