# stencils.mk - code that is copied at run time (stencils.c): an object file of
# its own, position-dependent and a section a function, kept as data (stencil.c).
# On other hosts than x86-64 it is empty.
stencils := $(OBJ)/sim/core/fast/stencils.o
ifneq ($(filter x86_64-%,$(shell $(CC) -dumpmachine)),)
$(stencils): private OPT = -O2 -fno-pic -fno-pie -mcmodel=small \
  -ffunction-sections -fno-stack-protector -fcf-protection=none \
  -fno-asynchronous-unwind-tables -ffp-contract=off
$(OBJ)/tests/isa/fp_host_test.o: private CFLAGS += -mfma -ffp-contract=off
endif
$(stencils): private EXTRA_CFLAGS =
$(OBJ)/sim/core/fast/stencil.o: $(stencils)
$(OBJ)/sim/core/fast/stencil.o: private CFLAGS += -fno-lto \
  -DSTENCILS_OBJECT='"$(stencils)"' # its names are assembly's, which LTO loses
