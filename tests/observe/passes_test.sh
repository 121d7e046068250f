#!/bin/sh
# passes_test.sh - simrun --autoprofile=hot and climb run a program again to
# count from its first cycle on: what they count is what scan counts, also of a
# program whose phases come one after another; its output appears once, what it
# read it hears again, and the experiment is that of the last pass, whoever
# looks. A program that changes files is refused before it does. A run that is
# killed or stopped says what it lacks.
# timeout: 200
set -u
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
cd "$TMPDIR" || exit 1
bad=0
complain() { echo "$*"; bad=1; }

# leaf is called by early alone at first, by late at the end, and is hot only
# then; the input decides how often.
cat >p.c <<'C'
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define F __attribute__((noipa))
F int leaf(int n) { int s = 0; for (int i = 0; i < 20; i++) s = s * 3 + (n ^ i); return s; }
F int slow(int n) { int s = 0; for (int i = 0; i < 60000; i++) s = s / 3 + (n ^ i); return s; }
F int early(int n) { int s = 0; for (int i = 0; i < n; i++) s += leaf(i); return s; }
F int late(int n) { int s = 0; for (int i = 0; i < n; i++) s += leaf(i) + 1; return s; }
int main(int argc, char **argv)
{
    char line[80];
    int n = 0, s = 0;
    while (fgets(line, sizeof line, stdin)) {
        n = atoi(line);
        printf("got %d\n", n);
        fprintf(stderr, "also %d\n", n);
        s += early(n) + slow(n) + late(4 * n);
    }
    printf("%d %ld\n", s, (long)lseek(1, 0, SEEK_CUR));
    fflush(stdout);
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i] + 1;
        switch (argv[i][0]) {
        case 'w': close(open(a, O_WRONLY | O_CREAT | O_TRUNC, 0666)); break;
        case 'a': close(open(a, O_RDWR)); break;
        case 'd': mkdir(a, 0777); break;
        case 'u': unlink(a); break;
        case 'm': chmod(a, 0600); break;
        case 'r': rename(a, "moved"); break;
        case 'n': close(open("/dev/null", O_WRONLY)); break;
        case 't': truncate(a, 0); break;
        case 's': symlink("x", a); break;
        case 'f': fchmod(open(a, O_RDONLY), 0600); break;
        }
        puts("went on");
    }
    return 3;
}
C
powerpc-linux-gnu-gcc -O1 -static -o p p.c || exit 1
run="env -i timeout 100 $BUILD/simrun -q --mode=fast --user --cpus 1"
printf '300\n200\n' >in
$run ./p <in >want 2>want_err
[ $? = 3 ] || complain "the program does not run"

cat in | $run --autoprofile=scan --pmu-trace=scan.exp ./p >out.scan 2>err.scan
counts() { "$BUILD/simprof" marks "$1" --csv --limit=0 | awk -F, '$1 == "code" { print $5, $3 }' | sort; }
counts scan.exp >scan_counts
for kind in hot climb; do
    rm -rf $kind.exp
    # through a pipe: what is read cannot be read again
    cat in | $run --autoprofile=$kind -e cycles:1009 --pmu-trace=$kind.exp ./p >out.$kind 2>err.$kind
    [ $? = 3 ] || complain "$kind: another exit status"
    cmp -s want out.$kind || complain "$kind: another output, or not once: $(cat out.$kind)"
    cmp -s want_err err.$kind || complain "$kind: another stderr: $(cat err.$kind)"
    counts $kind.exp >counts
    [ -s counts ] || complain "$kind: nothing is counted"
    join scan_counts counts >both
    awk '$2 != $3 { bad = 1 } END { exit bad }' both && [ "$(wc -l <both)" = "$(wc -l <counts)" ] ||
        complain "$kind: scan and marks differ: $(cat both)"
    grep -q '^pass [2-9] counts$' $kind.exp/log || complain "$kind: no second pass"
    [ "$(grep '^end ' $kind.exp/log)" = "$(grep '^end ' scan.exp/log)" ] || complain "$kind: another number of cycles"
    [ "$(grep -c '^start ' $kind.exp/log)" = 1 ] || complain "$kind: two sets of records"
    "$BUILD/simprof" info $kind.exp >info 2>&1 || complain "$kind: damaged: $(cat info)"
    # All of it again, from what was recorded.
    rm -rf again.exp
    $run --autoprofile=$kind -e cycles:1009 --pmu-trace=again.exp --replay=$kind.exp ./p </dev/null >out 2>/dev/null
    cmp -s want out || complain "$kind: another output in a replay"
    diff -r $kind.exp again.exp >/dev/null || complain "$kind: a replay records something else"
done
# Both callers of leaf, however rare the first is once the second is there.
"$BUILD/simprof" marks climb.exp --part=interrupts --csv | grep leaf >callers
grep -q 'early,' callers && grep -q 'late,' callers || complain "climb: callers of leaf: $(cat callers)"
"$BUILD/simprof" marks hot.exp | grep -q 'counted from the first cycle on: [0-9,]* of' ||
    complain "hot: the share of the whole is not told"

# stdout as a file: it is written once, and stands where the program left it.
{ cat in | $run --autoprofile=hot --pmu-trace=file.exp ./p 2>/dev/null; echo behind; } >out
{ cat in | $run ./p 2>/dev/null; echo behind; } >want_file
cmp -s want_file out || complain "a file as stdout: $(diff want_file out)"

# What would be changed is not, and the line says what to do.
for what in wnew akept dnew ukept mkept rkept tkept snew fkept; do
    rm -rf r.exp new moved
    echo kept >kept && chmod 644 kept
    for kind in hot climb; do
        rm -rf r.exp
        $run --autoprofile=$kind --pmu-trace=r.exp ./p $what <in >out 2>err
        status=$?
        [ $status = 125 ] || complain "$what, $kind: status $status"
        case $kind in hot) remedy=scan ;; *) remedy=calls ;; esac
        [ "$(grep -c "^simrun: --autoprofile=$kind .*about to change files.*nothing was changed.*--autoprofile=$remedy" err)" = 1 ] ||
            complain "$what, $kind: does not say what to do: $(cat err)"
        [ "$(cat kept)" = kept ] && [ "$(stat -c %a kept)" = 644 ] && [ ! -e new ] && [ ! -L new ] ||
            complain "$what, $kind: it was changed"
    done
done
"$BUILD/simprof" marks r.exp | grep -q 'stopped in its first pass' || complain "refused: the report does not say so"
# What goes with the run may be changed: files of the private /tmp, by name or
# open, and those without a name. A link from there leads to what stays.
cat >q.c <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>
static int bad;
#define DO(x) do { if ((x) < 0) { perror(#x); bad = 1; } } while (0)
int main(int argc, char **argv)
{
    struct timespec t[2] = {{1, 2}, {3, 4}};
    char name[] = "/tmp/fXXXXXX", here[4000], where[4100];
    int fd;
    if (argc > 1) { /* through a link in /tmp into the root */
        DO(symlink(getcwd(here, sizeof here), "/tmp/l"));
        switch (argv[1][0]) {
        case 'd': mkdir("/tmp/l/new", 0777); break;
        case 'u': unlink("/tmp/l/kept"); break;
        case 'm': chmod("/tmp/l/kept", 0600); break;
        case 'w': close(open("/tmp/l/new", O_WRONLY | O_CREAT, 0666)); break;
        case 'r': rename("/tmp/l/kept", "/tmp/l/new"); break;
        case 'l': link("/tmp/l/kept", "/tmp/l/new"); break;
        case 't': utime("/tmp/l/kept", NULL); break;
        case 'f': futimens(open("/tmp/l/kept", O_RDONLY), t); break;
        }
        return 0;
    }
    DO(fd = mkstemp(name));
    DO(fchmod(fd, 0640));
    DO(futimens(fd, t));
    DO(fchown(fd, 0, 0));
    DO(ftruncate(fd, 9000));
    DO(posix_fallocate(fd, 0, 10000) ? -1 : 0);
    DO(fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, 20000));
    DO(chmod(name, 0600));
    DO(chown(name, 0, 0));
    DO(utimensat(AT_FDCWD, name, t, 0));
    DO(utime(name, NULL));
    DO(utimes(name, NULL));
    DO(futimesat(AT_FDCWD, name, NULL));
    DO(truncate(name, 100));
    DO(fchmodat(AT_FDCWD, name, 0644, 0));
    DO(mkdir("/tmp/d", 0700));
    DO(chmod("/tmp/d", 0755));
    DO(symlink("f", "/tmp/d/s"));
    DO(utimensat(AT_FDCWD, "/tmp/d/s", t, AT_SYMLINK_NOFOLLOW));
    DO(link(name, "/tmp/d/g"));
    DO(rename(name, "/tmp/d/f"));
    DO(chdir("/tmp/d"));
    DO(chmod("f", 0600));
    DO(mkdir("e", 0700));
    DO(rmdir("e"));
    DO(mknod("n", S_IFREG | 0600, 0));
    DO(unlink("f"));
    DO(unlink("g"));
    DO(fchmod(fd, 0600)); /* it has no name now */
    DO(futimens(fd, NULL));
    snprintf(where, sizeof where, "%s/f", getcwd(here, sizeof here) ? here : "");
    DO(close(open(where, O_CREAT | O_RDWR, 0600)));
    DO(fd = memfd_create("m", 0));
    DO(fchmod(fd, 0600));
    DO(futimens(fd, NULL));
    DO(fd = open("/tmp", O_TMPFILE | O_RDWR, 0600));
    DO(fchmod(fd, 0600));
    fclose(tmpfile());
    return bad;
}
C
powerpc-linux-gnu-gcc -O1 -static -w -o q q.c || exit 1
mkdir temporary && ln -s temporary by_link
for tmp in "$PWD" "$PWD/by_link"; do
    rm -rf r.exp
    TMPDIR=$tmp timeout 100 "$BUILD/simrun" -q --mode=fast --user --cpus 1 --autoprofile=hot --pmu-trace=r.exp ./q >out 2>&1
    [ $? = 0 ] && [ ! -s out ] || complain "files of /tmp, kept in ${tmp##*/}: $(cat out)"
done
for what in d u m w r l t f; do
    rm -rf r.exp new moved
    echo kept >kept && chmod 644 kept && touch -d '2001-01-01' kept
    $run --autoprofile=hot --pmu-trace=r.exp ./q $what >out 2>err
    [ $? = 125 ] && grep -q 'about to change files' err || complain "a link to the root, $what: $(cat err)"
    [ "$(cat kept)" = kept ] && [ "$(stat -c '%a %Y %h' kept)" = "644 $(date -d '2001-01-01' +%s) 1" ] && [ ! -e new ] ||
        complain "a link to the root, $what: it was changed"
done
rm -rf r.exp # the same by the remedy
$run --autoprofile=scan --pmu-trace=r.exp ./p wnew <in >/dev/null 2>&1 && [ -e new ] || [ $? = 3 ] || complain "scan is refused"
rm -rf r.exp # a device is no file that stays
$run --autoprofile=hot --pmu-trace=r.exp ./p n <in >/dev/null 2>err || [ $? = 3 ] || complain "/dev/null: $(cat err)"

# Stopped in either pass: by a signal, or killed for good.
cat >long.c <<'C'
#include <stdio.h>
#define F __attribute__((noipa))
F int leaf(int n) { int s = 0; for (int i = 0; i < 20; i++) s = s * 3 + (n ^ i); return s; }
int main(void)
{
    int s = 0;
    puts("here");
    fflush(stdout);
    for (int i = 0; i < N; i++) s += leaf(i);
    printf("%d\n", s);
    return 0;
}
C
powerpc-linux-gnu-gcc -O1 -static -DN=2000000 -o long long.c || exit 1
for signal in INT KILL; do
    for pass in 1 2; do
        rm -rf k.exp
        $run --autoprofile=hot --pmu-trace=k.exp ./long >out 2>err &
        pid=$!
        until grep -q "^pass $pass" k.exp/log 2>/dev/null; do
            kill -0 $pid 2>/dev/null || break
            sleep 0.02
        done
        # of those timeout and env started, simrun itself
        for p in $(ps -o pid= --ppid $pid) $pid; do kill -$signal "$p" 2>/dev/null; done
        wait $pid 2>/dev/null
        grep -q "^pass $pass" k.exp/log || { complain "$signal: pass $pass was over too soon"; continue; }
        "$BUILD/simprof" info k.exp >/dev/null 2>&1 || complain "$signal in pass $pass: not readable"
        "$BUILD/simprof" marks k.exp >report 2>&1 || complain "$signal in pass $pass: no report"
        case $signal$pass in
        *1) grep -q 'stopped in its first pass' report ;;
        INT2) grep -q 'leaf$' report ;;
        KILL2) grep -q 'killed while it counted' report ;;
        esac || complain "$signal in pass $pass: $(cat report)"
    done
done

# What cannot be run again is a mistake of the command line.
$run --autoprofile=hot --log exec ./p <in >/dev/null 2>err
[ $? = 2 ] && grep -q 'name a file for the log' err || complain "--log to stderr: $(cat err)"
$run --autoprofile=hot --set pif_charge=1 ./p <in >/dev/null 2>err
[ $? = 2 ] && grep -q 'pif_charge' err || complain "pif_charge: $(cat err)"
rm -rf l.exp
$run --autoprofile=hot --log exec:log --pmu-trace=l.exp ./p <in >/dev/null 2>&1
start=$(powerpc-linux-gnu-nm p | awk '$3 == "_start" { print $1 }')
[ "$(awk -v a="$start" '$4 == a' log | wc -l)" = 1 ] || complain "the log is not that of one run"
exit $bad
