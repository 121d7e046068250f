/* description.c - see description.h. */
#include "sim/tasks/description.h"

#include <stdio.h>

#include "lib/dwarf/layout.h"

#define SWITCH "_switch"
#define MTSPR_SPRG3 UINT32_C(0x7C1343A6) /* mtspr SPRG3,r0 */
#define WITHOUT_R UINT32_C(0xFC1FFFFF)
#define LARGEST 65536u /* bytes of a task_struct: more is damage */

enum {
    THREAD,
    PID,
    TGID,
    STATE,
    OLD_STATE, /* up to Linux 5.13 */
    EXIT_STATE,
    MM,
    COMM,
    NEEDED,
    ON_RQ = NEEDED, /* what follows a kernel may lack */
    SE,
    DELAYED, /* since Linux 6.12 */
    FLAGS,
    MEMBERS
};

static const char *const names_of[MEMBERS] = {
    "thread", "pid",  "tgid",  "__state", "state",         "exit_state",
    "mm",     "comm", "on_rq", "se",      "sched_delayed", "flags"};

/* Does the function that goes from one task to another say so in SPRG3? */
static bool switches(const struct image *i, const struct names *names)
{
    uint32_t from, end, word;

    if (!names_extent(names, SWITCH, &from, &end))
        return false;
    for (; from < end && image_word(i, from, &word); from += 4)
        if ((word & WITHOUT_R) == MTSPR_SPRG3)
            return true;
    return false;
}

static bool refuse(const struct image *i, const char *what, char *why,
                   size_t size)
{
    snprintf(why, size, "%s: %s; its tasks are not told apart", i->name, what);
    return false;
}

/* What every member is needed for is there, and within reason. */
static bool whole(const struct layout_member *m)
{
    for (unsigned k = 0; k < NEEDED; k++) {
        bool either = k == STATE || k == OLD_STATE;

        if (!m[k].found && !either)
            return false;
        if (m[k].offset > LARGEST || m[k].size > LARGEST)
            return false;
    }
    return (m[STATE].found || m[OLD_STATE].found) && m[COMM].size;
}

bool task_description_read(struct task_description *d, const struct image *i,
                           const struct names *names, char *why, size_t size)
{
    struct layout_member m[MEMBERS];
    struct elf_image file;
    struct elf_wrong unused;

    *d = (struct task_description){0};
    for (unsigned k = 0; k < MEMBERS; k++)
        m[k] = (struct layout_member){.structure = "task_struct",
                                      .name = names_of[k]};
    m[DELAYED].structure = "sched_entity";
    if (!elf_image_borrow(&file, i->bytes, i->size, &unused))
        return refuse(i, "it is no ELF file", why, size);
    layout_find(&file, m, MEMBERS);
    elf_image_close(&file);
    if (!m[PID].described)
        return refuse(i,
                      "it has no debugging information of its task_struct, "
                      "build it with CONFIG_DEBUG_INFO_DWARF4=y",
                      why, size);
    if (!whole(m))
        return refuse(i, "its task_struct lacks members that Linux's has", why,
                      size);
    if (!switches(i, names))
        return refuse(i, "it has no function " SWITCH " that writes SPRG3", why,
                      size);
    *d = (struct task_description){
        .thread = (uint32_t)m[THREAD].offset,
        .pid = (uint32_t)m[PID].offset,
        .tgid = (uint32_t)m[TGID].offset,
        .state = (uint32_t)m[m[STATE].found ? STATE : OLD_STATE].offset,
        .exit_state = (uint32_t)m[EXIT_STATE].offset,
        .mm = (uint32_t)m[MM].offset,
        .comm = (uint32_t)m[COMM].offset,
        .comm_size = (uint32_t)m[COMM].size,
        .on_rq = m[ON_RQ].found ? (uint32_t)m[ON_RQ].offset : TASK_UNKNOWN,
        .delayed = m[SE].found && m[DELAYED].found
                       ? (uint32_t)(m[SE].offset + m[DELAYED].offset)
                       : TASK_UNKNOWN,
        .flags = m[FLAGS].found && m[FLAGS].offset <= LARGEST
                     ? (uint32_t)m[FLAGS].offset
                     : TASK_UNKNOWN,
    };
    return true;
}

/* ---- waiting ------------------------------------------------------------- */

void wait_description_read(struct wait_description *d, const struct image *i)
{
    enum {
        MASK,
        OLD_MASK,
        TID,
        INFO,
        CPU,
        REGS,
        GPR,
        GPR3,
        MSR,
        NIP,
        LINK,
        MUTEX,
        RWSEM
    };
    struct layout_member m[] = {
        [MASK] = {.structure = "task_struct", .name = "cpus_mask"},
        [OLD_MASK] = {.structure = "task_struct", .name = "cpus_allowed"},
        [TID] = {.structure = "task_struct", .name = "clear_child_tid"},
        [INFO] = {.structure = "task_struct", .name = "thread_info"},
        [CPU] = {.structure = "thread_info", .name = "cpu"},
        [REGS] = {.structure = "thread_struct", .name = "regs"},
        [GPR] = {.structure = "pt_regs", .name = "gpr"},
        [GPR3] = {.structure = "pt_regs", .name = "orig_gpr3"},
        [MSR] = {.structure = "pt_regs", .name = "msr"},
        [NIP] = {.structure = "pt_regs", .name = "nip"},
        [LINK] = {.structure = "pt_regs", .name = "link"},
        [MUTEX] = {.structure = "mutex", .name = "owner"},
        [RWSEM] = {.structure = "rw_semaphore", .name = "owner"},
    };
    enum { ALL = sizeof m / sizeof *m };
    uint32_t offset[ALL];
    struct elf_image file;
    struct elf_wrong unused;

    if (elf_image_borrow(&file, i->bytes, i->size, &unused)) {
        layout_find(&file, m, ALL);
        elf_image_close(&file);
    }
    for (unsigned k = 0; k < ALL; k++)
        offset[k] = m[k].found && m[k].offset <= LARGEST && m[k].offset % 4 == 0
                        ? (uint32_t)m[k].offset
                        : TASK_UNKNOWN;
    *d = (struct wait_description){
        .cpus = offset[m[MASK].found ? MASK : OLD_MASK],
        .clear_tid = offset[TID],
        .cpu = m[INFO].found && m[CPU].found ? offset[INFO] + offset[CPU]
                                             : TASK_UNKNOWN,
        .regs = offset[REGS],
        .gpr = offset[GPR],
        .gpr3 = offset[GPR3],
        .msr = offset[MSR],
        .nip = offset[NIP],
        .link = offset[LINK],
        .mutex_owner = offset[MUTEX],
        .rwsem_owner = offset[RWSEM],
    };
}

/* ---- programs ------------------------------------------------------------ */

static const struct {
    const char *structure, *member;
    size_t to; /* in struct program_description */
} way[] = {
#define WAY(structure, member, to)                                             \
    {                                                                          \
        structure, member, offsetof(struct program_description, to)            \
    }
    WAY("mm_struct", "exe_file", exe_file),
    WAY("mm_struct", "start_code", start_code),
    WAY("mm_struct", "end_code", end_code),
    WAY("file", "f_path", f_path),
    WAY("path", "mnt", mnt),
    WAY("path", "dentry", dentry),
    WAY("dentry", "d_parent", d_parent),
    WAY("dentry", "d_name", d_name),
    WAY("qstr", "name", name),
    WAY("vfsmount", "mnt_root", mnt_root),
    WAY("mount", "mnt", mount),
    WAY("mount", "mnt_parent", mnt_parent),
    WAY("mount", "mnt_mountpoint", mnt_mountpoint),
#undef WAY
};

#define WAYS (sizeof way / sizeof *way)

bool program_description_read(struct program_description *d,
                              const struct image *i, char *why, size_t size)
{
    struct elf_image file;
    struct elf_wrong unused;
    const char *lacks = NULL;
    struct layout_member m[WAYS];

    for (size_t k = 0; k < WAYS; k++)
        m[k] = (struct layout_member){.structure = way[k].structure,
                                      .name = way[k].member};
    if (!elf_image_borrow(&file, i->bytes, i->size, &unused))
        return false;
    layout_find(&file, m, WAYS);
    elf_image_close(&file);
    for (size_t k = 0; k < WAYS; k++) {
        if (!m[k].found || m[k].offset > LARGEST)
            lacks = m[k].structure;
        *(uint32_t *)(void *)((char *)d + way[k].to) = (uint32_t)m[k].offset;
    }
    if (lacks)
        snprintf(why, size,
                 "%s: its debugging information lacks what struct %s has; its "
                 "programs' functions have no names",
                 i->name, lacks);
    return !lacks;
}
