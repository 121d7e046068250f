#!/bin/sh
# install_test.sh - `make install` puts programs and guest where asked, below
# DESTDIR, and they work from there.
# timeout: 240
set -eu
dir=$(mktemp -d)
make -s BUILD="$BUILD" -o all \
    DESTDIR="$dir/stage" PREFIX=/opt/simrun install
top=$dir/stage/opt/simrun
for file in bin/simrun bin/simprof share/simrun/guest.elf \
    include/simrun/section.h; do
    [ -f "$top/$file" ] || { echo "no $file"; exit 1; }
done
cd "$dir"
"$top/bin/simrun" "$top/share/simrun/guest.elf" --pmu-trace >out 2>&1 \
    </dev/null || { cat out; exit 1; }
"$top/bin/simprof" info guest.1.exp >info || { cat info; exit 1; }
[ -s info ]
