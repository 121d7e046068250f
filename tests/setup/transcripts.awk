# transcripts.awk - a document, with what its commands print put in place.
# RUN is the directory to run them in, OUT a file for their output.

function words(line) { # what stays of a line when its figures change
    gsub(/[^A-Za-z_]/, "", line)
    return line
}

# run COMMAND: its output, standard error too, into got[1..n]
function run(command,    n, line, status) {
    sub(/^make run$/, "tests/setup/demo", command)
    status = system("cd \"$RUN\" && { " command "\n} >\"$OUT\" 2>&1 </dev/null")
    n = 0
    while ((getline line <ENVIRON["OUT"]) > 0)
        got[++n] = line
    close(ENVIRON["OUT"])
    last_status = status
    return n
}

# show: what was printed (got[1..n]) in the form of what is shown (was[1..m])
function show(n, m,    i, at, from) {
    from = 1 # of what was printed, the next line
    for (i = 1; i <= m; i++) {
        if (was[i] !~ /^ *\.\.\.$/) {
            if (from <= n)
                print got[from++]
            continue
        }
        print was[i]
        if (i == m)
            return
        for (at = from; at <= n && words(got[at]) != words(was[i + 1]); at++)
            ;
        from = at
        if (at > n) { # the page needs a person, not another line
            print FILENAME ": not printed any more: " \
                was[i + 1] >"/dev/stderr"
            failed = 1
            while (++i <= m && was[i] !~ /^ *\.\.\.$/)
                print was[i]
            i--
        }
    }
    while (from <= n) # what is printed after all that was shown
        print got[from++]
}

function block(    i, command, m, n) {
    for (i = 1; i <= lines && text[i] !~ /^\$ /; i++)
        ;
    if (i > lines) { # nothing is shown
        for (i = 1; i <= lines; i++) {
            command = command text[i] "\n"
            print text[i]
        }
        if (text[1] ~ /^(build\/|tests\/|make -s |powerpc-|tar |cat |echo |for )/) {
            n = run(command)
            if (last_status != 0) {
                print FILENAME ": status " last_status ": " command >"/dev/stderr"
                while (n)
                    print got[n--] >"/dev/stderr"
                failed = 1
            }
        }
        return
    }
    for (i = 1; i <= lines;) {
        if (text[i] !~ /^\$ /) {
            print text[i++]
            continue
        }
        print text[i]
        command = substr(text[i], 3)
        while (text[i++] ~ /\\$/) {
            print text[i]
            command = command "\n" text[i]
        }
        for (m = 0; i <= lines && text[i] !~ /^\$ /; i++)
            was[++m] = text[i]
        if (ENVIRON["PASTE"] && command ~ /^make bench/) { # half an hour
            for (n = 1; n <= m; n++)
                print was[n]
            continue
        }
        n = run(command)
        if (m && was[1] ~ /^sim(run|prof|mark): /) # a mistake that is shown
            last_status = 0
        # 125: a report of nothing
        if (ENVIRON["PASTE"] ? last_status : last_status == 125) {
            print FILENAME ": status " last_status ": " command >"/dev/stderr"
            failed = 1
        }
        show(n, m)
    }
}

/^```/ {
    if (!inside) {
        inside = 1
        kind = substr($0, 4)
        lines = 0
    } else {
        inside = 0
        if (kind == "" || kind == "sh")
            block()
        else
            for (i = 1; i <= lines; i++) {
                print text[i]
                if (kind == "c" && file != "")
                    print text[i] >(ENVIRON["RUN"] "/" file)
            }
        if (kind == "c" && file != "")
            close(ENVIRON["RUN"] "/" file)
    }
    print
    next
}
inside { text[++lines] = $0; next }
{
    print
    if (match($0, /`[a-z]+\.c`/))
        file = substr($0, RSTART + 1, RLENGTH - 2)
}
END { exit failed }
