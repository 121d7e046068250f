# stencils.mk - code that is copied at run time (stencils.c): an object file of
# its own, position-dependent and a section a function, kept as data (stencil.c).
stencils := $(OBJ)/sim/core/fast/stencils.o
$(stencils): private OPT = -O2 -fno-pic -fno-pie -mcmodel=small \
  -ffunction-sections -fno-stack-protector -fcf-protection=none \
  -fno-asynchronous-unwind-tables
$(stencils): private EXTRA_CFLAGS =
$(OBJ)/sim/core/fast/stencil.o: $(stencils)
$(OBJ)/sim/core/fast/stencil.o: private CFLAGS += -DSTENCILS_OBJECT='"$(stencils)"'
