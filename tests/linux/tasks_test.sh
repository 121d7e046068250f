#!/bin/sh
# tasks_test.sh - the tasks of a Linux kernel as its own debugging information
# describes them: a program with a scheduler like Linux's (tasks.c), with two
# layouts of its task_struct. Names, processes, switches, and every cycle with
# the task that it belongs to, in all modes; nothing changes for the program.
# tasks_all.sh has the kernel itself.
set -u
. tests/sim/lib.sh
simprof=$BUILD/simprof

# kernel NAME FLAG...
kernel() {
    name=$1
    shift
    "$cc" -I "$root" -O2 -ffreestanding -fno-pic -no-pie -mno-sdata \
        -msoft-float -nostdlib -static \
        -Wl,-T,"$beside/kernel.ld",--build-id=none "$@" -o "$dir/$name" \
        "$beside/start.S" "$beside/tasks.c" || fail "does not compile"
}
kernel same -g
kernel other -g -DOTHER
kernel old -gdwarf-4
kernel bare
kernel strange -g -Dtgid=group

# go NAME KERNEL OPTION... : the experiment is $dir/NAME.exp
go() {
    name=$1 what=$2
    shift 2
    run 5 --cpus=1 "--pmu-trace=$dir/$name.exp" "$@" "$what"
}
# cycles NAME WHAT [OPTION...]: exclusive ones, by function or thread
cycles() {
    what=$2
    "$simprof" "$what" --csv $3 "$dir/$1.exp" >"$dir/table" ||
        fail "$1: no $what"
}

for kernel in same other old; do
    go $kernel $kernel --mode=fast
    [ -s "$dir/err" ] && grep -q "not told apart" "$dir/err" && fail "$kernel"
    "$simprof" info "$dir/$kernel.exp" | sed -n '/^Threads/,$p' |
        awk 'NR > 2 { print $1, $2, NF == 4 ? $4 : $4 "," $5 }' >"$dir/threads"
    cat >"$dir/want" <<'END'
1 1 first
1 1 replaced
7 1 second
9 9 daemon,kthread
32,768 0 idle,swapper
END
    cmp "$dir/threads" "$dir/want" || fail "$kernel: other tasks"
done

# Whatever a task runs is its own, to the last cycle: the function that only it
# calls has the same cycles with it alone as in all.
whole() {
    cycles "$1" functions "--filters=1==1"
    all=$(sed -n "s/^[0-9]*,\([0-9]*\),.*,$3\$/\1/p" "$dir/table")
    cycles "$1" functions "--filters=thread==$2"
    own=$(sed -n "s/^[0-9]*,\([0-9]*\),.*,$3\$/\1/p" "$dir/table")
    [ -n "$all" ] && [ "$all" = "$own" ] ||
        fail "$1: $3: $own cycles of $all are thread $2's"
}
for mode in fast warm detailed; do
    go $mode same --mode=$mode
    whole $mode 1 spin_first
    whole $mode 7 spin_second
    whole $mode 9 spin_kthread
    whole $mode 32768 spin_idle
    run 5 --cpus=1 --mode=$mode "--summary=json:$dir/json" same
    grep -q "\"cycles\":$(sed -n 's/^end //p' "$dir/$mode.exp/log")," \
        "$dir/json" || fail "$mode: not the same cycles without an experiment"
done
go interpreter same --mode=fast --engine=interpreter
go stages same --memo=off
go check same --memo=check
for kind in oracle switch thread; do
    cmp "$dir/fast.exp/$kind.rec" "$dir/interpreter.exp/$kind.rec" ||
        fail "$kind: the engines differ"
    cmp "$dir/detailed.exp/$kind.rec" "$dir/stages.exp/$kind.rec" ||
        fail "$kind: the memo makes a difference"
    cmp "$dir/check.exp/$kind.rec" "$dir/stages.exp/$kind.rec" ||
        fail "$kind: the memo's check makes a difference"
done

# Switches: who came, who left, and what became of him: 1 it can run, 2 it
# waits, 4 it has ended. With stacks, of him, from _switch up.
od -An -v -tu4 -j32 -w40 "$dir/fast.exp/switch.rec" |
    awk '{ print $2, $5, $7, $6, $8 }' >"$dir/switches"
cat >"$dir/want" <<'END'
1 1 32768 0 1
7 1 1 1 1
1 1 7 1 1
9 9 1 1 2
1 1 9 9 1
32768 0 1 1 4
END
cmp "$dir/switches" "$dir/want" || fail "other switches"
go stacks same --mode=fast --switch-stacks
entry=$("${cc%gcc}nm" "$dir/same" | sed -n 's/ T _switch$//p')
od -An -v -tx4 -j64 -N12 "$dir/stacks.exp/switch.rec" >"$dir/stack"
read -r left depth leaf <"$dir/stack"
[ "$left" = "$leaf" ] && [ $((0x$leaf - 0x$entry)) -eq 24 ] &&
    [ $((0x$depth)) -eq 3 ] || fail "stack: $(cat "$dir/stack")"

# A processor that waits where the kernel was loaded, without translation, is
# seen as well, and where it began is its root.
go hold same --mode=fast --cpus=2 -e cycles:1000
"$simprof" functions "--filters=cpu==1 && !truncated" --csv "$dir/hold.exp" |
    grep -q "^[0-9]*,[0-9.]*,[1-9][0-9]*,.*,__secondary_hold\$" ||
    fail "no whole stacks of a processor that is held"
"$simprof" functions "--filters=truncated" --csv "$dir/hold.exp" |
    grep -q "__secondary_hold" && fail "it has no root"

# A stack is where r1 says, also while only code has translation.
go unmapped same --mode=fast -e cycles:100
"$simprof" export --format=folded "$dir/unmapped.exp" >"$dir/out"
grep -q "second;flush_pages;spin_unmapped" "$dir/out" || fail "no stack without MSR[DR]"
grep -q "Truncated.*spin_unmapped" "$dir/out" && fail "it ends without MSR[DR]"

# Without what it needs one line says so, and the run goes on.
notes() {
    go $1 $1 --mode=fast -q
    [ -s "$dir/err" ] && fail "$1: something to say with -q"
    go $1.loud $1 --mode=fast
    grep -q "$2" "$dir/err" || fail "$1: not '$2'"
    [ "$(grep -c "not told apart" "$dir/err")" -eq 1 ] || fail "$1: not a line"
    cycles $1 threads ""
    grep -q "no thread" "$dir/table" || fail "$1: threads"
    run 5 --cpus=1 --mode=fast $1
    grep -q "not told apart" "$dir/err" && fail "$1: nobody asked"
}
notes bare "bare: .*CONFIG_DEBUG_INFO_DWARF4"
notes strange "strange: its task_struct lacks"
rm -rf "$dir"
