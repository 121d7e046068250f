# shell.sh - what a shell does, for dash: words, functions, redirections, pipes,
# processes, signals, other programs ($by is what they run under).
fact() { [ "$1" -le 1 ] && echo 1 || echo $(($1 * $(fact $(($1 - 1))))); }
show() { while read -r l; do echo "$1 $l"; done; }
echo "fact $(fact 10)"
for i in 1 2 3; do echo "line $i"; done | while read -r a b; do echo "$b:$a"; done
show here <<T
$((6 * 7)) and $(echo substituted)
T
x=abcabc
echo "${x#*b} ${x##*b} ${x%b*} ${#x} ${nothing:-none}"
case $x in a*c) echo case ;; *) echo wrong ;; esac
(exit 3)
echo "status $?"
(echo in a shell; exit 4) >tmp/sub
echo "status $?"
show file <tmp/sub
trap 'echo trapped' TERM
kill -TERM $$
trap - TERM
job() { for k in 1 2 3 4 5 6 7 8; do :; done; echo "job $1" >tmp/job$1; }
for j in 1 2 3 4 5 6; do job $j & done
wait
for j in 1 2 3 4 5 6; do show had <tmp/job$j; done
set -- one "two words" three
for w; do printf '<%s>' "$w"; done
echo
echo tmp/j* bin/*
[ -f tmp/sub ] && [ ! -e tmp/no ] && echo files
cd tmp && echo up >made && cd .. && show made <tmp/made
nosuch_command 2>/dev/null
echo "status $?"
$by bin/bzip2 -9 -c <text | $by bin/bzip2 -d -c >tmp/text
echo "bzip2 $?"
$by bin/lua -e 'local n = 0 for l in io.lines("tmp/text") do n = n + #l end print(n)'
for n in 1 2 3 4 5 6 7 8; do $by bin/lua -e "print($n * $n)" >tmp/n$n & done
wait
for n in 1 2 3 4 5 6 7 8; do show square <tmp/n$n; done
$by bin/lua -e 'os.exit(9)'
echo "lua $?"
echo 'SELECT 6 * 7;' | $by bin/sqlite3 -batch :memory: | show sqlite3
exit 5
