#!/bin/sh
# layering_test.sh - every include obeys the table in docs/architecture.md,
# both ways: a table nobody can read, or a row for a room that is gone, fails.
set -u

files=$(tests/setup/sources c,h,S,def include lib isa pmu sim guest tools)
rooms=$(find include lib isa pmu sim guest tools -type d)

awk -v rooms="$rooms" -v ours="$(echo $files)" '
# A word of the table, where * is any text, against a name.
function glob(pattern, name,    p, tail) {
    p = index(pattern, "*")
    if (p == 0)
        return pattern == name
    tail = substr(pattern, p + 1)
    return substr(name, 1, p - 1) == substr(pattern, 1, p - 1) &&
        length(name) >= length(pattern) - 1 &&
        substr(name, length(name) - length(tail) + 1) == tail
}
function allowed(list, name,    n, i, word) {
    n = split(list, word, " ")
    for (i = 1; i <= n; i++)
        if (glob(word[i], name))
            return 1
    return 0
}
function room_of(file,    dir) {
    dir = file
    if (dir in may) # a file may have a row of its own
        return dir
    while (sub(/\/[^\/]*$/, "", dir))
        if (dir in may)
            return dir
    return ""
}
FILENAME == "docs/architecture.md" {
    if ($0 ~ /^\| room \|/)
        table = 1
    else if ($0 ~ /^\| header of a library \|/)
        table = 2
    else if ($0 !~ /^\|/)
        table = 0
    else if (table == 2 && $0 !~ /^\|-/) {
        split($0, cell, "|")
        n = split(cell[2], word, " ")
        for (i = 1; i <= n; i++)
            only[word[i]] = cell[3]
        owned++
    }
    else if (table == 1 && $0 !~ /^\|-/) {
        split($0, cell, "|")
        gsub(/ /, "", cell[2])
        may[cell[2]] = cell[3]
        system_may[cell[2]] = cell[4]
        known++
    }
    next
}
/^[ \t]*#[ \t]*include/ {
    room = room_of(FILENAME)
    if (room == "") {
        printf "%s: no row of the table covers it\n", FILENAME
        bad++
        next
    }
    seen++
    if (match($0, /"[^"]*"/)) {
        name = substr($0, RSTART + 1, RLENGTH - 2)
        if (!allowed(may[room], name)) {
            printf "%s:%d: %s may not include %s\n", FILENAME, FNR, room, name
            bad++
        }
    } else if (match($0, /<[^>]*>/)) {
        name = substr($0, RSTART + 1, RLENGTH - 2)
        sub(/\.h$/, "", name)
        if (!allowed(system_may[room], name)) {
            printf "%s:%d: %s may not include <%s.h>\n", FILENAME, FNR, room,
                name
            bad++
        }
        if (name in only && !allowed(only[name], FILENAME)) {
            printf "%s:%d: <%s.h> belongs to%s alone\n", FILENAME, FNR, name,
                only[name]
            bad++
        }
    }
}
END {
    if (known < 5 || owned < 2) {
        print "docs/architecture.md: the include table cannot be read"
        bad++
    }
    n = split(rooms, room_list, "[ \n]+")
    for (r in may)
        if (r != "tests" && r !~ /\./ && (" " rooms_flat(room_list, n) " ") !~ (" " r " ")) {
            printf "docs/architecture.md: no room called %s\n", r
            bad++
        }
    printf "%d includes checked, %d against the table\n", seen, bad
    exit bad > 0
}
function rooms_flat(list, n,    i, s) {
    for (i = 1; i <= n; i++)
        s = s " " list[i]
    return s
}' docs/architecture.md $files
