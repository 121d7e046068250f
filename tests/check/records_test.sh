#!/bin/sh
# records_test.sh - the words of records have names: outside of what is made of
# the rows of include/record.def no source has the number of a word in a record,
# neither where records are written nor where they are read. The rows stand in
# the order of their kinds.
set -u

# What is made of the rows.
made='^(include/record(_put)?\.h|tools/analysis/experiment/(record\.h|recfile\.c|recrows\.c)|sim/dev/trace\.c|tests/analysis/reader_test\.c)$'
files=$(tests/setup/sources c,h lib isa pmu sim guest tools tests/lib tests/bench \
    tests/golden tests/tools tests/unit | grep -Ev "$made")
bad=0

# Lines of the files named that have, or may have, such a number.
numbers() {
    # The rows' own machinery, and words behind the back of the names.
    grep -nE 'RECORD_(AT|COUNT|WORDS|CELLS|KIND)_|record_(load|store)_u[0-9]|(->|\.)payload\b' \
        "$@" /dev/null
    # A stack that begins so many words behind the first; a payload as a list.
    grep -nE '\b[A-Z]+_(WORDS|LEAST) \+ [a-z]|\[[A-Z]+_(WORDS|LEAST)[^]]*\] = \{ *[^0 }]' \
        "$@" /dev/null
    # Of files that write records: an index.
    grep -lE 'record_put_|experiment_record\(|REC_[A-Z]+, .*_(WORDS|LEAST)' "$@" |
        while read -r file; do
            grep -nE '\b(w|r|words|record|payload)\[(HEAD( \+ )?)?[0-9]*\]( =|;| [&|])' \
                "$file" /dev/null | grep -v 'uint32_t'
        done
}

found=$(numbers $files)
[ -z "$found" ] || {
    echo "$found"
    echo "a word of a record by its number: give it a row in include/record.def"
    bad=1
}

# The search finds what it is for.
sample=$(mktemp)
trap 'rm -f "$sample"' EXIT
while read -r line; do
    printf '    experiment_record(e, &s, w, 3);\n    %s\n' "$line" >"$sample"
    numbers "$sample" | grep -qF "$line" || {
        echo "not found: $line"
        bad=1
    }
done <<'END'
w[6] = n;
r[HEAD + 4] = depth;
uint32_t w[MARK_WORDS] = {kind, address};
pc = record_load_u32(r->payload + 4 * i);
depth = word(r, IDLE_WORDS + i);
words[RECORD_AT_idle_depth] = 3;
END

sed -n 's/^KIND([a-z]*, [A-Z]*, \([0-9]*\),.*/\1/p' include/record.def |
    awk '$1 != NR { print "include/record.def: kind " $1 " is row " NR; bad = 1 }
        END { if (NR < 14) { print "only " NR " kinds"; bad = 1 }; exit bad }' ||
    bad=1
echo "$(echo "$files" | wc -l) files"
exit $bad
