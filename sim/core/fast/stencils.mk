# stencils.mk - code that is copied at run time (stencils.c): an object file of
# its own for fast mode, for warm mode and for traces, position-dependent and a section a
# function, kept as data (stencil.c). On other hosts than x86-64 they are empty.
stencils := $(OBJ)/sim/core/fast/stencils.o
stencils_warm := $(OBJ)/sim/core/fast/stencils_warm.o
stencils_memo := $(OBJ)/sim/core/fast/stencils_memo.o
all_stencils := $(stencils) $(stencils_warm) $(stencils_memo)
# Registers that stencil_enter keeps for C, so that a stencil need not; another
# compiler than gcc saves those that it uses.
ifneq ($(findstring gcc,$(shell $(CC) -v 2>&1 | tail -n 1)),)
freed := $(addprefix -fcall-used-,rbx r12 r13 r14 r15)
endif
ifneq ($(filter x86_64-%,$(shell $(CC) -dumpmachine)),)
$(all_stencils): private override OPT = -O2 -fno-pic -fno-pie \
  -mcmodel=small -mno-red-zone -ffunction-sections -fno-stack-protector \
  -fcf-protection=none -fno-asynchronous-unwind-tables -ffp-contract=off \
  $(freed)
$(OBJ)/tests/isa/fp_host_test.o: private CFLAGS += -mfma -ffp-contract=off
endif
$(all_stencils): private override EXTRA_CFLAGS =
# The names in stencil.c are assembly's, which LTO loses.
$(OBJ)/sim/core/fast/stencil.o: $(all_stencils)
$(OBJ)/sim/core/fast/stencil.o: private CFLAGS += -fno-lto \
  -DSTENCILS_OBJECT='"$(stencils)"' -DSTENCILS_WARM='"$(stencils_warm)"' \
  -DSTENCILS_MEMO='"$(stencils_memo)"'
