# oracle.awk - the rows of an oracle.rec (include/record.def), read by another hand
# than simprof's. Input: od -An -v -t u1 -w1 -j 32 FILE. Output, a line a row:
# cpu, context, end of the interval, pc, reason, twelfths.
function word(at) {
    return b[at] + 256 * (b[at + 1] + 256 * (b[at + 2] + 256 * b[at + 3]))
}
function number(  n, scale) {
    for (scale = 1; b[p] >= 128; scale *= 128)
        n += (b[p++] - 128) * scale
    return n + b[p++] * scale
}
function row(pc, reason, twelfths) {
    printf "%d %.0f %.0f %.0f %d %.0f\n", b[at + 3], word(at + 4), \
        word(at + 8) + 4294967296 * word(at + 12), pc, reason, twelfths
}
{ b[NR - 1] = $1 }
END {
    for (at = 0; at < NR; at += size) {
        size = word(at) % 65536
        if (size == 32) {
            row(word(at + 16), b[at + 23], \
                word(at + 24) * 4294967296 + word(at + 28))
            continue
        }
        pc = word(at + 20)
        p = at + 24
        for (n = word(at + 16); n; n--) {
            first = b[p++]
            ahead = int(first / 32)
            pc += 4 * (ahead == 7 ? number() : ahead)
            row(pc, first % 32, number())
        }
    }
}
