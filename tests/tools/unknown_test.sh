#!/bin/sh
# unknown_test.sh - a program that makes its own code, in its data and in
# memory that it asks for: <Unknown>, with callers and callees as any function
# (ANA-85), in every report the same.
# timeout: 60
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null ||
    { echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
cat >"$dir/jit.c" <<'C'
#include <string.h>
#include <sys/mman.h>
#define F __attribute__((noipa))
static volatile unsigned sink;
F void work(void) { for (int i = 0; i < 50; i++) sink++; }
/* mflr r31 and a frame; count r3 down; call r4; return */
static unsigned code[] = {0x9421FFF0, 0x7C0802A6, 0x90010014, 0x38630000,
                          0x7C6903A6, 0x60000000, 0x4200FFFC, 0x7C8903A6,
                          0x4E800421, 0x80010014, 0x38210010, 0x7C0803A6,
                          0x4E800020};
typedef void made(int n, void (*f)(void));
F void in_data(void) { ((made *)code)(20000, work); sink++; }
F void in_memory(void)
{
    void *p = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    memcpy(p, code, sizeof code);
    __builtin___clear_cache(p, (char *)p + sizeof code);
    ((made *)p)(30000, work);
    sink++;
}
int main(void) { in_data(); in_memory(); return 0; }
C
powerpc-linux-gnu-gcc -O1 -static -o "$dir/jit" "$dir/jit.c" || exit 1
cd "$dir" || exit 1
"$simrun" -q --cpus=1 -e cycles:100 --pmu-trace=e.exp --user ./jit ||
    fail "status $?"
prof() { # report, options: into out
    "$BUILD/simprof" "$@" --csv e.exp >out 2>err || fail "$*: $(cat err)"
}
value() { grep ",$1\$" out | cut -d, -f1; }
prof functions --metrics=e+cycles
loops=$(value '<Unknown>')
[ "$loops" -gt 49000 ] && [ "$loops" -lt 150000 ] || fail "<Unknown>: $(cat out)"
prof functions --metrics=e+exact
[ $(($(value '<Unknown>') - loops)) -lt 1000 ] || fail "exact: $(cat out)"
prof csingle '<Unknown>' --metrics=a+cycles
for row in caller,in_data caller,in_memory callee,work; do
    grep -q "^[1-9][0-9]*,<Unknown>,$row\$" out || fail "no $row: $(cat out)"
done
prof objects --metrics=e+cycles
[ "$(value '<Unknown>')" = "$loops" ] || fail "objects: $(cat out)"
prof functions --metrics=e+cycles --filters='object == "<Unknown>"'
[ "$(value '<Total>')" = "$loops" ] || fail "object of unknown code: $(cat out)"
prof lines --metrics=e+cycles
awk -F, '/Unknown/ { n += $1 } END { print n }' out >lines
[ "$(cat lines)" = "$loops" ] || fail "lines: $(cat out)"
exit 0
