#!/bin/sh
# environment_test.sh - a program under --user has the same environment from
# every shell: a fixed one, with --host-env simrun's own, as --env, --unset-env
# and --clear-env change it. The experiment's log has it, and the arguments; a replay
# takes it from there.
set -u
cd "$(dirname "$0")/../.."
bad=0
fail() { echo "$1"; bad=1; }

command -v powerpc-linux-gnu-gcc >/dev/null ||
    { echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
cd "$TMPDIR" || exit 1
cat >shows.c <<'C'
#include <stdio.h>
extern char **environ;
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        printf("<%s>\n", argv[i]);
    for (char **e = environ; *e; e++)
        printf("%s\n", *e);
    return 0;
}
C
powerpc-linux-gnu-gcc -O1 -static -o shows shows.c || exit 1
sim="$BUILD/simrun -q --mode=fast"

says() { # what, wanted lines; the command's output is in out
    printf "$2" | diff - out >diff.out || { fail "$1:"; cat diff.out; }
}
fixed='HOME=/\nLANG=C\nPATH=/bin:/usr/bin\n'
env -i A=1 B=2 $sim --user ./shows >out
says "the fixed one" "$fixed"
env -i A=1 $sim --env B=2 -U LANG --env=HOME=/x --user ./shows >out
says "the fixed one, changed" 'HOME=/x\nPATH=/bin:/usr/bin\nB=2\n'
env -i A=1 B=2 $sim --host-env --user ./shows >out
says "simrun's own" 'A=1\nB=2\n'
env -i A=1 B=2 C=3 $sim --host-env --env B=new -U A --env=D='4 = 4' \
    --user ./shows >out
says "changed" 'B=new\nC=3\nD=4 = 4\n'
env -i A=1 $sim --env B=2 --host-env --env C=3 --user ./shows >out
says "begun anew" 'A=1\nC=3\n'
env -i A=1 B=2 $sim -E C=3 --clear-env -E B= --user ./shows -E x >out
says "cleared, then set" '<-E>\n<x>\nB=\n'
env -i A=1 $sim --unset-env=A --unset-env=PAT --user ./shows >out
says "never set" "$fixed"

# Nothing of the host's is in it: the same addresses, cycles and records.
for name in one two; do
    env A_$name=$name$name$name "B=$name" $sim -e cycles:300 --pmu-trace=$name.exp --user ./shows 1 >$name.out ||
        fail "$name: status $?"
done
cmp one.out two.out
diff -r one.exp two.exp || fail "the shell's environment is in a run"
"$BUILD/simprof" info one.exp >out
grep -q "^args  *1$" out || fail "info: no arguments"
grep -q "^environment, variables  *3$" out || fail "info: no environment"

# What was given is in the log, whatever bytes it has, and enough to do the
# run again in another environment.
line=$(printf 'two\nlines \\ \001')
env -i "ODD=$line" PLAIN= $sim --host-env --pmu-trace=odd.exp --user ./shows '' "$line" \
    'a b' >odd.out || fail "odd: status $?"
sed -n 's/^\(argument\|environment\) /&/p' odd.exp/log >out
says "the log" 'argument ./shows\nargument \nargument two\\x0alines \\x5c \\x01
argument a b\nenvironment ODD=two\\x0alines \\x5c \\x01\nenvironment PLAIN=\n'
env ANOTHER=x $sim --replay=odd.exp --pmu-trace=again.exp \
    --user ./shows '' "$line" 'a b' >out || fail "replay: status $?"
cmp out odd.out || fail "a replay has another environment"
diff -r odd.exp again.exp || fail "a replay is another run"

refused() { # status, words, option...
    want=$1
    words=$2
    shift 2
    status=0
    $sim "$@" >out 2>err || status=$?
    { [ $status -eq "$want" ] && grep -q -e "$words" err; } ||
        { fail "$*: status $status"; cat err; }
}
refused 125 'argument 3 was a b in the recorded run' \
    --replay=odd.exp --user ./shows '' "$line" 'a c'
refused 125 'argument 3 was a b' --replay=odd.exp --user ./shows '' "$line"
refused 2 'replay has the environment' --replay=odd.exp -E A=1 --user ./shows
refused 2 'replay has the environment' --replay=odd.exp --host-env --user ./shows
refused 2 'give NAME=VALUE' --env A --user ./shows
refused 2 'give NAME=VALUE' --env =A --user ./shows
refused 2 'name of a variable' --unset-env A=1 --user ./shows
refused 2 'under --user has an environment' --clear-env "$BUILD/guest.elf"

# Its place is its own, too: its files can have a name that no host knows.
cat >place.c <<'C'
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    char self[4096] = "", here[4096];

    readlink("/proc/self/exe", self, sizeof self - 1);
    printf("%s in %s:", self, getcwd(here, sizeof here));
    while (*++argv)
        printf(" %d", access(*argv, F_OK));
    printf("\n");
    return 0;
}
C
mkdir -p a/sub "b c/a/longer/name/sub"
powerpc-linux-gnu-gcc -O1 -static -w -o a/sub/place place.c || exit 1
cp a/sub/place "b c/a/longer/name/sub"
in_dir() { # directory, options of simrun...
    cd "$1" || exit 1
    shift
    $sim "$@" || fail "$*: status $?"
    cd "$TMPDIR" || exit 1
}
for dir in a "b c/a/longer/name"; do
    in_dir "$dir" --clear-env --root .:/here -e cycles:300 \
        --pmu-trace=it.exp --user ./sub/place /here/sub /sub >out
    says "$dir" '/here/sub/place in /here: 0 -1\n'
    in_dir "$dir" --clear-env --root=./sub:/ --user ./sub/place /place /sub >out
    says "$dir, all there is" '/place in /: 0 -1\n'
    rm -rf "$dir/own.exp"
    in_dir "$dir" --clear-env -e cycles:300 --pmu-trace=own.exp \
        --user ./sub/place /x >"$dir/own.out"
done
diff -r a/it.exp "b c/a/longer/name/it.exp" || fail "another place, another run"
grep -q "^$PWD/a/sub/place in $PWD/a:" a/own.out || fail "the host's names"
# A replay has the names that were recorded.
in_dir "b c/a/longer/name" --replay="$PWD/a/own.exp" -e cycles:300 \
    --pmu-trace=again.exp \
    --user ./sub/place /x >out
cmp out a/own.out || fail "a replay elsewhere is told apart"
diff -r a/own.exp "b c/a/longer/name/again.exp" || fail "it is another run"
# A program from outside does not learn where that is; the host's names hold.
in_dir a --root=.:/here --user ../shows >out
cp shows a/other
in_dir a --root=.:/here --user "$PWD/a/sub/place" "$PWD/a/other" >out
says "the host's name of a file" '/here/sub/place in /here: 0\n'
mkdir -p c && cp a/sub/place outside
in_dir c --root=.:/here --user ../outside >out
says "outside" '/outside in /here:\n'
refused 125 'cannot call it' --root=.:/here/ --user ./shows
grep -q '^root /here$' a/it.exp/log || fail "the log has no root"

# A log that was cut or damaged there.
printf 'environment A\\x4\nenvironment \\x\nargument \\' >tail
sed '/^argument/,$d' odd.exp/log >log
cat log tail >odd.exp/log
$sim --replay=odd.exp --user ./shows >out 2>&1
[ $? -lt 126 ] || fail "a damaged log: status $?"
exit $bad
