# kinds.pl - families of programs for seeds from 2000 on: a part of tests/causes/generate,
# whose functions it uses. Threads that meet in ways which the other families do not have.
use strict;
use warnings;
use integer;

our ($cpus, $rounds, $twin, $options, $kind, $root, $change, $also);

sub prepared {
    push_text("static void prepare(void)\n{\n" . join('', map { "    $_\n" } @_) . "}\n");
}

sub most { # so many threads: a few on 2 CPUs, up to the second number else
    my ($low, $high) = @_;
    my $top = $cpus < 4 ? 3 : $cpus < 8 ? 4 : 7;
    return between($low, $top < $high ? $top : $high);
}

# A read-write lock that one thread takes alone and keeps long; or readers keep it long.
sub rwlock {
    my ($reads) = @_;
    my $count = most(3, 6);
    my ($read, $write, $own) = (name(), name(), name());
    my $steps = between(800, 1600);
    push_text("static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;\n");
    prepared();
    work($write, $reads ? $steps / 8 : $steps * 2, !$reads);
    work($read, $reads ? $steps * 2 : $steps / 8, $reads);
    work($own, $steps / 4, 0);
    threads($count, each_round(line("x = $own(x);",
        'if (me == 0)', '    pthread_rwlock_wrlock(&lock);',
        'else', '    pthread_rwlock_rdlock(&lock);',
        "x = me == 0 ? $write(x) : $read(x);",
        'pthread_rwlock_unlock(&lock);')));
}

# One thread brings a new state, all others wait for that by one condition.
sub herd {
    my $count = most(3, 7);
    my ($make, $use) = (name(), name());
    my $steps = between(900, 1800);
    push_text("static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n",
        "static pthread_cond_t next = PTHREAD_COND_INITIALIZER;\n",
        "static pthread_cond_t seen = PTHREAD_COND_INITIALIZER;\n",
        "static unsigned state, readers;\n");
    prepared();
    work($make, $steps * 2, 1);
    work($use, $steps / 2, 0);
    my $others = $count - 1;
    threads($count, "    for (unsigned i = 1; i <= $rounds; i++) {\n" . line(
        'if (me == 0) {', "    x = $make(x);",
        '    pthread_mutex_lock(&lock);', "    while (readers)",
        '        pthread_cond_wait(&seen, &lock);',
        '    state = i;', "    readers = $others;",
        '    pthread_cond_broadcast(&next);', '    pthread_mutex_unlock(&lock);',
        '    continue;', '}',
        'pthread_mutex_lock(&lock);', 'while (state < i)',
        '    pthread_cond_wait(&next, &lock);', 'if (!--readers)',
        '    pthread_cond_signal(&seen);',
        'pthread_mutex_unlock(&lock);', "x = $use(x);") . "    }\n");
}

# Barriers within a round: in each phase another one is late, in one of them most.
sub phases {
    my $count = between(2, $cpus < 8 ? $cpus : 6);
    my ($much, $some, $light) = (name(), name(), name());
    my $steps = between(500, 1000);
    my ($a, $b) = (between(0, $count - 1), between(0, $count - 1));
    push_text("static pthread_barrier_t all;\n");
    prepared("pthread_barrier_init(&all, NULL, $count);");
    work($much, $steps * 3, 1);
    work($some, $steps * between(13, 17) / 10, 0);
    work($light, $steps, 0);
    threads($count, each_round(line("x = me == $a ? $much(x) : $light(x);",
        'pthread_barrier_wait(&all);', "x = me == $b ? $some(x) : $light(x);",
        'pthread_barrier_wait(&all);')));
}

# Queues of tasks, one a thread; who has none takes from another. One task is large.
sub stealing {
    my $count = between(2, $cpus);
    my ($large, $small) = (name(), name());
    my $steps = between(300, 600);
    my $tasks = 6 * $count * $rounds / 12;
    my $owner = between(0, $count - 1);
    push_text("struct tasks {\n    pthread_mutex_t lock;\n    unsigned left;\n};\n",
        "static struct tasks mine[$count];\n",
        "static int get(unsigned me)\n{\n    for (unsigned k = 0; k < $count; k++) {\n"
        . "        struct tasks *t = &mine[(me + k) % $count];\n        unsigned got;\n\n"
        . "        pthread_mutex_lock(&t->lock);\n        got = t->left;\n"
        . "        if (got)\n            t->left--;\n"
        . "        pthread_mutex_unlock(&t->lock);\n        if (got)\n"
        . "            return got == 1 && t == &mine[$owner] ? 2 : 1;\n    }\n"
        . "    return 0;\n}\n");
    prepared("for (unsigned i = 0; i < $count; i++) {",
        '    pthread_mutex_init(&mine[i].lock, NULL);',
        "    mine[i].left = (i % 2 ? 4 : 8) * $rounds / 12;", '}');
    work($large, $steps * $tasks * 2, 1);
    work($small, $steps, 0);
    threads($count, "    int got;\n\n    while ((got = get(me)))\n"
        . "        x = got == 2 ? $large(x) : $small(x);\n    x = me;\n");
}

# A tree of threads that are made and joined; one kind of node has most to do.
sub tree {
    my ($leaf, $join) = (name(), name());
    my $leaves = between(0, 1);
    my $steps = between(500, 900);
    my $each = $rounds / 3;
    push_text("static void *node(void *level);\n");
    prepared();
    work($leaf, $leaves ? $steps * 4 : $steps, $leaves);
    work($join, $leaves ? $steps / 2 : $steps * 4, !$leaves);
    my $depth = $cpus < 4 ? 1 : 2;
    push_text("static void *node(void *level)\n{\n    unsigned d = *(unsigned *)level;\n"
        . "    unsigned below = d + 1;\n    pthread_t child;\n    uint32_t x = d;\n\n"
        . "    if (d >= $depth)\n        return (void *)(uintptr_t)($leaf(x) | 1);\n"
        . "    pthread_create(&child, NULL, node, &below);\n    node(&below);\n"
        . "    pthread_join(child, NULL);\n    return (void *)(uintptr_t)($join(x) | 1);\n}\n");
    threads(1, "    unsigned top = 0;\n\n    for (unsigned i = 0; i < $each; i++)\n"
        . "        x += node(&top) != NULL;\n");
}

# Two buffers that go between one that fills and one that empties them.
sub buffers {
    my ($fill, $drain) = (name(), name());
    my $fills = between(0, 1);
    my $steps = between(1000, 2000);
    push_text("static sem_t full, empty;\n");
    prepared('sem_init(&full, 0, 0);', 'sem_init(&empty, 0, 2);');
    work($fill, $fills ? $steps * 2 : $steps * 8 / 10, $fills);
    work($drain, $fills ? $steps * 8 / 10 : $steps * 2, !$fills);
    threads(2, each_round(line('if (me) {', '    sem_wait(&full);', "    x = $drain(x);",
        '    sem_post(&empty);', '} else {', '    sem_wait(&empty);', "    x = $fill(x);",
        '    sem_post(&full);', '}')));
}

# Threads look again and again, and sleep between, whether one has done its work.
sub backoff {
    my $count = most(2, 4);
    my ($slow, $own) = (name(), name());
    my $steps = between(1500, 3000);
    push_text("static volatile unsigned ready;\n");
    prepared();
    work($slow, $steps * 3, 1);
    work($own, $steps / 2, 0);
    threads($count, "    for (unsigned i = 1; i <= $rounds; i++) {\n" . line(
        'struct timespec t = {0, 4000};', '',
        'if (me == 0) {', "    x = $slow(x);", '    ready = i;', '    continue;', '}',
        'while (ready < i)', '    nanosleep(&t, NULL);', "x = $own(x);") . "    }\n");
}

# One reads from the disk ahead of others, which work on what was read.
sub read_ahead {
    my $eaters = between(1, $cpus < 4 ? 1 : 3);
    my ($read, $use) = (name(), name());
    $rounds /= 2;
    $options = '--set user_disk=1';
    push_text("static struct queue queue[1];\nstatic int file;\nstatic uint32_t eaten[THREADS];\n");
    prepared('queue_init(&queue[0], 4);', 'file = open("/proc/self/exe", O_RDONLY);');
    reads($read, 2);
    work($use, between(1500, 3000), 0);
    my $items = $rounds * $eaters;
    threads($eaters + 1, "    for (unsigned i = 0; me == 0 && i < $items; i++)\n"
        . "        queue_put(&queue[0], x = $read(x));\n"
        . "    for (unsigned i = 0; me && i < $rounds; i++)\n"
        . "        eaten[me] += $use(queue_take(&queue[0]));\n"
        . "    if (me)\n        x = eaten[me] != 1;\n");
}

# On one CPU a thread of high priority works; one that holds a lock is bound there as
# well, and others wait for the lock.
sub crowded {
    my ($hog, $held, $own) = (name(), name(), name());
    my $count = $cpus < 4 ? 3 : 4;
    my $us = between(60, 120);
    $also = 'affinity:all=all';
    push_text("static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n");
    prepared();
    work($hog, $us * 60, 1);
    work($held, $us * 10, 0);
    work($own, $us * 3, 0);
    threads($count, "    struct timespec t = {0, " . ($us * 400) . "};\n\n"
        . "    if (me < 2)\n        become(0, 1 + me);\n"
        . each_round(line('if (me == 1) {', '    nanosleep(&t, NULL);', "    x = $hog(x);",
            '    continue;', '}', "x = $own(x);", 'pthread_mutex_lock(&lock);',
            "x = $held(x);", 'pthread_mutex_unlock(&lock);')));
}

# A lock that is tried some times before a thread waits for it.
sub spin_then_block {
    my $count = most(3, 5);
    my ($held, $own) = (name(), name());
    my $steps = between(1200, 2400);
    my $tries = between(5, 30);
    push_text("static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n",
        "static void take(void)\n{\n    for (unsigned n = 0; n < $tries; n++)\n"
        . "        if (!pthread_mutex_trylock(&lock))\n            return;\n"
        . "    pthread_mutex_lock(&lock);\n}\n");
    prepared();
    work($held, $steps, 1);
    work($own, $steps / 4, 0);
    threads($count, each_round(line("x = $own(x);", 'take();', "x = $held(x);",
        'pthread_mutex_unlock(&lock);')));
}

# Tasks are given to a pool of threads, and what they come to is waited for.
sub futures {
    my $count = most(3, 5);
    my ($long, $short, $own) = (name(), name(), name());
    my $steps = between(700, 1400);
    my $each = $count - 1;
    push_text("static struct queue todo;\nstruct future {\n    sem_t is;\n    uint32_t value;\n};\n",
        "static struct future future[$each];\n");
    prepared('queue_init(&todo, 6);', "for (unsigned i = 0; i < $each; i++)",
        '    sem_init(&future[i].is, 0, 0);');
    work($long, $steps * 3, 1);
    work($short, $steps * 3 / 4, 0);
    work($own, $steps / 3, 0);
    threads($count, "    for (unsigned i = 0; me == 0 && i < $rounds; i++) {\n"
        . "        for (unsigned k = 0; k < $each; k++)\n            queue_put(&todo, k + 1);\n"
        . "        for (unsigned k = 0; k < $each; k++)\n            sem_wait(&future[k].is);\n"
        . "        x = $own(x);\n    }\n"
        . "    for (unsigned k = 0; me == 0 && k < $each; k++)\n        queue_put(&todo, 0);\n"
        . "    for (unsigned k; me && (k = queue_take(&todo));) {\n"
        . "        future[k - 1].value = k == 1 ? $long(k) : $short(k);\n"
        . "        sem_post(&future[k - 1].is);\n    }\n");
}

# Parts that whoever comes first prepares, and the others wait for that.
sub once {
    my $count = most(2, 5);
    my ($first, $own) = (name(), name());
    my $steps = between(900, 1800);
    push_text("static pthread_once_t is[$rounds];\n");
    prepared("for (unsigned i = 0; i < $rounds; i++)", '    is[i] = (pthread_once_t)PTHREAD_ONCE_INIT;');
    work($first, $steps * 2, 1);
    work($own, $steps, 0);
    push_text("static void prepare_part(void)\n{\n    done[15] += $first(1) | 1;\n}\n");
    threads($count, each_round(line('pthread_once(&is[i], prepare_part);', "x = $own(x);")));
}

# A producer that puts several things at a time.
sub batches {
    my $eaters = between(1, $cpus < 4 ? 1 : 3);
    my ($make, $use) = (name(), name());
    my $steps = between(500, 900);
    my $batch = between(2, 4);
    my $items = $rounds * $eaters;
    push_text("static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n",
        "static pthread_cond_t some = PTHREAD_COND_INITIALIZER;\n",
        "static unsigned stock;\nstatic uint32_t eaten[THREADS];\n",
        "static void put(unsigned n)\n{\n    pthread_mutex_lock(&lock);\n    stock += n;\n"
        . "    pthread_cond_broadcast(&some);\n    pthread_mutex_unlock(&lock);\n}\n",
        "static void take(void)\n{\n    pthread_mutex_lock(&lock);\n    while (!stock)\n"
        . "        pthread_cond_wait(&some, &lock);\n    stock--;\n"
        . "    pthread_mutex_unlock(&lock);\n}\n");
    prepared();
    work($make, $steps * 2, 1);
    work($use, $steps / 2, 0);
    threads($eaters + 1, "    for (unsigned i = 0; me == 0 && i < $items; i++) {\n"
        . "        x = $make(x);\n        if (i % $batch == $batch - 1 || i + 1 == $items)\n"
        . "            put(i % $batch + 1);\n    }\n"
        . "    for (unsigned i = 0; me && i < $rounds; i++) {\n        take();\n"
        . "        eaten[me] += $use(i);\n    }\n    if (me)\n        x = eaten[me] != 1;\n");
}

# A token goes round; one of those that have it keeps it long.
sub ring {
    my $count = between(2, $cpus < 8 ? $cpus : 6);
    my ($long, $short) = (name(), name());
    my $slow = between(0, $count - 1);
    my $steps = between(400, 800);
    push_text("static sem_t token[$count];\n");
    prepared("for (unsigned i = 0; i < $count; i++)", '    sem_init(&token[i], 0, i == 0);');
    work($long, $steps * 3, 1);
    work($short, $steps / 2, 0);
    threads($count, each_round(line('sem_wait(&token[me]);',
        "x = me == $slow ? $long(x) : $short(x);", "sem_post(&token[(me + 1) % $count]);")));
}

# A thread that sleeps between two things which it gives to others.
sub ticker {
    my $count = most(2, 4);
    my ($tick, $own) = (name(), name());
    my $us = between(30, 80);
    push_text("static sem_t go[$count];\n");
    prepared("for (unsigned i = 0; i < $count; i++)", '    sem_init(&go[i], 0, 0);');
    pause($tick, $us, 1);
    work($own, $us * 10, 0);
    threads($count, each_round(line('if (me == 0) {', "    x = $tick(x);",
        "    for (unsigned k = 1; k < $count; k++)", '        sem_post(&go[k]);',
        '    continue;', '}', 'sem_wait(&go[me]);', "x = $own(x);")));
}

# Many locks, of which all want one most of the time.
sub stripes {
    my $count = most(3, 6);
    my ($hot, $cold, $own) = (name(), name(), name());
    my $steps = between(800, 1600);
    push_text("static pthread_mutex_t lock[4];\n");
    prepared('for (unsigned i = 0; i < 4; i++)', '    pthread_mutex_init(&lock[i], NULL);');
    work($hot, $steps * 3 / 2, 1);
    work($cold, $steps / 3, 0);
    work($own, $steps / 3, 0);
    threads($count, each_round(line('unsigned k = (i + me) % 4 < 3 ? 0 : 1 + me % 3;', '',
        "x = $own(x);", 'pthread_mutex_lock(&lock[k]);', "x = k ? $cold(x) : $hot(x);",
        'pthread_mutex_unlock(&lock[k]);')));
}

# A lock that spins; who waits for it runs.
sub spinlock {
    my $count = between(2, $cpus);
    my ($held, $own) = (name(), name());
    my $steps = between(600, 1200);
    push_text("static pthread_spinlock_t lock;\n");
    prepared('pthread_spin_init(&lock, 0);');
    work($held, $steps, 1);
    work($own, $steps / 4, 0);
    threads($count, each_round(line("x = $own(x);", 'pthread_spin_lock(&lock);',
        "x = $held(x);", 'pthread_spin_unlock(&lock);')));
}

# A thread for every request, which is waited for.
sub requests {
    my ($serve, $own) = (name(), name());
    my $steps = between(1500, 3000);
    my $each = between(2, $cpus);
    prepared();
    work($serve, $steps * 3, 1);
    work($own, $steps / 2, 0);
    push_text("static void *request(void *of)\n{\n    uint32_t *x = of;\n\n"
        . "    *x = *x ? $own(*x) | 1 : $serve(1) | 1;\n    return NULL;\n}\n");
    threads(1, each_round(line("uint32_t value[$each] = {0};", "pthread_t thread[$each];", '',
        "for (unsigned k = 0; k < $each; k++)", '    value[k] = k;',
        "for (unsigned k = 0; k < $each; k++)",
        '    pthread_create(&thread[k], NULL, request, &value[k]);',
        "for (unsigned k = 0; k < $each; k++)", '    pthread_join(thread[k], NULL);',
        'x += value[0];')));
}

# Threads that talk by pipes: one answers what the others ask.
sub pipes {
    my $askers = between(1, $cpus < 4 ? 2 : 3);
    my ($answer, $own) = (name(), name());
    my $steps = between(1000, 2000);
    my $asked = $rounds * $askers;
    push_text("static int ask[2], reply[THREADS][2];\n");
    prepared('if (pipe(ask))', '    _exit(1);', "for (unsigned i = 0; i <= $askers; i++)",
        '    if (pipe(reply[i]))', '        _exit(1);');
    work($answer, $steps * 2, 1);
    work($own, $steps / 2, 0);
    threads($askers + 1, "    char who = (char)me;\n\n"
        . "    for (unsigned i = 0; me == 0 && i < $asked; i++) {\n"
        . "        if (read(ask[0], &who, 1) != 1)\n            _exit(1);\n"
        . "        done[THREADS - 1] += $answer(i) | 1;\n"
        . "        if (write(reply[(unsigned)who][1], &who, 1) != 1)\n            _exit(1);\n    }\n"
        . "    for (unsigned i = 0; me && i < $rounds; i++) {\n        x = $own(x);\n"
        . "        if (write(ask[1], &who, 1) != 1 || read(reply[me][0], &who, 1) != 1)\n"
        . "            _exit(1);\n    }\n");
}

# What a queue's lock is held for: the thing itself is worked on below it.
sub queue_hold {
    my $count = most(3, 5);
    my ($below, $own) = (name(), name());
    my $steps = between(900, 1600);
    my $all = $count * $rounds;
    push_text("static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n",
        "static unsigned left = $all;\n");
    prepared();
    work($below, $steps, 1);
    work($own, $steps, 0);
    push_text("static uint32_t next(void)\n{\n    uint32_t x = 0;\n\n"
        . "    pthread_mutex_lock(&lock);\n    if (left)\n"
        . "        x = $below(left--) | 1;\n    pthread_mutex_unlock(&lock);\n    return x;\n}\n");
    threads($count, "    while ((x = next()))\n        done[THREADS - 1 - me] |= $own(x) & 0;\n");
}

# Locks in locks, all in one order; the innermost is held by a sleep now and then.
sub deep {
    my $count = most(3, 5);
    my ($slow, $quick, $own) = (name(), name(), name());
    my $us = between(40, 90);
    push_text("static pthread_mutex_t lock[3];\n");
    prepared('for (unsigned i = 0; i < 3; i++)', '    pthread_mutex_init(&lock[i], NULL);');
    pause($slow, $us, 1);
    work($quick, $us * 3, 0);
    work($own, $us * 6, 0);
    threads($count, each_round(line("x = $own(x);",
        'for (unsigned k = me % 2; k < 3; k++)', '    pthread_mutex_lock(&lock[k]);',
        "x = (i + me) % 3 ? $quick(x) : $slow(x);",
        'for (unsigned k = 3; k-- > me % 2;)', '    pthread_mutex_unlock(&lock[k]);')));
}

# A counting semaphore of several, kept while others are worked out; and a timed wait.
sub timed {
    my $count = most(2, 4);
    my ($slow, $own) = (name(), name());
    my $steps = between(1500, 2500);
    push_text("static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n",
        "static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;\nstatic unsigned ready;\n");
    prepared();
    work($slow, $steps * 2, 1);
    work($own, $steps / 2, 0);
    threads($count, "    for (unsigned i = 1; i <= $rounds; i++) {\n" . line(
        'struct timespec t;', '', 'if (me == 0) {', "    x = $slow(x);",
        '    pthread_mutex_lock(&lock);', '    ready = i;',
        '    pthread_cond_broadcast(&changed);', '    pthread_mutex_unlock(&lock);',
        '    continue;', '}', 'clock_gettime(CLOCK_REALTIME, &t);', 't.tv_sec += 5;',
        'pthread_mutex_lock(&lock);', 'while (ready < i)',
        '    pthread_cond_timedwait(&changed, &lock, &t);', 'pthread_mutex_unlock(&lock);',
        "x = $own(x);") . "    }\n");
}

sub our_kinds {
    return (
    ['rw-writer', sub { rwlock(0) }], ['rw-readers', sub { rwlock(1) }], ['herd', \&herd],
    ['phases', \&phases], ['stealing', \&stealing], ['tree', \&tree], ['buffers', \&buffers],
    ['backoff', \&backoff], ['read-ahead', \&read_ahead], ['crowded', \&crowded],
    ['spin-block', \&spin_then_block], ['futures', \&futures], ['once', \&once],
    ['batches', \&batches], ['ring', \&ring], ['ticker', \&ticker], ['stripes', \&stripes],
    ['spinlock', \&spinlock], ['requests', \&requests], ['pipes', \&pipes],
    ['queue-hold', \&queue_hold], ['deep', \&deep], ['timed', \&timed]);
}
1;
