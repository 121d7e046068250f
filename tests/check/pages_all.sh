#!/bin/sh
# pages_all.sh - the commands of every page can be pasted, page after page into
# one directory, and once more: none fails, and README.md, docs/tools.md,
# docs/lesson.md and docs/sampling.md show what theirs print.
# timeout: 1800
set -u
tests/user/fetch bzip2 1.0.8-5 bzip2_1.0.8.orig.tar.gz \
    ab5a03176ee106d3f0fa90e381da478ddae405918153cca248e682cd0c4a2269 >/dev/null || {
    echo "no bzip2 sources, which docs/tools.md profiles"
    exit 77
}
for judge in perf gprofng callgrind_annotate; do
    command -v $judge >/dev/null || { echo "no $judge"; exit 77; }
done
tests/setup/transcripts --paste README.md docs/tools.md docs/lesson.md \
    docs/sampling.md docs/active-time.md docs/guest.md docs/interop.md \
    docs/pif.md docs/time-tree.md docs/timing.md docs/user.md
