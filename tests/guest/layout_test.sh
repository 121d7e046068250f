#!/bin/sh
# layout_test.sh - the boot word layout=SEED moves stack, heap and mappings of the guest's
# programs, and their page frames, so that what a run takes is another; not what it does. A
# seed is one run, and 0 none at all.
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
cat >"$dir/where.c" <<'EOF'
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char here = 0, *heap = sbrk(0), *map = mmap(0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    printf("%p %p %p\n", (void *)&here, (void *)heap, (void *)map);
    if (argc == 2 && !strcmp(argv[1], "again") && !fork()) {
        char *more[] = {argv[0], "behind", "again", NULL};

        fflush(stdout);
        execv("/bin/where", more);
    }
    wait(NULL);
    if (brk(heap + 3 * 4096))
        return 1;
    memset(heap, argc, 3 * 4096);
    memset(map, argc, 4096);
    return argc != 2 + (argc == 3) || argv[argc - 1][0] != 'a';
}
EOF
powerpc-linux-gnu-gcc -O1 -static -o "$dir/where" "$dir/where.c" || fail "where.c does not compile"
# go NAME LINE [OPTION...]: words to $dir/NAME, the run's cycles to $dir/NAME.cycles
go() {
    name=$1 line=$2
    shift 2
    "$simrun" -q --summary=json:"$dir/json" ${line:+--append "$line"} "$@" \
        "$guest" --program "$dir/where" -- again >"$dir/$name" 2>"$dir/err" </dev/null ||
        fail "status $?: $(cat "$dir/err" "$dir/$name")"
    sed 's/.*"cycles":\([0-9]*\).*/\1/' "$dir/json" >"$dir/$name.cycles"
}
go none "" --mode=fast
go 0 layout=0 --mode=fast
cmp "$dir/none" "$dir/0" || fail "0 moves something"
for seed in 1 2 3 4; do
    go $seed layout=$seed --mode=fast --cpus=2
    [ "$(sort -u "$dir/$seed" | wc -l)" -eq 1 ] || fail "a program that comes behind is elsewhere"
    go again layout=$seed --mode=fast --cpus=2
    cmp "$dir/$seed" "$dir/again" && cmp "$dir/$seed.cycles" "$dir/again.cycles" || fail "two runs"
    go detail$seed layout=$seed --mode=detailed
done
for column in 1 2 3; do
    cut -d' ' -f$column "$dir/none" "$dir/1" "$dir/2" "$dir/3" "$dir/4" | sort -u >"$dir/places"
    [ "$(wc -l <"$dir/places")" -ge 4 ] || fail "column $column: $(cat "$dir/places")"
done
[ "$(sort -u "$dir"/detail?.cycles | wc -l)" -gt 1 ] || fail "no layout takes other cycles"
refused layout=here "no such value 'layout=here'"
rm -rf "$dir"
