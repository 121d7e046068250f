/* lock_record.S - takes and gives back locks; every instruction takes a cycle in
 * fast mode, so that tests/observe/lock_record_test.sh can count what stands in
 * the records. The functions have the names of the C library's.
 */
    .macro call function, what
    lis 3, \what@ha
    addi 3, 3, \what@l
    bl \function
    .endm
    .macro work count
    .rept \count
    nop
    .endr
    .endm

    .globl _start, pthread_mutex_lock, pthread_mutex_trylock
    .globl pthread_mutex_timedlock, pthread_mutex_unlock
    .globl pthread_rwlock_rdlock, pthread_rwlock_unlock, pthread_cond_wait
_start:
    call pthread_mutex_lock, plain
    work 10
    call pthread_mutex_unlock, plain
    call pthread_mutex_trylock, plain   /* is not taken */
    call pthread_mutex_unlock, plain    /* ... so not given back either */
    call pthread_mutex_lock, deep
    call pthread_mutex_lock, deep
    work 2
    call pthread_mutex_unlock, deep
    work 5
    call pthread_mutex_unlock, deep
    call pthread_rwlock_rdlock, table
    work 20
    call pthread_rwlock_unlock, table
    call pthread_mutex_lock, plain
    work 30
    lis 3, condition@ha
    addi 3, 3, condition@l
    lis 4, plain@ha
    addi 4, 4, plain@l
    bl pthread_cond_wait
    work 40
    call pthread_mutex_unlock, plain
    call pthread_mutex_timedlock, plain /* is left in another way */
    nop                                 /* is not reached */
    call pthread_mutex_lock, kept
    work 7
    li 0, 234                           /* exit_group */
    li 3, 0
    sc

pthread_mutex_lock:
    li 3, 0
    blr
pthread_mutex_trylock:
    li 3, 16
    blr
pthread_mutex_timedlock:
    mflr 5
    addi 5, 5, 4                        /* behind the place it was called from */
    mtctr 5
    bctr
pthread_mutex_unlock:
    nop
    nop
    blr
pthread_rwlock_rdlock:
    li 3, 0
    blr
pthread_rwlock_unlock:
    blr
pthread_cond_wait:
    work 99
    li 3, 0
    blr

    .type plain, @object
    .type deep, @object
    .type table, @object
    .type kept, @object
    .type condition, @object
    .size plain, 4
    .size deep, 4
    .size table, 4
    .size kept, 4
    .size condition, 4
    .data
plain: .long 0
deep: .long 0
table: .long 0
kept: .long 0
condition: .long 0
