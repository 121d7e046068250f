/* report.c - what is said at the end: what the hooks have counted, and whether
 * their checks passed. Names come from the host's tools; here are addresses.
 */
#include "guest/kernel/hook.h"

bool report_check(bool good, const char *what)
{
    if (!good || !options()->program) /* the console is the program's */
        kprintf("%s: %s\n", good ? "PASS" : "FAIL", what);
    return good;
}

bool report(void)
{
    bool good = true;

    FOR_TABLE (hook, report)
        good &= (*hook)();
    return good;
}
