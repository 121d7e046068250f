#!/bin/sh
# docs_test.sh - what the documents name exists: files, programs, make targets
# and tests; no path of one machine has slipped in; the generated pages are
# up to date.
set -u
bad=0
complain() {
    echo "$1"
    bad=$((bad + 1))
}

makefiles=$(tests/check/files | grep '\.mk$')
docs=$(ls README.md CONTRIBUTING.md docs/*.md)
for doc in $docs; do
    # `words/with/slashes.ext` between backticks or in a link are files.
    for name in $(grep -oE '`[A-Za-z0-9_./*{},-]+`|\]\([^)#]+\)' "$doc" |
        sed -E 's/^`|`$//g; s/^\]\(|\)$//g' | sort -u); do
        case $name in
        http*) continue ;;
        build/*) continue ;; # products, tried below
        include/*.h | lib/* | isa/* | pmu/* | sim/* | guest/* | tools/* | tests/* | docs/* | .ci/*) ;;
        *.md | Makefile | LICENSE) [ -e "$name" ] || name=docs/$name ;;
        *) continue ;;
        esac
        set -- $name # a pattern may name several
        [ -e "$1" ] || ls $(dirname "$doc")/$name >/dev/null 2>&1 ||
            complain "$doc: there is no $name"
    done
    for target in $(grep -oE '`make [a-z-]+([^a-z/-]|$)' "$doc" |
        sed -E 's/^`make ([a-z-]+).*/\1/' | sort -u); do
        grep -qE "^([a-z-]+ )*$target( [a-z-]+)*:" Makefile $makefiles ||
            complain "$doc: make knows no $target"
    done
    for program in $(grep -oE 'build/(guest-core.elf|[a-z]+(\.elf)?)' "$doc" | sort -u); do
        case $program in
        build/simrun | build/simprof | build/simmark | build/simview | build/guest.elf | \
            build/guest-core.elf | build/workloads | build/linux) ;;
        *) complain "$doc: make does not build $program" ;;
        esac
    done
    awk -v doc="$doc" '/^```/ { code = !code }
        !code && length($0) > 100 && !/^\|/ && !/http/ {
        print doc ":" FNR ": wider than 100"; bad = 1 } END { exit bad }' \
        "$doc" || bad=$((bad + 1))
done

# Documents that the sources send a reader to.
for name in $(tests/check/files | grep -E '\.([chS]|def|sh)$' |
    xargs grep -ohE 'docs/[a-z]+\.md' | sort -u); do
    [ -f "$name" ] || complain "a comment sends readers to $name"
done

# Paths that exist on one machine only.
paths=$(tests/check/files | grep -v '^tests/check/docs_test.sh$' |
    xargs grep -nE '(^|[ "=(`])/(work|home|root|Users|mnt)/' 2>/dev/null)
[ -z "$paths" ] || complain "paths of one machine:
$paths"

# Every row of requirements.md names tests that exist.
rows=$(grep -cE '^\| [A-Z]+[A-Z0-9]*-' docs/requirements.md)
[ "$rows" -gt 0 ] || complain "docs/requirements.md has no rows"
for test in $(grep -E '^\| [A-Z]' docs/requirements.md |
    grep -oE 'tests/[A-Za-z0-9_./-]+' | sort -u); do
    [ -e "$test" ] || complain "docs/requirements.md: there is no $test"
done
twice=$(grep -oE '^\| [A-Z]+[A-Z0-9]*-[A-Z0-9-]+ ' docs/requirements.md |
    sort | uniq -d)
[ -z "$twice" ] || complain "docs/requirements.md: twice: $twice"

# Tables that are written by hand have every row of their sources.
for address in $(sed -n 's/^DEVICE([A-Z]*, [a-z]*, \(0xFE[0-9A-F]*\),.*/\1/p' include/board.def); do
    grep -q "^| .$address. |" README.md || complain "README.md: no device at $address"
done
for report in $(sed -n 's/^REPORT(\([a-z_]*\),.*/\1/p' tools/simprof/report/reports.def); do
    sed -n '/^|---/,/^$/p' docs/tools.md | cut -d '|' -f 2 |
        grep -qE "(^|,) $(echo "$report" | sed 's/_/[- ]/g')([ ,]|$)" ||
        complain "docs/tools.md: no report $report"
done
for work in $(sed -n 's/.*struct work .*{\.name = "\([^"]*\)".*/\1/p' guest/work/*.c); do
    grep -q "^| .work. |.*.$work." docs/guest.md ||
        complain "docs/guest.md: no workload $work"
done

# What is printed from the sources is what stands there.
tests/setup/docs --check || complain "run 'make docs' and commit the result"
echo "$(echo "$docs" | wc -w) documents, $rows requirements, $bad complaints"
[ "$bad" -eq 0 ]
