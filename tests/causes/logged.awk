# logged.awk - the records of a --user run against its execution log (--log=exec), which
# knows nothing of threads or locks: awk -f logged.awk STATES WAKES LOCKS LOG, the first three
# as `records` of tests/guest/lib.sh prints them. Prints what does not agree, up to 20
# lines, and how much was compared.
#
# From the log alone: which processor executed what when, the values of r1 and r3, calls of
# functions of locks by their names, and system calls. Which thread that was say the
# records, and the log contradicts them where a thread has another one's stack.
function say(text) { if (++bad <= 20) print text }
function hex(text,    n, k) {
    for (k = 1; k <= length(text); k++)
        n = n * 16 + index("0123456789abcdef", substr(text, k, 1)) - 1
    return n
}
function called(k) {
    if (woke[k] && waker[k] != t)
        say("at " $2 " thread " t " makes a system call, not " waker[k])
    matched += woke[k]
}
# LOCK_...: of a lock, or of a semaphore; a condition signalled, a thread's end waited for.
function event(what, is_counted) {
    return what == "signals" ? 6 : what == "joins" ? 7 : is_counted ? 4 + (what == "gives") : what == "gives" ? 3 : 1
}
BEGIN {
    gives["pthread_mutex_unlock"] = gives["___pthread_mutex_unlock"] = 1
    takes["pthread_mutex_lock"] = takes["___pthread_mutex_lock"] = 1
    gives["sem_post"] = takes["sem_wait"] = takes["sem_trywait"] = 1
    both["pthread_cond_wait"] = both["___pthread_cond_wait"] = 1
    signals["pthread_cond_signal"] = signals["___pthread_cond_signal"] = 1
    signals["pthread_cond_broadcast"] = signals["___pthread_cond_broadcast"] = 1
    joins["pthread_join"] = joins["___pthread_join"] = 1
}
FNR == 1 { part++ }
part == 3 && $5 >= 8 { next } # of words that a program stores to, in no function for that
# kind cpu thread cycle state kind object owner pc stack: running is 1 to 3
part == 1 {
    t = $3
    if (open[t]) {
        k = open[t]
        to[k] = $4
        open[t] = 0
    }
    if ($5 >= 1 && $5 <= 3) {
        k = ++stays[$2]
        k = $2 " " k
        from[k] = $4; to[k] = 1e15; who[k] = t; open[t] = k
    }
    next
}
# kind cpu thread cycle by waker vector to pc stack: a thread does it in a system call
part == 2 {
    if ($5 == 1) { wakes++; waker[$2 " " $4] = $6; woke[$2 " " $4]++ }
    next
}
# kind cpu thread cycle event kind object since
part == 3 { recorded[++events] = $3 " " $5 " " $7 " " ($4 - $8) " " $4; next }
$2 !~ /^[0-9]+$/ || $5 == "enter" { next }
# cpu dispatch completion pc word instruction ... symbol registers
{
    c = $1; at = $2
    if (!(c in now)) now[c] = 1
    while (now[c] <= stays[c] && to[c " " now[c]] <= at) {
        if (!ran[c " " now[c]] && to[c " " now[c]] > from[c " " now[c]])
            empty++
        now[c]++
    }
    k = c " " now[c]
    if (now[c] > stays[c] || from[k] > at) {
        say("cpu " c " executes " $4 " at " at ", and no thread runs there")
        next
    }
    t = who[k]
    ran[k]++
    instructions++
    if (at < last[t])
        say("thread " t " is at " at " behind " last[t])
    last[t] = at
    # Has a function returned?
    for (n = 1; n <= calls[t]; n++)
        if (back[t, n] == $4 && stack[t, n] == r1[t]) {
            if ((does[t, n] != "takes" && does[t, n] != "joins") || r3[t] == "" || r3[t] == 0)
                seen[++found] = t " " event(does[t, n], counts[t, n]) " " lock[t, n] " " asked[t, n] " " at
            for (; n < calls[t]; n++) {
                back[t, n] = back[t, n + 1]; stack[t, n] = stack[t, n + 1]
                does[t, n] = does[t, n + 1]; counts[t, n] = counts[t, n + 1]; lock[t, n] = lock[t, n + 1]; asked[t, n] = asked[t, n + 1]
            }
            calls[t]--
            break
        }
    for (n = 7; n <= NF; n++)
        if ($n in gives || $n in takes || $n in both || $n in signals || $n in joins) {
            what = $n in gives ? "gives" : $n in takes ? "takes" : $n in signals ? "signals" : $n in joins ? "joins" : "both"
            # A fault of the first instruction comes back to it.
            m = calls[t]
            if (m && back[t, m] == lr[t] && stack[t, m] == r1[t] && does[t, m] == what) {
                asked[t, m] = at
                break
            }
            m = ++calls[t]
            back[t, m] = lr[t]; stack[t, m] = r1[t]; does[t, m] = what
            lock[t, m] = sprintf("%.0f", what == "both" ? r4[t] : r3[t])
            counts[t, m] = $n ~ /^sem_/
            asked[t, m] = at
            if (what == "both")
                seen[++found] = t " 3 " lock[t, m] " " at " " at
            break
        }
    # What a system call returns stands in no line if the thread goes on later.
    if ($6 == "sc") {
        r3[t] = ""
        called(c " " (at + 1))
        if ($3 != at + 1)
            called(c " " $3) # a thread is made by the end of the call
    }
    # A thread's r2 is its own. Where it changes the registers are those of another one,
    # which the log has behind the instruction that the first one stopped at.
    to_other = 0
    for (n = 8; n <= NF; n++)
        if ($n ~ /^r2=/ && $7 != "r2,")
            to_other = 1
    if (to_other) {
        k = c " " (now[c] + 1)
        next_one = who[k]
        if (now[c] + 1 > stays[c] || from[k] > $3 + 1)
            say("cpu " c " goes to another thread at " at ", and none is recorded")
        r1[next_one] = r1[t]; r3[next_one] = r3[t]; r4[next_one] = r4[t]; lr[next_one] = lr[t]
        switches++
        t = next_one
    }
    for (n = 7; n <= NF; n++) {
        if ($n ~ /^r2=/) {
            if (!($n in whose)) whose[$n] = t
            if (whose[$n] != t)
                say("at " at " thread " t " has " $n " of " whose[$n])
        } else if ($n ~ /^r1=/) {
            r1[t] = substr($n, 4)
            region = substr(r1[t], 1, 4) # stacks of threads are further apart than 64 KB
            if (!(region in whose)) whose[region] = t
            if (whose[region] != t)
                say("at " at " thread " t " has the stack of " whose[region] ": " r1[t])
        } else if ($n ~ /^r3=/) r3[t] = hex(substr($n, 4))
        else if ($n ~ /^r4=/) r4[t] = hex(substr($n, 4))
        else if ($n ~ /^lr=/) lr[t] = substr($n, 4)
    }
}
END {
    if (matched != wakes)
        say(wakes - matched " of " wakes " wake-ups by threads are at no system call")
    if (found != events)
        say(found " locks are taken and given back, " events " recorded")
    for (n = 1; n <= events; n++)
        have[recorded[n]]++
    for (n = 1; n <= found; n++)
        if (!have[seen[n]]--)
            say("not recorded: " seen[n])
    print "compared " instructions + 0 " instructions, " wakes + 0 " wake-ups, " found + 0 " events of locks, " bad + 0 " apart"
    exit bad > 0
}
