#!/bin/sh
# view_test.sh - simrun --view: a script speaks the protocol of docs/view.md over the
# socket. The run stands still where it is told to, exactly, and its console, status and
# experiment are those of the run alone, byte for byte, with and without the memo. What
# is nonsense is answered, a viewer that goes away is survived, and simview follows.
# timeout: 300
set -u
command -v perl >/dev/null || { echo "no perl"; exit 77; }
dir=$(mktemp -d)
fail() {
    echo "$*"
    exit 1
}
# A child that says each line of its standard input once the answer to the
# one before has come ("stopped", "error", "ended" or, after what begins with !, nothing
# is waited for), and writes down all that it hears. Sleeps for "sleep MS".
cat >"$dir/viewer.pl" <<'EOF'
use strict; use warnings; use IO::Socket::UNIX;
$SIG{PIPE} = 'IGNORE';
my ($path, $out) = @ARGV;
my $s;
for (1 .. 600) { $s = IO::Socket::UNIX->new(Type => SOCK_STREAM, Peer => $path) and last; select undef, undef, undef, .1 }
$s or die "no socket $path";
open my $o, '>', $out or die $out;
sub hear { while (my $l = <$s>) { print $o $l unless $l =~ /^at /; $l =~ /^(stopped|error|ended)/ and return 1 } 0 }
hear() or die "no greeting";
while (my $l = <STDIN>) {
    chomp $l;
    if ($l =~ /^sleep (\d+)/) { select undef, undef, undef, $1 / 1000; next }
    if ($l eq 'bye') { close $s; exit 0 }
    print $o "> $l\n" if length $l < 100;
    my $wait = $l !~ s/^!//;
    print $s "$l\n";
    $s->flush;
    $wait and (hear() or last);
}
1 while hear();
EOF
arguments="work=txn n=2 states=on"
run() { # name, options; what the viewer says is in $dir/say
    name=$1
    shift
    perl "$dir/viewer.pl" "$dir/socket" "$dir/$name.heard" <"$dir/say" 2>"$dir/$name.perl" &
    viewer=$!
    "$BUILD/simrun" -q --cpus=2 --switch-stacks -e cycles:5000 --append "$arguments" --pmu-trace="$dir/$name.exp" \
        --view=unix:"$dir/socket" "$@" "$BUILD/guest.elf" >"$dir/$name.out" 2>"$dir/$name.err" </dev/null
    status=$?
    wait $viewer || fail "$name: the viewer: $(cat "$dir/$name.perl")"
}
same() { # name: as the run alone
    cmp -s "$dir/$1.out" "$dir/alone.out" || fail "$1: the console is another one"
    diff -r "$dir/$1.exp" "$dir/alone.exp" >"$dir/diff" || fail "$1: $(head -n 5 "$dir/diff")"
}
"$BUILD/simrun" -q --cpus=2 --switch-stacks -e cycles:5000 --append "$arguments" --pmu-trace="$dir/alone.exp" \
    "$BUILD/guest.elf" >"$dir/alone.out" 2>"$dir/err" || fail "$(cat "$dir/err")"

# ---- where it stands still ---------------------------------------------------
words() {
    cat <<'EOF'
where
step
step 1000
to 5000
to cycle:100000
step 3
to sched
to sched
to cycle:400000
pause
where
EOF
}
(words; echo run) >"$dir/say"
run one
[ $status -eq 0 ] || fail "status $status: $(cat "$dir/one.err")"
same one
cut -c 1-40 "$dir/one.heard" | sed -n 1p | grep -qx 'simrun-view 1 2' || fail "greeting: $(head -n 1 "$dir/one.heard")"
sed -n 2p "$dir/one.heard" | grep -q "^experiment /.*/one.exp$" || fail "experiment: $(sed -n 2p "$dir/one.heard")"
awk '$1 == ">" { asked = substr($0, 3) } $1 == "next" { pc = $3; cpu = $2 } $1 == "cpu" { place[$2] = $7 }
    $1 == "stopped" { print asked ":", $2, $3, cpu, pc, place[cpu] }' "$dir/one.heard" >"$dir/stops"
at() { sed -n "$1p" "$dir/stops" | sed 's/.*: //'; } # CYCLE INSNS CPU PC PLACE
[ "$(at 1 | cut -d ' ' -f 2)" = 0 ] || fail "it does not begin at 0: $(at 1)"
[ "$(at 3 | cut -d ' ' -f 2)" -eq 1 ] || fail "a step: $(at 3)"
[ "$(at 4 | cut -d ' ' -f 2)" -eq 1001 ] || fail "1000 steps: $(at 4)"
[ "$(at 5 | cut -d ' ' -f 2)" -eq 5000 ] || fail "to 5000: $(at 5)"
[ "$(at 6 | cut -d ' ' -f 1)" -ge 100000 ] && [ "$(at 6 | cut -d ' ' -f 1)" -lt 100400 ] || fail "to cycle:100000: $(at 6)"
[ $(($(at 7 | cut -d ' ' -f 2) - $(at 6 | cut -d ' ' -f 2))) -eq 3 ] || fail "3 steps: $(at 6), then $(at 7)"
[ "$(at 8 | cut -d ' ' -f 5)" = sched ] && [ "$(at 9 | cut -d ' ' -f 5)" = sched ] || fail "to sched: $(at 8), $(at 9)"
[ "$(at 8 | cut -d ' ' -f 2)" -lt "$(at 9 | cut -d ' ' -f 2)" ] || fail "the same sched twice: $(at 8), $(at 9)"
tail -n 1 "$dir/one.heard" | grep -q "^ended 0 $(sed -n 's/^end //p' "$dir/alone.exp/log") " ||
    fail "the end: $(tail -n 1 "$dir/one.heard")"
# The execution log has the same instruction at that place.
"$BUILD/simrun" -q --cpus=2 --append "$arguments" --log=exec:"$dir/exec" --log-from=5000 --log-to=5001 "$BUILD/guest.elf" >/dev/null
[ "$(head -n 1 "$dir/exec" | awk '{ print $1, $4 }')" = "$(at 5 | cut -d ' ' -f 3,4)" ] ||
    fail "to 5000 is $(at 5), the log has $(head -n 1 "$dir/exec")"
# The stages' time is the memo's, whatever stops it.
run off --memo=off
same off
sed -n '/^stopped/p' "$dir/one.heard" >"$dir/a"
sed -n '/^stopped/p' "$dir/off.heard" | cmp -s - "$dir/a" || fail "--memo=off stops elsewhere"

# ---- while it runs -----------------------------------------------------------
printf '!run\npause\n!run\npause\nstep 5\nrun\n' >"$dir/say"
run pauses
same pauses
awk '/^stopped/ { if (n++ && $2 > at + 40000) bad = 1; at = $2 } END { exit bad || n != 4 }' "$dir/pauses.heard" ||
    fail "pauses: $(grep stopped "$dir/pauses.heard")"

# ---- nonsense, and viewers that go away --------------------------------------
(
    printf 'hello\nstep 0\nstep x\nto\nto nowhere_at_all\nto cycle:x\nstep 10\nto 3\nrun fast\n\n'
    perl -e 'print "x" x 100000, "\n"'
    perl -e 'print join("", map chr, 1 .. 9, 11 .. 255), "\n"'
    printf 'run\n'
) >"$dir/say"
run nonsense
same nonsense
[ "$(grep -c '^error' "$dir/nonsense.heard")" -eq 11 ] || fail "$(grep '^error' "$dir/nonsense.heard")"
grep -q '^error to=nowhere_at_all: give a number' "$dir/nonsense.heard" || fail "no reason: $(grep ^error "$dir/nonsense.heard")"
grep -q '^error to 3: that is past' "$dir/nonsense.heard" || fail "what is past"
echo bye >"$dir/say"
run gone
same gone
printf '!run\nsleep 50\nbye\n' >"$dir/say"
run later
same later
printf 'to cycle:200000\nquit\n' >"$dir/say"
run quits
[ $status -eq 137 ] || fail "quit: status $status"
[ ! -e "$dir/socket" ] || fail "the socket is left"

# ---- what raises an exception is no step, and input is waited for ------------
if command -v powerpc-linux-gnu-gcc >/dev/null; then
    # Without floating point `fmr` is never done, and its handler goes back to it.
    powerpc-linux-gnu-gcc -I . -O2 -ffreestanding -nostdlib -static -o "$dir/fault" tests/sim/fault.c || fail "gcc"
    printf 'step 36\nstep 6\nstep\nstep 10\nstep 1000\nquit\n' >"$dir/say"
    perl "$dir/viewer.pl" "$dir/socket" "$dir/fault.heard" <"$dir/say" &
    viewer=$!
    "$BUILD/simrun" -q --cpus=1 --append h --max-cycles=100000 --pmu-trace="$dir/fault.exp" \
        --view=unix:"$dir/socket" "$dir/fault" >/dev/null 2>&1
    wait $viewer || fail "fault: the viewer"
    [ "$(awk '$1 == "stopped" { printf "%s ", $3 }' "$dir/fault.heard")" = "0 36 42 43 53 1053 " ] ||
        fail "steps over exceptions: $(cat "$dir/fault.heard")"
    [ "$(grep -c '^next 0 .*' "$dir/fault.heard")" -eq 5 ] || fail "$(cat "$dir/fault.heard")"
    echo '#include <stdio.h>
        int main(void) { return getchar() == 65 ? 7 : 8; }' >"$dir/waits.c"
    powerpc-linux-gnu-gcc -O2 -static -o "$dir/waits" "$dir/waits.c" || fail "gcc"
    printf '!run\nsleep 1500\npause\nrun\n' >"$dir/say"
    perl "$dir/viewer.pl" "$dir/socket" "$dir/waits.heard" <"$dir/say" &
    viewer=$!
    (sleep 4; echo A) | "$BUILD/simrun" -q --cpus=1 --pmu-trace="$dir/waits.exp" --view=unix:"$dir/socket" \
        --user "$dir/waits" >"$dir/waits.out" 2>&1
    status=$?
    wait $viewer || fail "waits: the viewer"
    [ $status -eq 7 ] || fail "waits: $status: $(cat "$dir/waits.out")"
    [ "$(grep -c '^stopped' "$dir/waits.heard")" -eq 2 ] || fail "waits: $(cat "$dir/waits.heard")"
fi

# ---- simview -----------------------------------------------------------------
if [ -x "$BUILD/simview" ]; then
    "$BUILD/simrun" -q --cpus=2 --switch-stacks -e cycles:5000 --append "$arguments" --pmu-trace="$dir/seen.exp" \
        --view=unix:"$dir/socket" "$BUILD/guest.elf" >"$dir/seen.out" 2>"$dir/seen.err" &
    run=$!
    for i in 1 2 3 4 5 6 7 8 9 10; do
        [ -S "$dir/socket" ] && break
        sleep 0.5
    done
    "$BUILD/simview" --follow=unix:"$dir/socket" --text >"$dir/text" 2>"$dir/err" || fail "simview: $(cat "$dir/err")"
    grep -q 'paused at cycle 0' "$dir/text" || fail "simview: $(cat "$dir/text")"
    wait $run || fail "followed by simview: $(cat "$dir/seen.err")"
    same seen
    "$BUILD/simview" --follow=unix:"$dir/socket" --text >/dev/null 2>"$dir/err"
    [ $? -eq 125 ] && grep -q 'follow=unix:' "$dir/err" || fail "nothing to follow: $(cat "$dir/err")"
    "$BUILD/simview" --follow=there --text >/dev/null 2>"$dir/err"
    [ $? -eq 125 ] && grep -q 'give unix:PATH' "$dir/err" || fail "--follow=there: $(cat "$dir/err")"
fi

# ---- refusals ----------------------------------------------------------------
refused() { # status, words, then options
    status=$1 words=$2
    shift 2
    "$BUILD/simrun" --pmu-trace="$dir/no.exp" "$@" "$BUILD/guest.elf" >/dev/null 2>"$dir/err"
    [ $? -eq "$status" ] || fail "$*: not $status: $(cat "$dir/err")"
    grep -q -- "$words" "$dir/err" && [ "$(wc -l <"$dir/err")" -eq 1 ] || fail "$*: $(cat "$dir/err")"
    [ ! -e "$dir/no.exp" ] || fail "$*: an experiment is left"
}
refused 2 "give unix:PATH" --view=there
refused 2 "give unix:PATH" --view=unix:
refused 2 "give unix:PATH" --view=unix:"$(printf '%0200d' 1)"
refused 2 "not together with --gdb" --view=unix:"$dir/s" --gdb=0
refused 2 "not together with --autoprofile" --view=unix:"$dir/s" --autoprofile=scan
refused 125 "cannot listen" --view=unix:"$dir/nowhere/s"
