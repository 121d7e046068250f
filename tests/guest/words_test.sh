#!/bin/sh
# words_test.sh - a boot word or value that nobody knows ends the run with
# status 2 and one line that lists what is known; so does a size out of range.
set -u
. tests/guest/lib.sh

refused "wrok=txn" "work=txn|prodcons|busy|switch"
refused "txn" "sampler=both"
refused "=" "trigger=time"
refused "work=" "work=txn|prodcons"
refused "work=txn sampler=maybe" "sampler=both|to-idle|from-idle|off"
refused "trigger=time:999" "trigger=time:CYCLES (1000 or more)"
refused "trigger=time:" "trigger=time"
refused "trigger=event:no_such_event:100" "event:NAME:COUNT"
refused "trigger=event:lsu_busy:100" "event:NAME:COUNT"
refused "trigger=event:cycles:0" "event:NAME:COUNT"
refused "seed=1x" "seed=NUMBER"
refused "seed=4294967296" "seed=NUMBER"
refused "idle=doze" "idle=nap|spin"
refused "n=0" "n=SIZE"
refused "n=1000001" "n=1..1000000"
refused "threads=65" "threads=1..64"
refused "monitor=" "monitor=all"
refused "monitor=consumer" "known: worker"
refused "work=prodcons monitor=producer,worker" "known: producer consumer"
refused "dither=maybe" "dither=on|off"

# The last word of its kind holds; spaces do not matter.
boot 1 "  work=busy  n=3 n=2 "
grep -q "^busy: 2 units" "$out" || fail "n=3 n=2 is 2"
exit 0
