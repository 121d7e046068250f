#!/bin/sh
# mistakes_test.sh - what a newcomer mistypes is refused at once with a line
# or two on standard error that name the mistake, nothing on standard output,
# status 2 for a wrong command line and 125 for what simrun could not do.
# timeout: 180
set -u
guest=$BUILD/guest.elf
cd "$(mktemp -d)" || exit 1
bad=0
count=0

# status, a word that the message must have, command...
refused() {
    want=$1
    word=$2
    shift 2
    count=$((count + 1))
    timeout 20 "$@" >out 2>err </dev/null
    status=$?
    why=
    [ $status -eq "$want" ] || why="status $status, not $want"
    grep -qi -- "$word" err || why="$why; no word of '$word'"
    [ ! -s out ] || why="$why; printed on standard output"
    [ "$(wc -l <err)" -le 3 ] || why="$why; $(wc -l <err) lines"
    if [ -n "$why" ]; then
        echo "$(basename "$1") $(shift; echo "$*"): $why"
        sed 's/^/    /' err out | head -n 5
        bad=$((bad + 1))
    fi
}

simrun=$BUILD/simrun
refused 2 usage "$simrun"
refused 2 nonsense "$simrun" --nonsense "$guest"
refused 2 cpus "$simrun" --cpus=0 "$guest"
refused 2 cpus "$simrun" --cpus=9 "$guest"
refused 2 cpus "$simrun" --cpus=two "$guest"
refused 2 cpus "$simrun" --cpus "$guest"
refused 2 cpus "$simrun" --cpus= "$guest"
refused 2 cpus "$simrun" --cpus=4x "$guest"
refused 2 mem "$simrun" --mem=0 "$guest"
refused 2 mem "$simrun" --mem=lots "$guest"
refused 2 mem "$simrun" --mem=-1 "$guest"
refused 2 mem "$simrun" --mem=99999999999999999999 "$guest"
refused 2 mode "$simrun" --mode=slow "$guest"
refused 2 mode "$simrun" --mode= "$guest"
refused 2 colour "$simrun" --set colour=1 "$guest"
refused 2 dcache_kb "$simrun" --set dcache_kb=0 "$guest"
refused 2 dcache_kb "$simrun" --set dcache_kb=9999 "$guest"
refused 2 dcache_kb "$simrun" --set dcache_kb "$guest"
refused 2 dcache_kb "$simrun" --set dcache_kb= "$guest"
refused 2 dcache_kb "$simrun" --set dcache_kb=32k "$guest"
refused 2 dcache_kb "$simrun" --set dcache_kb=33 "$guest"
refused 2 bht_entries "$simrun" --set bht_entries=500 "$guest"
refused 2 append "$simrun" "$guest" --append
refused 2 set "$simrun" "$guest" --set
refused 2 other.elf "$simrun" "$guest" other.elf
# Wrong for any program, and only for this one.
refused 2 fnc "$simrun" --mark fnc:main "$guest"
refused 2 action "$simrun" --mark func:kernel_main=cuont "$guest"
refused 2 empty "$simrun" --range 0x20..0x10 "$guest"
refused 2 port "$simrun" --gdb=here "$guest"
refused 2 log-from "$simrun" --log=exec --log-from=12x "$guest"
refused 125 symbol "$simrun" --mark func:nosuch "$guest"
refused 125 symbol "$simrun" --range nosuch "$guest"
refused 125 symbol "$simrun" -e 'X = dcache_miss and pc in nosuch' "$guest"
refused 125 symbol "$simrun" --log=exec --log-from=nosuch "$guest"
refused 125 symbol "$simrun" --probe=nosuch "$guest"
simmark=$BUILD/simmark
refused 2 fnc "$simmark" add "$guest" fnc:main -o marked
refused 125 symbol "$simmark" add "$guest" func:nosuch -o marked

printf 'int main(void) { return 0; }\n' >host.c
${CC:-gcc} -o host host.c
: >empty
head -c 40 "$guest" >short
head -c 3000 "$guest" >cut
echo 'hello, I am text' >text
mkdir directory
cp "$guest" secret && chmod 0 secret
refused 125 nowhere.elf "$simrun" nowhere.elf
refused 125 empty "$simrun" empty
refused 125 short "$simrun" short
refused 125 cut "$simrun" cut
refused 125 text "$simrun" text
refused 125 directory "$simrun" directory
refused 125 host "$simrun" host
[ "$(id -u)" -eq 0 ] || refused 125 secret "$simrun" secret
printf "int _start(void) { return 0; }\n" >high.c
powerpc-linux-gnu-gcc -ffreestanding -nostdlib -static -o high.elf high.c
refused 125 mem "$simrun" --mem=255 high.elf

mkdir taken.exp
refused 125 taken.exp "$simrun" --pmu-trace=taken.exp "$guest"
refused 125 no/such/place "$simrun" --pmu-trace=no/such/place.exp "$guest"
if ls -d ./*.exp no 2>/dev/null | grep -qv '^./taken.exp$'; then
    echo "something was left behind: $(ls)"
    bad=$((bad + 1))
fi

simprof=$BUILD/simprof
refused 2 report "$simprof"
refused 2 idel "$simprof" idel taken.exp
refused 2 experiment "$simprof" idle
refused 2 nonsense "$simprof" idle --nonsense taken.exp
refused 125 nowhere.exp "$simprof" idle nowhere.exp
refused 125 nowhere.exp "$simprof" info nowhere.exp
refused 125 nowhere.exp "$simprof" functions nowhere.exp
refused 125 taken.exp "$simprof" idle taken.exp
refused 125 text "$simprof" info text

# Asking for help is no mistake: standard output, status 0.
for command in "$simrun --help" "$simprof --help" "$simrun --version"; do
    count=$((count + 1))
    if ! $command >out 2>err </dev/null || [ ! -s out ] || [ -s err ]; then
        echo "$command: status $?, $(wc -l <out) lines, errors: $(cat err)"
        bad=$((bad + 1))
    fi
done

# A word that the guest does not know: it says which words it knows.
count=$((count + 1))
timeout 60 "$simrun" --cpus=1 --append "work=txm" "$guest" >out 2>err \
    </dev/null
status=$?
if [ $status -eq 0 ] || ! grep -q txm out || ! grep -q prodcons out; then
    echo "work=txm: status $status"
    sed 's/^/    /' out err | head -n 5
    bad=$((bad + 1))
fi
count=$((count + 1))
timeout 60 "$simrun" --cpus=1 --append "wrok=txn" "$guest" >out 2>err \
    </dev/null
status=$?
if [ $status -eq 0 ] || ! grep -q wrok out || ! grep -q sampler out; then
    echo "wrok=txn: status $status"
    sed 's/^/    /' out err | head -n 5
    bad=$((bad + 1))
fi
echo "$count mistakes, $bad badly received"
[ "$bad" -eq 0 ]
