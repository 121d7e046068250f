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
