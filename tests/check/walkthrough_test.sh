#!/bin/sh
# walkthrough_test.sh - the changes that docs/pif.md walks a newcomer through,
# a new event and a new kind of mark, fit the tree as it is, are as long as
# the text says, and are no more than 30 lines together.
set -u
. tests/check/walkthrough.sh
bad=0
complain() {
    echo "$*"
    bad=1
}
extract_walkthrough "$TMPDIR/diff" || complain "no changes in docs/pif.md"
mkdir "$TMPDIR/tree"
sed -n 's,^--- a/,,p' "$TMPDIR/diff" | while read -r file; do
    mkdir -p "$TMPDIR/tree/$(dirname "$file")"
    cp "$file" "$TMPDIR/tree/$file"
done
apply_walkthrough "$TMPDIR/diff" "$TMPDIR/tree" || complain "it does not fit"
added=$(grep -c '^+' "$TMPDIR/diff")
added=$((added - $(grep -c '^+++ ' "$TMPDIR/diff")))
said=$(sed -n 's/.* files, \([0-9]*\) lines:$/\1/p' docs/pif.md |
    awk '{ n += $1 } END { print n }')
[ "$added" -eq "${said:-0}" ] ||
    complain "the text says $said lines, the changes have $added"
[ "$added" -le 30 ] || complain "$added lines are more than 30"
# What it calls is there.
for name in $(grep '^+ ' "$TMPDIR/diff" | grep -oE '\<[a-z]+(_[a-z]+)+\(' | sort -u); do
    grep -rqF "$name" --include='*.[ch]' isa lib pmu sim || complain "there is no $name)"
done
exit $bad
