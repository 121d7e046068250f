#!/bin/sh
# install_test.sh - `make install` puts programs and guest where asked, below
# DESTDIR, and they work from there.
# timeout: 240
set -eu
dir=$(mktemp -d)
make -s BUILD="$BUILD" -o all \
    DESTDIR="$dir/stage" PREFIX=/opt/simrun install
top=$dir/stage/opt/simrun
for file in bin/simrun bin/simprof bin/simmark share/simrun/guest.elf \
    include/simrun/perfinst.h include/simrun/section.h; do
    [ -f "$top/$file" ] || { echo "no $file"; exit 1; }
done
cd "$dir"
"$top/bin/simrun" "$top/share/simrun/guest.elf" --pmu-trace >out 2>&1 \
    </dev/null || { cat out; exit 1; }
"$top/bin/simprof" info guest.1.exp >info || { cat info; exit 1; }
[ -s info ]
"$top/bin/simmark" verify "$top/share/simrun/guest.elf" >marks ||
    { cat marks; exit 1; }
printf '#include <simrun/perfinst.h>\nint main(void) { return 0; }\n%s\n' \
    'PERFINST_COUNT_FUNCTION(main);' >marked.c
powerpc-linux-gnu-gcc -I"$top/include" -static -no-pie -o marked marked.c
"$top/bin/simmark" list marked | grep -q '# main' ||
    { echo "the installed directives mark nothing"; exit 1; }
