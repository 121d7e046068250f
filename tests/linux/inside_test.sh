#!/bin/sh
# inside_test.sh - marks of a program inside a Linux kernel count in the processes
# that run it, wherever it is in each, and in no other one that has the same
# addresses, or even the same memory: a program with tasks like Linux's (inside.c).
# In all modes. And a module's functions have names. inside_all.sh has the kernel
# itself, module_all.sh its modules.
set -u
. tests/sim/lib.sh
simprof=$BUILD/simprof
mkdir "$dir/root" "$dir/empty"

# program NAME TIMES FLAG...: of the same length
program() {
    name=$1 times=$2
    shift 2
    "$cc" -nostdlib -Wl,-z,noseparate-code,--build-id "-DTIMES=$times" "$@" \
        -o "$dir/root/$name" "$beside/inside_program.S" || fail "$name does not link"
}
program marked 100 -static-pie
program other 70 -static -Wl,-Ttext-segment=0x10000000
program twin 30 -static-pie
"$cc" -c -o "$dir/module.o" "$beside/inside_module.S" || fail "no module"
tool=${cc%gcc}
# code NAME: bytes of its code; entry NAME: where that begins, in the file
code() {
    "${tool}readelf" -lW "$dir/root/$1" | awk '/^ *LOAD.*R E/ { print $5; exit }'
}
entry() {
    echo $((0x$("${tool}nm" "$dir/root/$1" | sed -n 's/ T _start$//p') & 0xFFFF))
}
"$cc" -I "$root" -O2 -ffreestanding -fno-pic -no-pie -mno-sdata -g -msoft-float \
    -nostdlib -static -Wl,-T,"$beside/kernel.ld",--build-id=none \
    "-DMARKED=\"$dir/root/marked\"" "-DMARKED_BYTES=$(code marked)" \
    "-DMARKED_ENTRY=$(entry marked)" "-DOTHER=\"$dir/root/other\"" \
    "-DOTHER_BYTES=$(code other)" "-DOTHER_ENTRY=$(entry other)" \
    "-DMODULE=\"$dir/module.o\"" -o "$dir/kernel" "$beside/start.S" "$beside/inside.c" ||
    fail "does not compile"

# go NAME OPTION...: the experiment is $dir/NAME.exp
go() {
    name=$1
    shift
    run 5 --cpus=1 --sysroot root "--pmu-trace=$dir/$name.exp" "$@" kernel
    [ -s "$dir/err" ] && fail "$name: something to say"
    "$simprof" marks --csv --limit=0 "$dir/$name.exp" >"$dir/$name.csv" ||
        fail "$name: no marks"
}
# counted NAME LINE...: kind, count and place of every mark, as these lines say
counted() {
    name=$1
    shift
    printf '%s\n' "$@" >"$dir/want"
    awk -F, 'NR > 1 { print $1, $3, $7 }' "$dir/$name.csv" >"$dir/got"
    cmp "$dir/got" "$dir/want" || fail "$name: $(cat "$dir/got")"
}
# Three processes run it, 100 calls each.
for mode in fast warm detailed stages interpreter; do
    case $mode in
    stages) options="--memo=off" ;;
    interpreter) options="--mode=fast --engine=interpreter" ;;
    *) options="--mode=$mode" ;;
    esac
    go $mode $options --mark=func:marked:work=count --mark=data:marked:cell=count
    counted $mode "code 300 work (marked)" "code 300 work (marked)+0x4" \
        "code 300 work (marked)+0x8" "data 300 cell+0"
done
# Each has its own marks, and the kernel its.
go both --mode=fast --mark=func:/marked:work=count --mark=func:other:work=count \
    --mark=func:go=count
awk -F, 'NR > 1 && !index($7, "+") { print $3, $7 }' "$dir/both.csv" | sort >"$dir/got"
printf '%s\n' "300 work (marked)" "6 go" "70 work (other)" >"$dir/want"
sort -o "$dir/want" "$dir/want"
cmp "$dir/got" "$dir/want" || fail "both: $(cat "$dir/got")"
# So have their interrupts, at the same address.
go interrupts --mode=fast --mark=addr:marked:work=interrupt \
    --mark=addr:other:work=interrupt
"$simprof" marks --csv --part=interrupts "$dir/interrupts.exp" |
    awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }
        { n[$at["place"]] += $at["interrupts"] }
        END { for (k in n) print n[k], k }' | sort >"$dir/got"
printf '%s\n' "300 work (marked)" "70 work (other)" | sort >"$dir/want"
cmp "$dir/got" "$dir/want" || fail "interrupts: $(cat "$dir/got")"
# Marked instructions are events, filtered by the same marks.
for mode in fast warm detailed; do
    go events --mode=$mode --mark=func:marked:work=pmu \
        --event 'M = insn_completed and marked' -e M
    grep -q "^count [0-9]* 0 900 " "$dir/events.exp/log" ||
        fail "events, $mode: $(grep ^count "$dir/events.exp/log")"
    rm -r "$dir/events.exp"
done
# A module's functions have names, from the file that is in memory.
for file in fast detailed; do
    "$simprof" functions --csv "$dir/$file.exp" >"$dir/out" || fail "no functions"
    for function in in_module at_start; do
        awk -F, -v f=$function '$NF == f && $1 > 300 { n++ } END { exit n != 1 }' \
            "$dir/out" || fail "$file: no $function"
    done
    awk -F, '$NF == "<Unknown>" && $1 > 40 { exit 1 }' "$dir/out" ||
        fail "$file: some of it is unknown"
done
[ -f "$dir/fast.exp/archives/own.ko."* ] || fail "no file of the module"
# Its cycles are scaled, in each of its processes and in no other program: 300 calls
# of three instructions, and 70.
# scaled MODE CYCLES SPEC: so many more are taken than without
scaled() {
    mode=$1 more=$2
    shift 2
    for what in "" "$@"; do
        run 5 --cpus=1 --sysroot root $mode --summary=json \
            ${what:+--what-if "$what"} kernel
        cycles=$(sed -n 's/.*"cycles":\([0-9]*\).*/\1/p' "$dir/out" "$dir/err" | head -n 1)
        [ "$what" ] || before=$cycles
    done
    [ $((cycles - before)) -eq "$more" ] ||
        fail "$mode, $what: $((cycles - before)) cycles more, not $more"
}
for mode in --mode=fast "--mode=fast --engine=interpreter" "--mode=fast --engine=blocks" --mode=warm; do
    scaled "$mode" 1800 func:marked:work=x3
    scaled "$mode" -450 func:/marked:work=x0.5
    scaled "$mode" 420 func:other:work+=x3
done
# Nobody runs it: that is said.
cp "$dir/root/twin" "$dir/root/never"
printf '\1' | dd of="$dir/root/never" bs=1 seek=$(($(stat -c %s "$dir/root/never"))) 2>/dev/null
go never --mode=fast --mark=func:never:work=count
"$simprof" marks "$dir/never.exp" | grep -q "^No process ran root/never: " ||
    fail "never: not said"

# One line for what there is not.
notes() {
    status=$1 text=$2
    shift 2
    run "$status" --cpus=1 "$@" kernel
    [ "$(wc -l <"$dir/err")" -le 3 ] && head -n 1 "$dir/err" | grep -q "$text" ||
        fail "not '$text'"
}
notes 125 "marked has no symbol of this name; did you mean work" \
    --sysroot root --mark=func:marked:wark
notes 125 "no program below root (--sysroot) is called nobody" \
    --sysroot root --mark=func:nobody:work
notes 125 "root/nowhere: cannot be opened" --sysroot root --mark=func:/nowhere:work
notes 125 "kernel has no symbol of this name; of a program inside" \
    --sysroot root --mark=func:work
notes 125 "of a program inside: --sysroot DIR says" --mark=func:marked:work
notes 125 "leave --set pif_carrier out" --sysroot root --set pif_carrier=1 \
    --mark=func:marked:work
notes 125 "func:marked:wark: .*marked has no such function; did you mean work" --sysroot root \
    --mode=fast --what-if func:marked:wark=x2
notes 125 "func:marked:work: of a program inside: --sysroot DIR says" \
    --mode=fast --what-if func:marked:work=x2
notes 125 "no program below root (--sysroot) is called nobody" --sysroot root \
    --mode=fast --what-if func:nobody:work=x2
mkdir "$dir/root/bin"
cp "$dir/root/twin" "$dir/root/bin/marked"
notes 125 "/bin/marked and /marked are called so" --sysroot root \
    --mark=func:marked:work
rm -rf "$dir"
