#!/bin/sh
# lesson_test.sh - the lesson of docs/lesson.md teaches what it says: its program
# and runs, as they stand there, give profiles that are wrong in those ways, with
# any compiler. (The figures it shows are held in tests/check/pages_all.sh.)
set -u
command -v powerpc-linux-gnu-gcc >/dev/null || {
    echo "no powerpc-linux-gnu-gcc"
    exit 77
}
doc=$PWD/docs/lesson.md
block() { # the Nth code block of a language
    awk -v lang="$1" -v want="$2" '
        $0 == "```" && inside { inside = 0; next }
        inside == 1 { print }
        $0 == "```" lang { if (++n == want) inside = 1 }' "$doc"
}
cd "$TMPDIR" || exit 1
ln -s "$BUILD" build
block c 1 >lesson.c
{ block sh 1; block sh 2; } >commands
sh -e ./commands >out 2>&1 || { cat out; exit 1; }
bad=0
complain() {
    echo "$*"
    bad=1
}

# share PROFILE EXP FUNCTION LOW HIGH, and found not above MOST
share() {
    build/simprof truth --csv --event="$1" "$2.exp" >csv
    awk -F, -v f="$3" -v low="$4" -v high="$5" -v most="$6" '
        $6 == f { n++; ok = $1 >= low && $1 <= high && $2 <= most }
        END { exit !(n == 1 && ok) }' csv ||
        complain "$1 of $2: $3 is not $4 to $5 of it, or found more than $6:" \
            "$(cat csv)"
}
share timer quiet quiet 0.4 0.8 0
share timer paced burst 0.4 0.8 0
share dcache_miss load fetch 0.99 1 0
share cycles load fetch 0.15 0.4 0.1
share marks load fetch 0.15 0.4 0.1

# wrong PROFILE EXP LOW HIGH: its share in the wrong function
wrong() {
    build/simprof truth "$2.exp" | awk -v p="$1" -v low="$3" -v high="$4" '
        $1 == p && $2 == "function" { n++; w = $4 + 0 }
        END { exit !(n == 1 && w >= low && w <= high) }' ||
        complain "$1 of $2 is not $3 to $4 percent wrong"
}
for run in quiet paced load; do
    wrong timer $run 10 100
    wrong marks $run 4 40
    wrong sampled.one $run 4 40
    wrong sampled.oldest $run 0 4
done
wrong cycles quiet 0 4
wrong cycles paced 0 4

# What was held off had to wait; marks count there as anywhere.
build/simprof interrupts --csv quiet.exp >csv
awk -F, '$NF == "_start" { ok = $(NF - 1) > 100 } END { exit !ok }' csv ||
    complain "nothing waited: $(cat csv)"
build/simprof marks --csv --limit=0 quiet.exp >csv
grep -q "^code,host,3000,.*,quiet," csv || complain "quiet is not counted: $(cat csv)"
build/simprof marks --csv --limit=0 slow.exp >csv
awk -F, '/fetch/ { n++; ok = $3 == 10000 && $4 > 9000 && $4 < 10000 }
    END { exit !(n == 1 && ok) }' csv ||
    complain "the slow loads are not as they were: $(cat csv)"
exit $bad
