#!/bin/sh
# view_test.sh - simview without a screen: pictures of every panel, the same bytes
# twice; the rows it shows are those of the command in its last line, for the whole
# run and for intervals; the first screen says what simprof html says; what is asked
# for wrongly is refused in one line.
# timeout: 240
set -u
command -v jq >/dev/null || { echo "no jq"; exit 77; }
dir=$(mktemp -d)
view=$BUILD/simview
fail() {
    echo "$*"
    exit 1
}
"$BUILD/simrun" -q --cpus=4 --switch-stacks -e cycles:20000 --pmu-trace="$dir/x.exp" \
    --append "work=txn n=20 states=on" "$BUILD/guest.elf" >"$dir/out" 2>&1 ||
    fail "$(cat "$dir/out")"

# ---- pictures --------------------------------------------------------------
big_endian() { od -An -tu1 -j"$1" -N4 "$2" | awk '{ print (($1 * 256 + $2) * 256 + $3) * 256 + $4 }'; }
for panel in overview time calls functions causes locks source truth; do
    for n in 1 2; do
        "$view" --panel=$panel --size=640x480 --png="$dir/$panel.$n" "$dir/x.exp" \
            >"$dir/out" 2>&1 || fail "$panel: $(cat "$dir/out")"
        [ ! -s "$dir/out" ] || fail "$panel says: $(cat "$dir/out")"
    done
    cmp -s "$dir/$panel.1" "$dir/$panel.2" || fail "$panel: two pictures"
    [ "$(head -c 4 "$dir/$panel.1" | tail -c 3)" = PNG ] || fail "$panel: no PNG"
    [ "$(big_endian 16 "$dir/$panel.1") $(big_endian 20 "$dir/$panel.1")" = "640 480" ] ||
        fail "$panel: its size"
    ! cmp -s "$dir/$panel.1" "${before:-/dev/null}" || fail "$panel looks like the one before"
    before=$dir/$panel.1
done
"$view" --dark --png="$dir/dark" --size=640x480 --panel=source "$dir/x.exp" || fail "dark"
! cmp -s "$dir/dark" "$dir/source.1" || fail "dark is light"

# ---- rows ------------------------------------------------------------------
# A table shows text first, numbers with commas, and says its command below.
rows() { # panel, options
    panel=$1
    shift
    "$view" --panel="$panel" --text --size=2400x4000 --scale=1 "$@" "$dir/x.exp" >"$dir/text" ||
        fail "$panel $*"
    command=$(tail -n 1 "$dir/text" | cut -f 1)
    $BUILD/$command --json 2>/dev/null >"$dir/json" || fail "$command"
    jq -r '(.[0] // {} | to_entries | map(.key) - ["twelfths"]) as $keys | . as $all |
        ($keys | map(select(. as $k | $all | any(.[$k] | type == "string")))) as $texts |
        ($keys - $texts | map(select(. as $k | $all | any(.[$k] != null)))) as $numbers |
        ($texts + ($numbers | map(select(. == "path_percent"))) + ($numbers - ["path_percent"])) as $order |
        ($order | map(gsub("_"; " "))), (.[] as $row | $order | map($row[.] // "" | tostring)) |
        join("\t")' "$dir/json" >"$dir/want"
    sed '1,2d;$d' "$dir/text" | sed 's/\([0-9]\),/\1/g; s/\.0\(\t\|$\)/\1/g; s/ ±[0-9]*//g' >"$dir/shown"
    sed 's/\([0-9]\),/\1/g' "$dir/want" | cmp -s - "$dir/shown" ||
        fail "$panel $*: not as $command: $(diff "$dir/want" "$dir/shown" | head -n 4)"
    [ "$(wc -l <"$dir/shown")" -ge 2 ] || fail "$panel $*: no rows"
}
for panel in functions causes locks; do
    rows $panel
    rows $panel --from=5ms --to=10ms
done
# What samples found beside what is, as truth has it of that interval and counter.
trusted() { # experiment, counter, options
    exp=$dir/$1 event=$2
    shift 2
    "$view" --panel=truth --metric="$event" --text --size=1920x4000 --scale=1 "$@" "$exp" >"$dir/text" || fail "truth $*"
    command=$(tail -n 1 "$dir/text" | cut -f 1)
    case $command in *" --event=$event "*) ;; *) fail "truth of $event: $command" ;; esac
    $BUILD/$command --json 2>/dev/null | jq -r '.[] | [.exact, .found, .low, .high, .inside, .function] | @tsv' |
        awk -F '\t' '{ printf "%.1f %%\t%.1f %%\t%.1f to %.1f %%\t%s%s\n", 100 * $1, 100 * $2, 100 * $3, 100 * $4,
            $5 == "0" ? "off\t" : "", $6 }' >"$dir/want"
    [ "$(wc -l <"$dir/want")" -gt 5 ] || fail "truth of $event $*: few rows"
    sed '1,/^exact/d;$d' "$dir/text" | cmp -s - "$dir/want" ||
        fail "truth of $event $*: $(sed '1,/^exact/d;$d' "$dir/text" | diff - "$dir/want" | head -n 4)"
}
trusted x.exp cycles
trusted x.exp cycles --from=3ms --to=11ms
"$BUILD/simrun" -q --cpus=1 -e cycles:5000 -e dcache_miss:50 --append "work=txn n=2" --pmu-trace="$dir/z.exp" \
    "$BUILD/guest.elf" >"$dir/out" 2>&1 || fail "$(cat "$dir/out")"
trusted z.exp dcache_miss
# Two runs: the rows of compare and diff.
"$BUILD/simrun" -q --cpus=1 --append "work=txn n=2" --pmu-trace="$dir/y.exp" \
    "$BUILD/guest.elf" >"$dir/out" 2>&1 || fail "$(cat "$dir/out")"
for panel in compare diff; do
    rows $panel "$dir/y.exp"
done
rows compare --from=1ms --to=4ms "$dir/y.exp"
# A change that samples found says what may be chance: 1.96 times the root of those
# of both runs, for samples of 20,000 cycles each.
"$BUILD/simrun" -q --cpus=4 --switch-stacks -e cycles:20000 --pmu-trace="$dir/w.exp" \
    --append "work=txn n=16 states=on" "$BUILD/guest.elf" >"$dir/out" 2>&1 || fail "$(cat "$dir/out")"
"$view" --panel=compare --text --size=2400x4000 --scale=1 "$dir/w.exp" "$dir/x.exp" |
    sed 's/\([0-9]\),/\1/g' | grep '^spin_lock' | grep -o '±[0-9]*' >"$dir/off"
"$BUILD/simprof" compare --json --base="$dir/w.exp" "$dir/x.exp" 2>/dev/null | jq -r '.[] | select(.function == "spin_lock") |
    "±\((.excl_cycles_before + .excl_cycles_after) * 20000 | sqrt * 1.96 | round)"' >"$dir/want"
cmp -s "$dir/off" "$dir/want" || fail "a change is $(cat "$dir/off"), not $(cat "$dir/want")"
seed=3
for i in 1 2 3 4 5 6; do
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    from=$((seed / 16 % 3000000))
    rows functions --from=$from --to=$((from + 400000 + seed / 64 % 800000))
done

# ---- the first screen ------------------------------------------------------
"$view" --text "$dir/x.exp" >"$dir/text" || fail "overview"
"$BUILD/simprof" html "$dir/x.exp" 2>/dev/null |
    tests/tools/page_data /dev/stdin | jq .first >"$dir/first"
said() { # a text of the first screen, from that on to its end
    jq -r "$1" "$dir/first" >"$dir/words"
    [ -s "$dir/words" ] || fail "no $1"
    while IFS= read -r words; do
        grep -qF -- "$words" "$dir/text" || fail "$1: '$words' is not shown"
    done <"$dir/words"
}
grep -qxF "$(jq -r '.before + .name + .after' "$dir/first")" "$dir/text" || fail "the sentence"
said .brings
said .why
said .badge
said .try
said '.chain | sub(" on: .*"; " on:")'
said '.parts[].words'
said '.next[] | .name, .line, .does'
# A program whose first root brings little of what another does, and one whose threads are
# bound to one CPU, which brings as much as half of the work.
for case in 2117:part_6 644:bind_here; do
    tests/causes/generate "${case%:*}" >"$dir/app.c" &&
        "${CROSS:-powerpc-linux-gnu-}gcc" -O2 -g -static -pthread -o "$dir/app" "$dir/app.c" || fail "seed $case"
    (cd "$dir" && "$BUILD/simrun" -q --mode=fast --cpus="$(sed -n 's/^ \* cpus: //p' app.c)" --root=.:/here --switch-stacks \
        -e cycles:1000 --pmu-trace="app-${case%:*}.exp" --user ./app >out 2>&1) || fail "$(cat "$dir/out")"
    "$view" --text "$dir/app-${case%:*}.exp" | sed -n 3p | grep -q "^\(With \)\?${case#*:} " ||
        fail "seed $case: $("$view" --text "$dir/app-${case%:*}.exp" | sed -n 3p)"
done
# Calls that were counted, in the window and in the page; other runs have no tab for them.
(cd "$dir" && "$BUILD/simrun" -q --root=.:/here --autoprofile=calls --pmu-trace=calls.exp --user ./app >out 2>&1) ||
    fail "$(cat "$dir/out")"
"$BUILD/simprof" calls --limit=500 --json "$dir/calls.exp" >"$dir/json"
jq -r '.[] | [.caller, .callee, .kind, .calls, .places] | @tsv' "$dir/json" >"$dir/want"
[ "$(wc -l <"$dir/want")" -gt 20 ] || fail "few calls"
"$view" --panel=counts --text --size=2400x8000 --scale=1 "$dir/calls.exp" | sed '1,3d;$d' | sed 's/\([0-9]\),/\1/g' >"$dir/shown"
cmp -s "$dir/want" "$dir/shown" || fail "calls: $(diff "$dir/want" "$dir/shown" | head -n 4)"
"$BUILD/simprof" html "$dir/calls.exp" 2>/dev/null | tests/tools/page_data /dev/stdin | jq -c '.tables.calls.rows[]' >"$dir/shown"
jq -c '.[] | [.[]]' "$dir/json" | cmp -s - "$dir/shown" || fail "calls of the page"
! "$view" --text "$dir/x.exp" | sed -n 2p | grep -q counts || fail "a tab for nothing"
# What comes next is another function's, and what brings most of that stands first.
jq -e '.name as $is | .next | length > 0 and all(.name != $is)' "$dir/first" >/dev/null ||
    fail "next: $(jq -c .next "$dir/first")"
jq -e '[.next[].does | capture("saves [a-z ]*(?<n>[0-9.]+) %").n? // "0" | tonumber] | . == (sort | reverse)' "$dir/first" \
    >/dev/null || fail "next, by gain: $(jq -c .next "$dir/first")"
# What halving the cause would bring is what predict says of the change that it names.
share=$("$BUILD/simprof" path --json "$dir/x.exp" 2>/dev/null |
    jq --slurpfile f "$dir/first" '(map(.cycles) | add) as $all | map(select(.what == "sleeps" and
        .line == $f[0].line and (.functions | startswith($f[0].name + " < ")))) |
        map(.cycles) | add | . * 1000 / $all | round / 10')
spec=$(jq -r .try "$dir/first" | sed "s/.*--what-if '\(.*\)'.*/\1/")
gain=$("$BUILD/simprof" predict --json --what-if "$spec" "$dir/x.exp" 2>/dev/null | jq '.[1].gain_percent')
[ -n "$gain" ] || fail "simprof predict: nothing of $spec"
gain=$(printf %.1f "$gain") share=$(printf %.1f "$share")
jq -r '.brings + .before + .name + .after' "$dir/first" | grep -F "It is $share % of the critical path, " |
    grep -qF " in half the time the run would be about $gain % shorter." ||
    fail "simprof path: $share %, predict: $gain %, but: $(jq -r .brings "$dir/first")"
# The CPU and the threads of the chain are drawn, each waiting for the next.
jq -r '.parts[].name' "$dir/first" >"$dir/parts"
head -n 1 "$dir/parts" | grep -q '^CPU [0-9]$' || fail "no idle CPU: $(cat "$dir/parts")"
[ "$(wc -l <"$dir/parts")" -ge 2 ] || fail "nothing behind the CPU: $(cat "$dir/parts")"
for name in $(jq -r .chain "$dir/first" | grep -oE 'worker\.[0-9]+' | sort -u); do
    grep -qx "$name" "$dir/parts" || fail "$name is no part"
    grep -q "^$name [0-9]" "$dir/text" || fail "$name is not drawn"
done
# A part of the bar that has no room for its name, five pixels a letter at least, has it
# in the key alone.
"$view" --text --size=800x600 "$dir/x.exp" | sed -n '/^CPUs are idle/,$p' | tr '\t' '\n' >"$dir/words"
sed -n '2,/ %$/p' "$dir/words" | sed '$d' | while read -r name; do
    share=$(sed -n "s/^$name \([0-9.]*\) %\$/\1/p" "$dir/words")
    awk "BEGIN { exit !(\"$share\" * 7.8 > 5 * ${#name}) }" || echo "$name has $share %"
done >"$dir/cut"
[ ! -s "$dir/cut" ] || fail "names in the bar: $(cat "$dir/cut")"
# Twice as large: the same words.
"$view" --text --size=800x600 "$dir/x.exp" >"$dir/small"
# A high one has CPUs and threads in time as well; a small one has no room.
"$view" --text --size=1920x1080 "$dir/x.exp" >"$dir/large"
grep -q 'All of it in time' "$dir/large" || fail "nothing below the candidates"
for lane in "CPU 0" "CPU 1"; do
    [ "$(sed -n '/All of it in time/,$p' "$dir/large" | cut -f 1 | grep -c "^$lane$")" -eq 1 ] || fail "no lane of $lane: $(cat "$dir/large")"
done
! grep -q 'All of it in time' "$dir/small" || fail "time where there is no room"
"$view" --text --size=1600x1200 --scale=2 "$dir/x.exp" >"$dir/large"
cut -c 1-20 "$dir/small" >"$dir/words"
cut -c 1-20 "$dir/large" | cmp -s - "$dir/words" || fail "scale: $(diff "$dir/small" "$dir/large")"
# A root in a function that several call is its caller's, with the line of the call.
if command -v powerpc-linux-gnu-gcc >/dev/null; then
    tests/causes/generate 139 >"$dir/shared.c" &&
        powerpc-linux-gnu-gcc -O2 -g -static -pthread -o "$dir/shared" "$dir/shared.c" || exit 1
    "$BUILD/simrun" -q --mode=fast --cpus=4 --switch-stacks -e cycles:1000 \
        --pmu-trace="$dir/shared.exp" --user "$dir/shared" >"$dir/out" || fail "$(cat "$dir/out")"
    "$view" --text "$dir/shared.exp" >"$dir/text" || fail "a shared root"
    part=$(sed -n 's/^With \(part_[0-9]*\) .*/\1/p' "$dir/text")
    grep -q "waits for $part, called by run, which runs compute\.\$" "$dir/text" || fail "no caller: $(cat "$dir/text")"
    number=$(awk -v part="$part(" 'index($0, part) && !/;$/ { in_it = 1 }
        in_it && /return compute/ { print NR; exit }' "$dir/shared.c")
    [ -n "$number" ] && grep -qx "$dir/shared.c:$number" "$dir/text" &&
        grep -q "^With $part (shared.c:$number) in half the time the run would be about [0-9.]* % shorter\.\$" "$dir/text" ||
        fail "$part calls compute in line $number:" "$(cat "$dir/text")"
    # One of two roots whose changes bring the same.
    tests/causes/generate 140 >"$dir/mask.c" &&
        powerpc-linux-gnu-gcc -O2 -g -static -pthread -o "$dir/mask" "$dir/mask.c" || exit 1
    (cd "$dir" && "$BUILD/simrun" -q --mode=fast --cpus=2 --switch-stacks -e cycles:1000 \
        --root .:/here --pmu-trace="$dir/mask.exp" --user ./mask) >"$dir/out" || fail "$(cat "$dir/out")"
    "$view" --text "$dir/mask.exp" |
        grep -q '^With compute (mask.c:[0-9]*) in half the time.*46\.[0-9] %\|^bind_here (mask.c:[0-9]*) keeps threads off .*46\.[0-9] %' ||
        fail "neither of two that bring the same: $("$view" --text "$dir/mask.exp" | sed -n 3p)"
    printf 'simrun-tried 1\nchange 40 100 40 1 100 6 1 1 0 func:compute+=x0.5\nchange 46 100 45 1 100 6 1 1 0 affinity:all=all\n' >"$dir/mask.exp/tried"
    "$view" --text "$dir/mask.exp" >"$dir/text" || fail "a mask"
    grep -q '^bind_here (mask.c:[0-9]*) keeps threads off idle CPUs: without that the run is 45.0 % shorter.$' "$dir/text" &&
        grep -q '	compute	(mask.c:[0-9]*) runs; half of it saves 40.0 % (tried)$' "$dir/text" || fail "a mask: $(cat "$dir/text")"
    # A root that threads come to in two ways is one.
    tests/causes/generate 133 >"$dir/ways.c" &&
        powerpc-linux-gnu-gcc -O2 -g -static -pthread -o "$dir/ways" "$dir/ways.c" || exit 1
    "$BUILD/simrun" -q --mode=fast --cpus=4 --switch-stacks -e cycles:1000 \
        --pmu-trace="$dir/ways.exp" --user "$dir/ways" >"$dir/out" || fail "$(cat "$dir/out")"
    "$BUILD/simprof" causes --json "$dir/ways.exp" 2>/dev/null |
        jq '(map(.cycles) | add) as $all | map(select(.what == "sleeps" and (.functions | startswith("part_6 < ")))) |
            (length >= 2), "\(map(.cycles) | add | . * 1000 / $all | round / 10) % of that waits for part_6"' >"$dir/want"
    grep -qx true "$dir/want" || fail "not two ways: $(cat "$dir/want")"
    "$view" --text "$dir/ways.exp" | grep -qF "; $(tail -n 1 "$dir/want" | tr -d '"')" ||
        fail "two ways to a root: $(cat "$dir/want"), $("$view" --text "$dir/ways.exp" | sed -n 3p)"
fi

# Source: a line's cycles are those of the report.
"$view" --text --panel=source --function=txn_worker --size=1200x3000 --scale=1 "$dir/x.exp" >"$dir/text"
most=$("$BUILD/simprof" source --json --function=txn_worker "$dir/x.exp" 2>/dev/null |
    jq 'map(select(.line != null)) | max_by(.excl_exact) | .excl_exact')
sed 's/\([0-9]\),/\1/g' "$dir/text" | grep -q "^$most	" || fail "source: no line of $most cycles"

# ---- the picture in README.md: what it says of the run, and how large it is
[ "$(head -c 4 docs/overview.png | tail -c 3)" = PNG ] || fail "docs/overview.png: no PNG"
[ "$(big_endian 16 docs/overview.png) $(big_endian 20 docs/overview.png)" = "800 600" ] ||
    fail "docs/overview.png: its size"
[ "$(stat -c %s docs/overview.png)" -lt 100000 ] || fail "docs/overview.png is large"
grep -q '](docs/overview.png)' README.md || fail "README.md does not show it"

# ---- colours are explained, and bars beyond the scale, however small it is --------
for wide in 400 800; do
    "$view" --panel=time --text --size=${wide}x600 "$dir/x.exp" >"$dir/text" || fail "time, $wide wide"
    tr '\t' '\n' <"$dir/text" | grep -qx complete || fail "no key of reasons, $wide wide: $(sed -n 3,5p "$dir/text")"
done
# Where they are in more lines than one no word is cut, nor are times that overlap drawn.
"$view" --panel=time --text --size=400x900 "$dir/x.exp" >"$dir/text" || fail "time, 400 wide"
sed '1,2d;/^CPU 0/,$d' "$dir/text" >"$dir/words"
[ "$(tr '\t' '\n' <"$dir/words" | grep -cxE 'system|lock|queue|barrier|timer|idle, no thread: .*no-more')" -eq 6 ] && ! grep -q 'system.*no-more' "$dir/words" ||
    fail "no key of states, 400 wide: $(cat "$dir/words")"
[ "$(sed -n '/^0.00 us/p' "$dir/text" | cut -f 1-3 | grep -c 'us.[0-9.]* ms.[0-9.]* ms$')" -eq 1 ] &&
    ! grep -q '^0.00 us.*ms.*ms.*ms' "$dir/text" || fail "times, 400 wide: $(grep '^0.00 us' "$dir/text")"
"$view" --panel=truth --text --size=1920x600 "$dir/x.exp" | grep -q 'up to [0-9.]* %; an arrow head: more' || fail "no scale of truth"

# ---- refusals --------------------------------------------------------------
refused() { # status, words, then arguments
    status=$1 words=$2
    shift 2
    SDL_VIDEODRIVER=none "$view" "$@" >"$dir/out" 2>"$dir/err"
    [ $? -eq "$status" ] || fail "$*: not $status: $(cat "$dir/err")"
    grep -q -- "$words" "$dir/err" || fail "$*: $(cat "$dir/err")"
    [ "$(wc -l <"$dir/err")" -eq 1 ] || fail "$*: $(cat "$dir/err")"
}
refused 2 "which experiment"
refused 2 "panel: must be overview, .*truth" --panel=all "$dir/x.exp"
refused 2 "size: must be" --size=20x20 "$dir/x.exp"
refused 2 "size: must be" --size=800x600x "$dir/x.exp"
refused 2 "scale: must be 1 to 4" --scale=9 "$dir/x.exp"
refused 2 "from must be below" --from=4 --to=3 --text "$dir/x.exp"
refused 2 "from=-1: the run begins at 0" --from=-1 --text "$dir/x.exp"
refused 2 "from=-2ms: the run begins" --from=-2ms --text "$dir/x.exp"
refused 2 "from=99s: the run ends at" --from=99s --text "$dir/x.exp"
refused 2 "from must be below" --to=-1 --text "$dir/x.exp"
refused 2 "size: must be" --size=" +800x600" --text "$dir/x.exp"
refused 2 "scale: must be" --scale=0x2 --text "$dir/x.exp"
for wrong in --from=-1 --from=99s --to=-1 --to=soon; do
    "$BUILD/simprof" html $wrong -o "$dir/wrong.html" "$dir/x.exp" >/dev/null 2>"$dir/err"
    [ $? -eq 2 ] && [ "$(wc -l <"$dir/err")" -eq 1 ] && [ ! -e "$dir/wrong.html" ] || fail "html $wrong: $(cat "$dir/err")"
done
refused 2 "from" --from=soon --text "$dir/x.exp"
refused 2 "metric=nonsense: not recorded here; there is cycles, blocked" --metric=nonsense --panel=calls --text "$dir/x.exp"
refused 2 "gap=x: must be a CPU and a time" --gap=x --panel=time --text "$dir/x.exp"
refused 2 "gap=9:1ms: must be a CPU" --gap=9:1ms --panel=time --text "$dir/x.exp"
refused 2 "function=nosuch: no such function" --function=nosuch --panel=source --text "$dir/x.exp"
refused 2 "no such function; did you mean txn_worker" --function=txn_workr --png="$dir/wrong.png" "$dir/x.exp"
[ ! -e "$dir/wrong.png" ] || fail "a picture of no function"
for empty in function:NAME png:FILE gap:CPU:TIME metric:NAME flame:WORDS source-path:DIR fonts:DIR bench:N; do
    refused 2 "--${empty%%:*}: needs ${empty#*:}" "--${empty%%:*}=" --text "$dir/x.exp"
done
refused 2 "source-path: must be a directory, not $dir/out" --source-path="$dir/out" --text "$dir/x.exp"
for n in 1x 0 10001 -1 " 1" 0x1; do
    refused 2 "bench: must be 1 to 10000, not $n" --bench="$n" "$dir/x.exp"
done
refused 2 "--pannel: no such option; did you mean panel?" --pannel --text "$dir/x.exp"
refused 2 "text: takes nothing behind =" --text=1 "$dir/x.exp"
refused 2 "png: needs FILE" "$dir/x.exp" --png
refused 125 "/dev/full: cannot be written: No space left" --png=/dev/full "$dir/x.exp"
refused 125 "$dir: cannot be written: Is a directory" --png="$dir" "$dir/x.exp"
refused 2 "two experiments at a time" "$dir/x.exp" "$dir/x.exp" "$dir/x.exp"
refused 2 "needs two experiments" --panel=diff "$dir/x.exp"
refused 125 "nowhere" "$dir/x.exp" "$dir/nowhere"
refused 125 "nowhere" --text "$dir/nowhere"
refused 125 "nowhere/x: cannot be written: No such file" --png="$dir/nowhere/x" "$dir/x.exp"
refused 125 "fonts-dejavu-core" --fonts="$dir" --text "$dir/x.exp"
refused 125 "no screen" "$dir/x.exp"

# ---- runs of other kinds ---------------------------------------------------
# Of one CPU, whose idle time no thread's state has the colour of: a name as in the bar.
"$BUILD/simrun" -q --cpus=1 -e cycles:5000 --append "work=txn n=4 states=on" --pmu-trace="$dir/one.exp" \
    "$BUILD/guest.elf" >"$dir/out" 2>&1 || fail "$(cat "$dir/out")"
"$view" --text "$dir/one.exp" | tr '\t' '\n' >"$dir/text"
grep -qx 'idle: lock' "$dir/text" && ! grep -q 'idle:[a-z]' "$dir/text" || fail "one CPU: $(cat "$dir/text")"
for panel in overview time calls functions causes locks source; do
    "$view" --text --panel=$panel "$dir/y.exp" >"$dir/text" || fail "plain: $panel"
done
# Nothing to mend: a loop that completes instructions, and says so.
"$BUILD/simrun" -q --append "work=busy" --pmu-trace="$dir/b.exp" "$BUILD/guest.elf" \
    >"$dir/out" 2>&1 || fail "$(cat "$dir/out")"
"$view" --text "$dir/b.exp" >"$dir/text" || fail "busy"
grep -qx "CPUs are hardly ever idle and no stall stands out: only less work would make the run shorter\." "$dir/text" &&
    grep -q "% of it in busy_unit; .* complete instructions" "$dir/text" ||
    fail "busy: $(sed -n '3,4p' "$dir/text")"
! grep -q "^>" "$dir/text" || fail "busy: a line is marked"
cp -r "$dir/x.exp" "$dir/z.exp"
for f in "$dir"/z.exp/*.rec; do head -c $(($(stat -c %s "$f") / 2)) "$f" >"$dir/half" && cp "$dir/half" "$f"; done
"$view" --text "$dir/z.exp" >"$dir/text" 2>"$dir/err"
[ $? -eq 1 ] && grep -q damage "$dir/err" || fail "half a run: $(cat "$dir/err")"
grep -q "The experiment is damaged: simprof info says where\." "$dir/text" || fail "half a run looks whole"
! "$view" --text "$dir/x.exp" | grep -qE "is damaged|come to its end" || fail "a whole run looks damaged"
for f in "$dir"/z.exp/*.rec; do : >"$f"; done
"$view" --text --panel=source "$dir/z.exp" >"$dir/text" 2>/dev/null
[ $? -eq 1 ] && grep -qx "No cycle of a function was recorded here\." "$dir/text" && ! grep -qE "no such|function= " "$dir/text" ||
    fail "source of an empty run: $(cat "$dir/text")"
# One that ended early is not shown as if it were whole.
cp -r "$dir/x.exp" "$dir/k.exp"
sed -i '/^end /d' "$dir/k.exp/log"
"$view" --text "$dir/k.exp" >"$dir/text" 2>/dev/null
grep -q "The run did not come to its end" "$dir/text" || fail "a run without end looks whole"
# Where states are recorded, and tell nothing, it does not ask for them.
"$view" --text --from=1 --to=2 "$dir/x.exp" | sed -n 3p >"$dir/text"
grep -q "the records of this interval do not say" "$dir/text" || fail "two cycles: $(cat "$dir/text")"
# Hints of keys are whole or not there.
"$view" --panel=calls --text --size=640x480 --flame=leaves,fold "$dir/x.exp" | sed -n 3p >"$dir/text"
grep -q "m: another" "$dir/text" && ! grep -qF ".." "$dir/text" || fail "cut: $(cat "$dir/text")"
rm -r "$dir"
