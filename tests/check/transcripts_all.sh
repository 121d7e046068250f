#!/bin/sh
# transcripts_all.sh - every command that README.md, docs/tools.md,
# docs/lesson.md and docs/sampling.md show is run, and prints what they say it prints.
# timeout: 900
set -u
tests/user/fetch bzip2 1.0.8-5 bzip2_1.0.8.orig.tar.gz \
    ab5a03176ee106d3f0fa90e381da478ddae405918153cca248e682cd0c4a2269 >/dev/null || {
    echo "no bzip2 sources, which docs/tools.md profiles"
    exit 77
}
tests/setup/transcripts --check || {
    echo "make docs rewrites what is printed; then read what stands around it"
    exit 1
}
