#!/bin/sh
# listen_test.sh - where simrun waits for a debugger: on the loopback address
# or a socket of its owner only; it leaves nothing behind, ends on a signal,
# and refuses what cannot be.
set -eu
short=$(mktemp -d /tmp/gdbXXXXXX) # a socket's name must be short
trap 'rm -rf "$short"' EXIT
cd "$(mktemp -d)"
bad() {
    echo "$1"
    exit 1
}
start() { # options of simrun; its pid in `pid`, what it says in `said`
    rm -f said # what the one before has said must not count
    "$BUILD/simrun" "$@" "$BUILD/guest.elf" >console 2>said </dev/null &
    pid=$!
    for i in $(seq 600); do
        grep -qs 'waiting for gdb' said && return
        sleep 0.05
    done
    bad "does not wait: $(cat said)"
}
interrupt() { # a shell's background commands ignore SIGINT
    kill -TERM $pid
    status=0
    wait $pid || status=$?
    [ $status -eq 143 ] || bad "SIGTERM: status $status, $(cat said)"
}
refused() { # words in the message, status, options
    words=$1
    want=$2
    shift 2
    status=0
    "$BUILD/simrun" "$@" "$BUILD/guest.elf" >out 2>&1 </dev/null || status=$?
    [ $status -eq "$want" ] || bad "$*: status $status, $(cat out)"
    grep -q -e "$words" out || bad "$*: $(cat out)"
    [ "$(wc -l <out)" -eq 1 ] || bad "$*: $(cat out)"
}

# A port: any free one, on 127.0.0.1 and nowhere else.
start --gdb=0
port=$(sed -n 's/.*target remote 127.0.0.1:\([0-9]*\)$/\1/p' said)
[ "$port" -gt 0 ]
hex=$(printf %04X "$port")
at=$(awk -v p=":$hex" '$4 == "0A" && substr($2, length($2) - 4) == p {
    print substr($2, 1, length($2) - 5) }' /proc/net/tcp /proc/net/tcp6)
[ "$at" = 0100007F ] || bad "listens at '$at'"
refused 'cannot listen' 125 --gdb="$port"
interrupt

# A socket: its owner's, and gone in the end.
start --gdb=unix:"$short/s"
[ -S "$short/s" ]
[ "$(stat -c %a "$short/s")" = 700 ] || bad "$(ls -l "$short/s")"
refused 'Address already in use' 125 --gdb=unix:"$short/s"
interrupt
[ ! -e "$short/s" ] || bad "the socket stayed"

# One that was left over is used again; a file is not.
start --gdb=unix:"$short/s"
kill -KILL $pid
wait $pid || :
[ -S "$short/s" ]
start --gdb=unix:"$short/s"
interrupt
echo precious >"$short/s"
refused 'Address already in use' 125 --gdb=unix:"$short/s"
[ "$(cat "$short/s")" = precious ]

refused 'give a port' 2 --gdb=65536
refused 'give a port' 2 --gdb=here
refused 'give a path' 2 --gdb=unix:
refused 'give a path' 2 --gdb=unix:"$(printf %0200d 0)"
refused 'cannot listen' 125 --gdb=unix:/nonexistent/socket
