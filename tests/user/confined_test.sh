#!/bin/sh
# confined_test.sh - a program sees the files below one directory and nothing
# else, by whatever name it asks; --root says which, --root / lifts it.
set -u
cd "$(dirname "$0")/../.."
bad=0
fail() { echo "$1"; bad=1; }

command -v powerpc-linux-gnu-gcc >/dev/null ||
    { echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
powerpc-linux-gnu-gcc -O1 -w -static -o "$TMPDIR/confined" \
    tests/user/prog/confined.c || exit 1
cat >"$TMPDIR/cat.c" <<'C'
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    char line[100], cwd[1000];
    FILE *f = fopen(argv[1], "r");
    if (f && fgets(line, 100, f))
        printf("%s", line);
    printf("%s\n", getcwd(cwd, 1000));
    return f == NULL;
}
C
powerpc-linux-gnu-gcc -O1 -static -o "$TMPDIR/cat" "$TMPDIR/cat.c" || exit 1
outside=$TMPDIR/outside
mkdir -p "$TMPDIR/inside/below" "$outside"
echo secret >"$outside/secret"
chmod 640 "$outside/secret"
touch -d @1000000 "$outside/secret" "$outside"
before=$(ls -lA --time-style=+%s "$outside"; cat "$outside/secret")

cd "$TMPDIR/inside" || exit 1
"$BUILD/simrun" -q --mode=fast --user "$TMPDIR/confined" "$outside" ||
    fail "a way out worked, or was no ENOENT"
cd "$TMPDIR" && rm -rf inside && mkdir -p inside/below
"$BUILD/simrun" -q --mode=fast --root="$TMPDIR/inside" --user \
    "$TMPDIR/confined" "$outside" || fail "--root lets something through"
[ "$before" = "$(ls -lA --time-style=+%s "$outside"; cat "$outside/secret")" ] ||
    fail "something outside has changed"

run() { "$BUILD/simrun" -q --mode=fast "$@"; }
echo text >"$TMPDIR/inside/below/file"
cd "$TMPDIR/inside/below" || exit 1
[ "$(run --user "$TMPDIR/cat" file)" = "text
$TMPDIR/inside/below" ] || fail "a file of the working directory"
[ "$(run --user "$TMPDIR/cat" "$PWD/file")" = "text
$PWD" ] || fail "its absolute name"
[ "$(run --root=.. --user "$TMPDIR/cat" ../below/file)" = "text
$PWD" ] || fail "the directory above, as the root"
[ "$(run --root=/ --user "$TMPDIR/cat" "$outside/secret")" = "secret
$PWD" ] || fail "the whole host, as the root"
run --user "$TMPDIR/cat" ../below/file >/dev/null && fail "a way up and back"

# Absolute links lead where the absolute name would.
mkdir -p deep etc
ln -s "$PWD/file" link
ln -s "$PWD/deep" way
ln -s "$PWD/link" deep/second
ln -s "$PWD/itself" itself
ln -s "$outside/secret" out
ln -s "$PWD/../../outside/secret" up
ln -s /etc/conf chroot
ln -s "$PWD/fresh" dangling
echo conf >etc/conf
for name in link deep/second way/second way/../link; do
    [ "$(run --user "$TMPDIR/cat" $name | head -n 1)" = text ] ||
        fail "an absolute link inside, $name"
done
for name in out up itself dangling chroot /dev/nullx; do
    run --user "$TMPDIR/cat" $name >/dev/null && fail "$name leads somewhere"
done
[ "$(run --root=. --user "$TMPDIR/cat" "$PWD/chroot" | head -n 1)" = conf ] ||
    fail "an absolute link in a --root"
run --root=. --user "$TMPDIR/cat" "$PWD/out" >/dev/null && fail "out of --root"
cat >"$TMPDIR/links.c" <<'C'
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
static int bad;
static void want(const char *what, long got, int error)
{
    if ((error ? got != -1 || errno != error : got < 0) && ++bad)
        printf("%s: %ld, %s\n", what, got, strerror(errno));
}
int main(void)
{
    static const char *const devices[] = {
        "/dev/null",    "/dev/zero",   "/dev/full",
        "/dev/urandom", "/dev/random", "/proc/self/exe"};
    struct stat s, t;
    char b[4096];

    want("make what a link names", open("dangling", O_CREAT | O_RDWR, 0600), 0);
    want("it is there", stat("fresh", &s), 0);
    want("not twice", open("dangling", O_CREAT | O_EXCL, 0600), EEXIST);
    want("not the link", open("link", O_RDONLY | O_NOFOLLOW), ELOOP);
    want("no end", open("itself", O_RDONLY), ELOOP);
    want("through a link", mkdir("way/new", 0700), 0);
    want("remove it", rmdir("deep/new"), 0);
    want("a file is no directory", open("link/", O_RDONLY), ENOTDIR);
    want("a link", lstat("link", &s), 0);
    want("what it names", stat("link", &t), 0);
    want("are two things", S_ISLNK(s.st_mode) && S_ISREG(t.st_mode) ? 0 : -1, 0);
    want("outside", access("out", F_OK), ENOENT);
    want("go through", chdir("way"), 0);
    want("and", getcwd(b, sizeof b) && strstr(b, "/deep") ? 0 : -1, 0);
    for (unsigned n = 0; n < sizeof devices / sizeof *devices; n++) {
        want(devices[n], open(devices[n], O_RDONLY), 0);
        want(devices[n], stat(devices[n], &s), 0);
        want(devices[n], access(devices[n], R_OK), 0);
    }
    want("write to a device", access("/dev/null", R_OK | W_OK), 0);
    want("run a device", access("/dev/null", X_OK), EACCES);
    return bad;
}
C
powerpc-linux-gnu-gcc -O1 -static -o "$TMPDIR/links" "$TMPDIR/links.c" || exit 1
run --user "$TMPDIR/links" || fail "absolute links"
exit $bad
