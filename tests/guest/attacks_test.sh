#!/bin/sh
# attacks_test.sh - programs of tests/guest/attacks do what harms a kernel: each of
# them ends as it should, on 1 CPU and on 4, and the kernel's own checks pass.
# timeout: 300
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null ||
    { echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
for file in tests/guest/attacks/*.c; do
    name=$(basename "$file" .c)
    powerpc-linux-gnu-gcc -O1 -w -static -pthread -o "$dir/$name" "$file" ||
        fail "$file does not compile"
    for cpus in 1 4; do
        line="$name on $cpus CPUs"
        status=0
        "$simrun" -q --mode=fast --cpus=$cpus --mem=32M --max-cycles=2000000000 \
            --append memory=4M --program "$dir/$name" "$guest" >"$out" 2>"$dir/err" \
            </dev/null || status=$?
        is "status" "$status $(cat "$dir/err")" "0 "
        is "last line" "$(tail -n 1 "$out")" alive
    done
done
exit 0
