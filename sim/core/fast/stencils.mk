# stencils.mk - code that is copied at run time (stencils.c): an object file of
# its own for fast and one for warm mode, position-dependent and a section a
# function, kept as data (stencil.c). On other hosts than x86-64 they are empty.
stencils := $(OBJ)/sim/core/fast/stencils.o
stencils_warm := $(OBJ)/sim/core/fast/stencils_warm.o
ifneq ($(filter x86_64-%,$(shell $(CC) -dumpmachine)),)
$(stencils) $(stencils_warm): private override OPT = -O2 -fno-pic -fno-pie \
  -mcmodel=small -mno-red-zone -ffunction-sections -fno-stack-protector \
  -fcf-protection=none -fno-asynchronous-unwind-tables -ffp-contract=off
$(OBJ)/tests/isa/fp_host_test.o: private CFLAGS += -mfma -ffp-contract=off
endif
$(stencils) $(stencils_warm): private override EXTRA_CFLAGS =
# The names in stencil.c are assembly's, which LTO loses.
$(OBJ)/sim/core/fast/stencil.o: $(stencils) $(stencils_warm)
$(OBJ)/sim/core/fast/stencil.o: private CFLAGS += -fno-lto \
  -DSTENCILS_OBJECT='"$(stencils)"' -DSTENCILS_WARM='"$(stencils_warm)"'
