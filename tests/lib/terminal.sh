# terminal.sh - sourced, from the root of the tree, by scripts that show
# something to a terminal.
# has_terminal  is there one to be had? Else it says what is missing; a
#               container may have no /dev/pts.
has_terminal() {
    if ! command -v script >/dev/null; then
        echo "no script(1)"
        return 1
    fi
    script -qec true /dev/null </dev/null >/dev/null 2>&1 && return
    echo "no terminal to be had: is /dev/pts mounted?"
    return 1
}
