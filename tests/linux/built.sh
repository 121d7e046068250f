# built.sh - sourced by scripts that want Debian's Linux, from the root of the tree, behind
# tests/sim/lib.sh or what has a $dir of its own: $linux is where make linux has built it, or
# another kernel (LINUX_OUT); without it the script is skipped.
linux=${LINUX_OUT:-$BUILD/linux}
case $linux in /*) ;; *) linux=$PWD/$linux ;; esac
simprof=$BUILD/simprof
if [ ! -f "$linux/initrd.cpio" ]; then
    echo "no Linux in $linux: make linux builds it, in some ten minutes"
    rm -rf "${dir:-}"
    exit 77
fi
# complains FILE: what the kernel says in FILE of its own faults, if any. Linux 6.1 warns once
# on every CHRP machine, whatever is in its tree, which is no fault of the machine's:
# pci_create_OF_bus_map takes memory as one does earlier in the boot.
complains() {
    tr -d '\r' <"$1" | awk '
        /\[ cut here \]/ { cut = 1; kept = "" }
        !cut { print }
        cut { kept = kept $0 "\n" }
        cut && /end trace/ {
            cut = 0
            if (kept !~ /WARNING:.* memblock_alloc_internal.* pci_create_OF_bus_map/ || known++)
                printf "%s", kept
        }
        END { if (cut) printf "%s", kept }' |
        grep "WARNING:\|BUG:\|kernel BUG\|Oops\|Call Trace\|Kernel panic\|[Ss]purious\|segfault\|Out of memory"
}
