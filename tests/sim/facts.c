/* facts.c - prints every fact of the board and the arguments. */
#include "tests/sim/bare.h"

static void line(const char *name, u32 value)
{
    print(name);
    put(' ');
    print_hex(value);
    put('\n');
}

int _start(void)
{
    line("cpus", in32(BOARD_INFO + INFO_CPUS));
    line("ram", in32(BOARD_INFO + INFO_RAM));
    line("clock", in32(BOARD_INFO + INFO_CLOCK));
    line("timebase", in32(BOARD_INFO + INFO_TIMEBASE));
    line("tick", in32(BOARD_INFO + INFO_TB_CYCLES));
    line("seed", in32(BOARD_INFO + INFO_SEED));
    line("stack", (u32)__builtin_frame_address(0) >> 12);
    print("args ");
    for (u32 a = BOARD_INFO + INFO_ARGS; in8(a); a++)
        put((char)in8(a));
    put('\n');
    return 0;
}
