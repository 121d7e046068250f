# link.sh - sourced behind lib.sh by scripts that link a guest of their own.
# flags NAME          a variable of guest/flags.mk
# objects FOLDER...   the built objects of folders of guest/
# link FILE OBJECT... links a guest
flags() {
    printf 'include guest/flags.mk\nshow:\n\t@echo $(%s)\n' "$1" |
        make -s -f - show
}

objects() {
    for folder; do
        tests/setup/sources c,S "guest/$folder" | grep -v '^guest/work/pthread/' |
            sed "s,^,$BUILD/obj/,; s,\$,.o,"
    done
}

link() {
    to=$1
    shift
    "${CROSS:-powerpc-linux-gnu-}gcc" $(flags GUEST_LDFLAGS) -nostdlib -static \
        -o "$to" "$@" -lgcc || fail "the guest does not link"
}
