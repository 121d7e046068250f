# flags.mk - what the guest needs from its compiler and linker.
# Real mode, no floating point, no small data (r13), r2 is the running thread.
# Frames stay walkable: no sibling calls, no shrink-wrapping, no clones.
# patchable-function-entry: a table of function starts, for the stack walker.
GUEST_CFLAGS = -std=gnu11 -mcpu=604 -O2 -gdwarf-4 -ffreestanding -nostdlib \
	-static -msoft-float -msdata=none -G 0 -mno-multiple -mno-string \
	-fno-strict-aliasing -fno-pic -fno-pie -fno-common -fno-stack-protector \
	-fno-asynchronous-unwind-tables -fno-optimize-sibling-calls \
	-fno-shrink-wrap -fno-partial-inlining -fno-ipa-sra -fno-ipa-cp \
	-fno-tree-loop-distribute-patterns \
	-fpatchable-function-entry=1,1 \
	-Wall -Wextra -Wshadow -Wundef -Wstrict-prototypes \
	-Wmissing-prototypes -Werror
GUEST_LDFLAGS = -T guest/guest.ld -no-pie -Wl,--build-id=sha1 \
	-Wl,--no-dynamic-linker -Wl,-z,noexecstack -Wl,-z,max-page-size=4096 -Wl,--fatal-warnings

# Programs of guest/work/pthread: optimised, and each function in its stack.
WORKLOAD_CFLAGS = -O2 -g -Wall -Wextra -Werror -fno-inline -fno-ipa-cp \
	-fno-optimize-sibling-calls

# The kernel with no more of guest/calls than a static program of threads needs: what
# is carried out for the processor, and where signal handlers return to.
guest_core := $(filter-out $(OBJ)/guest/calls/%,$(guest_obj)) \
	$(call gobj,guest/calls/emulate.c guest/calls/vdso.S)
$(BUILD)/guest-core.elf: $(guest_core) $(wildcard guest/*.ld guest/*/*.ld)
	$(call do,GUEST) $(guest_cc) $(GUEST_LDFLAGS) -o $@ $(guest_core) $(GUEST_LDLIBS) -lgcc
