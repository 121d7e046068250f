# storms.sh - sourced: storms of threads, processes and faults where memory is short.
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
powerpc-linux-gnu-gcc -O1 -w -static -pthread -o "$dir/storms" tests/guest/prog/storms.c ||
    fail "storms.c does not compile"

# What becomes of each: a program that wants more memory than there is is killed, with
# a line; what the system refuses is an error, and the program says 1.
much="memory: signal 9
threads: status 1
wide threads: signal 9
forks: status 1
pipes: status 1"
rest="disk: status 1
overflow: signal 9
wild: status 1
signals: status 1
"

# storms CPUS [all]: no process is killed but those, and no page is lost.
storms() {
    line="memory=768K swap=2M"
    status=0
    "$simrun" -q --mode=fast --cpus="$1" --disk=8M --append "$line" \
        --program "$dir/storms" "$guest" -- ${2:-few} </dev/null >"$out" 2>"$dir/err" || status=$?
    is "status" "$status $(cat "$dir/err")" "0 "
    is "$1 CPUs" "$(grep '^[a-z, ]*: [sn]\|^alive$\|lost$' "$out")" "$much
${2:+$rest}$much
alive"
    killed=4
    [ $# -lt 2 ] || killed=5
    is "killed for memory" "$(grep -c "killed, since memory is exhausted" "$out")" "$killed"
}
