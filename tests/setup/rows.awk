# rows.awk - the rows of a .def table, a line each: the macro, then its arguments,
# with tabs between. Strings lose their quotes, those in a row are one, and rows may
# go on over several lines. Comments and directives are left out.
function row(text,    at, depth, c, field, out, quoted, n) {
    at = index(text, "(")
    out = substr(text, 1, at - 1)
    depth = 0
    for (n = at + 1; n <= length(text); n++) {
        c = substr(text, n, 1)
        if (quoted) {
            if (c == "\\") {
                field = field substr(text, ++n, 1)
            } else if (c == "\"")
                quoted = 0
            else
                field = field c
        } else if (c == "\"")
            quoted = 1
        else if ((c == "," || c == ")") && !depth) {
            out = out "\t" field
            field = ""
            if (c == ")")
                break
        } else if (c != " ") {
            depth += (c == "(") - (c == ")")
            field = field c
        }
    }
    print out
}
# Does the row end here? Strings are taken out, so that what they hold counts not.
function whole(text) {
    gsub(/\\./, "", text)
    gsub(/"[^"]*"/, "", text)
    sub(/[ \t]*\/\*.*\*\/[ \t]*$/, "", text)
    return text ~ /\)[ \t]*$/
}
comment {
    if (/\*\//)
        comment = 0
    next
}
/^[ \t]*\/\*/ {
    comment = !/\*\//
    next
}
/^#/ { next }
{
    if (text == "" && !/^[A-Z_]+\(/)
        next
    sub(/^[ \t]+/, text == "" ? "" : " ")
    text = text $0
    if (whole(text)) {
        row(text)
        text = ""
    }
}
