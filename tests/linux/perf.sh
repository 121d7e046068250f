# perf.sh - sourced by the scripts that run perf.c, behind what has a $dir and fail.
cc=${CROSS:-powerpc-linux-gnu-}gcc
command -v "$cc" >/dev/null || { echo "no $cc"; exit 77; }
"$cc" -O1 -g -static -pthread -o "$dir/perf" tests/linux/perf.c || fail "perf.c does not compile"

# Instructions of a round of the loop that heavy() and light() are.
loop=$("${cc%gcc}objdump" -d --no-show-raw-insn --disassemble=heavy "$dir/perf" |
    awk '/^ *[0-9a-f]+:/ { at[n++] = $1; if ($2 ~ /^bdnz/) { to = $3; end = n } }
        END { for (k = 0; k < n; k++) if (at[k] == to ":") print end - k }')
[ "${loop:-0}" -gt 2 ] || fail "no loop in heavy"

# near FILE NAME WANTED: what it says of NAME is that, and up to 1 % more of what is
# around the loops.
near() {
    is=$(sed -n "s/^$2 //p" "$1")
    [ "${is:-0}" -ge "$3" ] && [ "$is" -le $(($3 + $3 / 100)) ] ||
        fail "$2: ${is:-nothing} for $3: $(cat "$1")"
}
