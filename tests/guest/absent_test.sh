#!/bin/sh
# absent_test.sh - the calls that docs/guest.md says are not there are ENOSYS for a
# program: each is made, by its number.
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }

names=$(sed -n '/^- Calls that programs of others make/,/absent_test/p' docs/guest.md |
    grep -o '`[a-z0-9_]*`' | tr -d '`' |
    grep -vx 'getcontext\|mkfifo\|posix_fallocate') # of the C library
above "calls named" "$(echo "$names" | wc -l)" 40
cat >"$dir/absent.c" <<'C'
#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
static void ask(const char *name, long number)
{
    if (syscall(number, 0, 0, 0, 0, 0, 0) != -1 || errno != ENOSYS)
        printf("%s is there\n", name);
}
int main(void)
{
C
for name in $names; do
    echo "    ask(\"$name\", SYS_$name);" >>"$dir/absent.c"
done
echo '    puts("asked"); }' >>"$dir/absent.c"
powerpc-linux-gnu-gcc -O1 -static -o "$dir/absent" "$dir/absent.c" ||
    fail "a name of docs/guest.md is no call"
status=0
timeout $((60 * ${TIMES:-1})) "$simrun" -q --mode=fast --program "$dir/absent" "$guest" \
    </dev/null >"$out" 2>&1 || status=$?
is "status" $status 0
is "calls that are there" "$(grep -v 'system call [0-9]* is not there$' "$out")" asked
exit 0
