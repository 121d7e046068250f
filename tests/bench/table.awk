# table.awk - the table of `make bench`, from its runs: program, what was run,
# units of length, instructions (of qemu-ppc 0, as it does not count), CPU
# milliseconds.
{
    key = $1 SUBSEP $2
    if (!($1 in named)) {
        named[$1] = 1
        program[++programs] = $1
    }
    units[key, ++runs[key]] = $3
    ms[key, runs[key]] = $5
    if (!$4)
        next
    insns[key, runs[key]] = $4
    if (!(($1, 1) in known)) { # two lengths: what any other length executes
        known[$1, 1] = $3
        count[$1, 1] = $4
    } else if ($3 != known[$1, 1]) {
        known[$1, 2] = $3
        count[$1, 2] = $4
    }
}

function executed(name, n,   slope) {
    if (!((name, 2) in known))
        return count[name, 1] * n / known[name, 1]
    slope = (count[name, 2] - count[name, 1]) / (known[name, 2] - known[name, 1])
    return count[name, 1] + slope * (n - known[name, 1])
}

# The median of v[1] to v[n].
function median(v, n,   i, j, x) {
    for (i = 2; i <= n; i++) {
        x = v[i]
        for (j = i - 1; j > 0 && v[j] > x; j--)
            v[j + 1] = v[j]
        v[j + 1] = x
    }
    return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
}

# Million instructions a second; runs that only fixed a length do not count.
function rate(name, what,   key, k, n, v, most) {
    key = name SUBSEP what
    for (k = 1; k <= runs[key]; k++)
        if (units[key, k] > most)
            most = units[key, k]
    for (k = 1; k <= runs[key]; k++)
        if (units[key, k] == most)
            v[++n] = (what == "qemu" ? executed(name, most) \
                                     : insns[key, k]) / ms[key, k] / 1000
    return n ? median(v, n) : 0
}

function row(name,   k, r, q) {
    q = rate(name, "qemu")
    printf "%-16s", name
    if (q)
        printf "%8.0f", q
    else
        printf "%8s", "-"
    for (k = 1; k <= modes; k++) {
        r = rate(name, mode[k])
        if (!r) {
            printf "%16s", "-"
            continue
        }
        printf "%9.1f ", r
        if (q) {
            printf "%6.4f", r / q
            ratios[k]++
            logs[k] += log(r / q)
        } else
            printf "%6s", "-"
    }
    print ""
}

# What it costs to look, beside plain detailed: a geometric mean.
function beside(what, words,   i, n, sum, a, b) {
    for (i = 1; i <= programs; i++) {
        a = rate(program[i], what)
        b = rate(program[i], "detailed")
        if (a && b) {
            n++
            sum += log(a / b)
        }
    }
    if (n)
        printf "%-60s %5.2f\n", words, exp(sum / n)
}

END {
    modes = split("detailed traced warm fast", mode, " ")
    printf "Million instructions a second of CPU time, and the ratio to qemu-ppc;\n"
    printf "one CPU, --user, median of %d rounds, %s s a run.\n", rounds, seconds
    printf "traced: detailed with --pmu-trace -e cycles:10000\n\n"
    printf "%-16s%8s", "", "qemu-ppc"
    for (k = 1; k <= modes; k++)
        printf "%16s", mode[k]
    print ""
    for (i = 1; i <= programs; i++)
        if (program[i] !~ /^guest/)
            row(program[i])
    printf "%-24s", "geometric mean"
    for (k = 1; k <= modes; k++)
        if (ratios[k])
            printf "%16.4f", exp(logs[k] / ratios[k])
        else
            printf "%16s", "-"
    print "\n"
    print "Beside plain detailed; all but the first of some kernels only:"
    beside("traced", "-e cycles:10000")
    beside("counted", "-e dcache_miss -e br_mispredict")
    beside("samples", "-e cycles:1000")
    beside("marks", "--mark=addr:bench_step, one instruction in about a hundred")
    beside("function", "--mark=func:bench_step, most instructions")
    beside("ranges", "--range=bench_step, most instructions")
    beside("data", "--mark=data:bench_steps, hardly any access")
    beside("sampled", "--sample-insns=1000")
    beside("probed", "--probe=bench_step")
    beside("logged", "--log=exec:FILE")
    print ""
    printf "%-44s%9s%9s\n", "guest OS, workload txn, detailed, all CPUs", \
        "million/s", base ? "/ BASE" : ""
    for (i = 1; i <= programs; i++)
        if (program[i] ~ /^guest/) {
            r = rate(program[i], "guest")
            printf "%-44s%9.1f", "CPUs " substr(program[i], 6), r
            if (base)
                printf "%9.2f", r / rate(program[i], "base")
            print ""
        }
}
