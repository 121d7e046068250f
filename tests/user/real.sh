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

# lbzip2, a program of threads: from $TMPDIR/src to the file $1; its function
# generate_prefix_code does half of its work with `half` as $2.
real_lbzip2() {
    [ -d "$TMPDIR/src" ] || {
        real_unpack lbzip2 2.5-2.3 lbzip2_2.5.orig.tar.bz2 \
            eec4ff08376090494fa3710649b73e5412c3687b4b9b758c93f73aa7be27555b
        real_build ./configure --host=powerpc-linux-gnu LDFLAGS=-static
    }
    [ "${2:-}" != half ] ||
        sed -i 's/^#define CLUSTER_FACTOR .*/#define CLUSTER_FACTOR 4u/' "$TMPDIR/src/src/encode.h"
    real_build sh -c "powerpc-linux-gnu-gcc -O2 -g -static -pthread -DHAVE_CONFIG_H -Ilib -Isrc \
        -o '$1' src/*.c '$here/prog/gnulib.c' lib/timespec*.c lib/dtotimespec.c lib/gettime.c"
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

# $TMPDIR/src/bzip2; `make bench` times it, too.
real_bzip2() {
    real_unpack bzip2 1.0.8-5 bzip2_1.0.8.orig.tar.gz \
        ab5a03176ee106d3f0fa90e381da478ddae405918153cca248e682cd0c4a2269
    real_build make CC=powerpc-linux-gnu-gcc LDFLAGS=-static AR=powerpc-linux-gnu-ar \
        RANLIB=powerpc-linux-gnu-ranlib bzip2
}

# $TMPDIR/src/src/lua; the same.
real_lua() {
    real_unpack lua5.4 5.4.4-3+deb12u1 lua5.4_5.4.4.orig.tar.gz \
        164c7849653b80ae67bec4b7473b884bf5cc8d2dca05653475ec2ed27b9ebf61
    real_build make -C src -j2 lua CC="powerpc-linux-gnu-gcc -std=gnu99" \
        AR="powerpc-linux-gnu-ar rcu" RANLIB=powerpc-linux-gnu-ranlib \
        SYSCFLAGS="-DLUA_USE_POSIX" SYSLIBS=-static
}

# $TMPDIR/src/sqlite3. Its own build makes one source file of many, for this
# host; that is then compiled for PowerPC.
real_sqlite3() {
    command -v tclsh >/dev/null || { echo "tclsh is missing"; exit 77; }
    real_unpack sqlite3 3.40.1-2+deb12u2 sqlite3_3.40.1.orig.tar.xz \
        aaa776260ab4dc976db34aa7891819484c8676b5b2783123ebc6301e2ca5d655
    real_build ./configure --disable-tcl --disable-readline
    real_build make sqlite3.c shell.c
    real_build powerpc-linux-gnu-gcc -O1 -static -DSQLITE_THREADSAFE=0 \
        -DSQLITE_OMIT_LOAD_EXTENSION -o sqlite3 shell.c sqlite3.c -lm
}

# $TMPDIR/src/src/dash
real_dash() {
    real_unpack dash 0.5.12-2 dash_0.5.12.orig.tar.gz \
        6a474ac46e8b0b32916c4c60df694c82058d3297d8b385b74508030ca4a8f28a
    real_build ./configure --host=powerpc-linux-gnu CC="powerpc-linux-gnu-gcc -static"
    real_build make -j2
}

# $TMPDIR/src/gzip
real_gzip() {
    real_unpack gzip 1.12-1 gzip_1.12.orig.tar.xz \
        ce5e03e519f637e1f814011ace35c4f87b33c0bbabeec35baf5fbd3479e91956
    real_build ./configure --host=powerpc-linux-gnu LDFLAGS=-static
    real_build make -j2 MAKEINFO=true
}

# $TMPDIR/src/frontend/lame
real_lame() {
    real_unpack lame 3.100-6 lame_3.100.orig.tar.gz \
        ddfe36cab873794038ae2c1210557ad34857a4b6bdc515785d1da9e175b1da1e
    powerpc-linux-gnu-gcc -O2 -fno-builtin -c -o "$TMPDIR/libm.o" \
        "$here/prog/libm.c" || exit 1
    real_build ./configure --host=powerpc-linux-gnu --disable-shared \
        --disable-gtktest --disable-decoder LDFLAGS=-static
    real_build make -j2 LDFLAGS=-all-static LIBS="$TMPDIR/libm.o -lm"
}

# A second of three tones, 16 bits, 22050 a second, no header.
real_sound() {
    awk 'BEGIN {
        for (i = 0; i < 22050; i++) {
            v = 9000 * sin(i * 0.0627) + 6000 * sin(i * 0.19) + \
                4000 * sin(i * i * 0.000007)
            v = int(v)
            if (v < 0) v += 65536
            printf "\\%03o\\%03o", v % 256, int(v / 256)
            if (i % 64 == 63) printf "\n"
        }
        printf "\n"
    }' | while read -r line; do printf "$line"; done
}

same() { "$here/same" "$@" || bad=1; }
