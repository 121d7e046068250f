# walkthrough.sh - the changes in docs/pif.md, for the scripts that try them.

# extract_walkthrough FILE: all blocks of ```diff, one behind the other.
extract_walkthrough() {
    awk '/^```/ { inside = $0 == "```diff"; next } inside' docs/pif.md >"$1"
    [ -s "$1" ]
}

# apply_walkthrough FILE TREE. Git looks for no repository around the tree, and
# finds the lines wherever they have moved to.
apply_walkthrough() {
    (cd "$2" && GIT_CEILING_DIRECTORIES=$(dirname "$PWD") \
        git apply -C1 "$1")
}
