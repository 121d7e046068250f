#!/bin/sh
# unused_test.sh - every function that a header offers has a caller: a program,
# another file of a library, or a test. What nobody calls is deleted, what only
# its own file calls is static.
set -eu

# Stencils (sim/core/fast) are copied, not called.
files=$(tests/setup/sources c lib isa pmu sim tools | grep -v /stencils)
objects=$(for f in $files; do echo "$BUILD/obj/${f%.c}.o"; done)
for o in $objects; do
    [ -e "$o" ] || { echo "$o is not there: run make tests"; exit 1; }
done

# Functions that one object defines and no other refers to.
nm -A $objects | awk '
{
    name = $NF
    kind = $(NF - 1)
    if (kind == "T")
        home[name] = $1
    else if (kind == "U")
        called[name] = 1
}
END {
    for (name in home)
        if (!(name in called) && name != "main") {
            sub(/:.*/, "", home[name])
            print name, home[name]
        }
}' | sort >"$TMPDIR/alone"

bad=0
while read -r name object; do
    grep -rqw --include='*.c' "$name" tests && continue
    # A handler's name in calls.def is a caller in its own file.
    grep -qw "${name#call_}" sim/user/calls/calls.def && continue
    echo "$name: nothing outside of ${object#"$BUILD"/obj/} calls it: delete it, or make it static"
    bad=$((bad + 1))
done <"$TMPDIR/alone"
echo "$(wc -w <<E
$objects
E
) objects, $(wc -l <"$TMPDIR/alone") functions that no other object calls, $bad of them no test either"
[ $bad = 0 ]
