# stacks.awk - NAMES -: the names of addresses, "10000200 main" a line, by
# address; then interrupts of marks, as `records` of tests/guest/lib.sh has
# them. A line each: the instruction, and its stack as functions from the root.
function hex(s,    n, i) {
    for (i = 1; i <= length(s); i++)
        n = n * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
    return n
}
FILENAME != "-" { from[++n] = hex($1); name[n] = $2; next }
{
    stack = ""
    for (k = 0; k < $10; k++) {
        pc = $(11 + k) - (k ? 4 : 0) # the others are where it returns to
        for (i = n; i > 1 && from[i] > pc; i--)
            ;
        stack = name[i] (k ? " " stack : "")
    }
    printf "0x%08x %s\n", $6, stack
}
