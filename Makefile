# simrun - build, run, test. `make run` and `make check` are the two commands
# a newcomer needs; `make help` lists the rest. One Makefile, one
# wildcard a room, every product under $(BUILD).

BUILD ?= build
CC = gcc
CROSS ?= powerpc-linux-gnu-
OPT ?= -O2 -g
PREFIX ?= /usr/local

WARN := -Wall -Wextra -Wshadow -Wundef -Wstrict-prototypes -Wmissing-prototypes -Werror
CFLAGS = -std=gnu11 -I. $(OPT) $(WARN) $(EXTRA_CFLAGS)
MAPS := -ffile-prefix-map='$(CURDIR)'=.
OBJ := $(BUILD)/obj
# One short line a file; V=1 shows the commands, make -s nothing.
quiet := $(findstring s,$(firstword -$(MAKEFLAGS)))
do = $(if $(V),,@$(if $(quiet),,printf "  %-5s %s\n" $(1) "$@";))

sources = $(shell tests/setup/sources $(1))
isa_src := $(call sources,c isa)
pmu_src := $(call sources,c pmu)
sim_src := $(filter-out sim/main.c %/stencils.c %/stencils_warm.c %/stencils_memo.c,$(call sources,c sim))
tools_src := $(call sources,c tools/analysis)
lib_src := $(call sources,c lib)
test_src := $(call sources,c tests/lib)
guest_src := $(sort $(filter-out guest/work/pthread/% guest/linux/%,$(call sources,c guest)) $(call sources,S guest))

obj = $(patsubst %,$(OBJ)/%.o,$(basename $(1)))
gobj = $(patsubst %,$(OBJ)/%.o,$(1))
tool = $(call obj,$(call sources,c tools/$(1)))

rooms := tools sim pmu isa lib
libs := $(rooms:%=$(BUILD)/lib%.a)
libtest := $(BUILD)/libtest.a

programs := $(patsubst %,$(BUILD)/%,simrun simprof simmark guest.elf)

# Test programs: tests/<folder>/NAME_test.c and NAME_all.c, one binary each.
unit_src := $(sort $(wildcard tests/*/*_test.c))
slow_src := $(sort $(wildcard tests/*/*_all.c))
unit := $(unit_src:%.c=$(BUILD)/%)
slow := $(slow_src:%.c=$(BUILD)/%)

.PHONY: all tests tests-all objects run check check-all asan pgo bench bench-prof bench-pif bench-view idle-proof fuzz linux fmt docs help install uninstall clean FORCE
.DELETE_ON_ERROR:
.SECONDARY:

all: $(programs)
tests: all $(unit)
tests-all: tests $(slow)
# Every host object, linked or not: what a second compiler is tried on.
objects: $(call obj,$(isa_src) $(pmu_src) $(sim_src) sim/main.c $(tools_src) $(test_src) \
         $(unit_src) $(slow_src)) $(call tool,simprof) $(call tool,simmark)

# --- host ---------------------------------------------------------------
# Objects depend on the compiler and flags they were made with; the packages
# that building needs are looked for before the first of them.
$(OBJ)/flags: FORCE
	@mkdir -p $(@D); echo '$(CC) $(CFLAGS)' | cmp -s - $@ || { \
	  CC='$(CC)' tests/setup/packages check build && \
	  echo '$(CC) $(CFLAGS)' > $@; }

$(OBJ)/%.o: %.c $(OBJ)/flags
	@mkdir -p $(@D)
	$(call do,CC) $(CC) $(CFLAGS) $(MAPS) -MMD -MP -c -o $@ $<

define library
$(BUILD)/lib$(1).a: $(call obj,$($(1)_src)) Makefile
	@rm -f $$@; mkdir -p $$(@D)
	@$(AR) rcs $$@ $$(filter %.o,$$^)
endef
$(foreach room,$(rooms) test,$(eval $(call library,$(room))))

$(BUILD)/simrun: $(OBJ)/sim/main.o $(filter-out %libtools.a,$(libs))
	$(call do,LD) $(CC) $(OPT) $(EXTRA_CFLAGS) -o $@ $^ -ldw -lelf -lcapstone -ljansson -lfdt $(LDLIBS)

$(BUILD)/simprof: $(call tool,simprof)
$(BUILD)/simmark: $(call tool,simmark)
$(BUILD)/simprof $(BUILD)/simmark: $(filter-out %libsim.a,$(libs))
	$(call do,LD) $(CC) $(OPT) $(EXTRA_CFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) -ldw -lelf -lcapstone -Wl,--as-needed -ljansson -ledit -lz -lm $(LDLIBS)

$(unit) $(slow): $(BUILD)/%: $(OBJ)/%.o $(libtest) $(libs)
	@mkdir -p $(@D)
	$(call do,LD) $(CC) $(OPT) $(EXTRA_CFLAGS) -o $@ $^ -lcmocka -ldw -lelf -lcapstone -ljansson -lfdt -lm $(LDLIBS)

# --- guest: the same bits from any directory ------------------------------
guest_obj := $(call gobj,$(guest_src))
-include guest/flags.mk $(wildcard $(addsuffix /*.mk,guest/work/* sim/core/* sim/core/*/* tools/* tools/*/*/*))
guest_cc = $(CROSS)gcc -I. $(GUEST_CFLAGS) $(MAPS)

$(OBJ)/guest/flags: FORCE
	@mkdir -p $(@D); echo '$(guest_cc) $(GUEST_LDFLAGS)' | cmp -s - $@ || { \
	  CC='$(CC)' tests/setup/packages check build && \
	  echo '$(guest_cc) $(GUEST_LDFLAGS)' > $@; }

$(guest_obj): $(OBJ)/%.o: % $(OBJ)/guest/flags
	@mkdir -p $(@D)
	$(call do,GUEST) $(guest_cc) -MMD -MP -c -o $@ $<

$(BUILD)/guest.elf: $(guest_obj) $(wildcard guest/*.ld guest/*/*.ld)
	$(call do,GUEST) $(guest_cc) $(GUEST_LDFLAGS) -Wl,--build-id=sha1 -o $@ \
	  $(guest_obj) $(GUEST_LDLIBS) -lgcc

-include $(shell find $(OBJ) -name '*.d' 2>/dev/null)

# --- what people and machines call ----------------------------------------
# On all processors, unless told otherwise.
sub = $(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc))
run:
	@CC='$(CC)' tests/setup/packages install build
	+@$(sub) all
	@BUILD='$(BUILD)' tests/setup/demo

check:
	@CC='$(CC)' tests/setup/packages install build test
	+@$(sub) tests
	@BUILD='$(BUILD)' CC='$(CC)' tests/run $(T)

check-all:
	@CC='$(CC)' tests/setup/packages install build test all
	+@$(sub) tests-all
	@BUILD='$(BUILD)' CC='$(CC)' tests/run --all $(T)

# The same tests on a build that stops at the first bad access.
asan:
	@CC='$(CC)' tests/setup/packages install build test
	+@$(sub) BUILD='$(BUILD)/asan' tests \
	  OPT="-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all"
	@BUILD='$(BUILD)/asan' CC='$(CC)' TIMES=5 tests/run \
	  -check/ -e2e/packages -e2e/reproducible $(T)

bench bench-prof bench-pif bench-view idle-proof pgo: all $(libtest)
	@BUILD='$(BUILD)' CROSS='$(CROSS)' CC='$(CC)' MAKE='$(sub)' tests/bench/$(@:bench=run)

fuzz linux: all
	@BUILD='$(BUILD)' CC='$(CC)' CROSS='$(CROSS)' tests/$@/$(if $(filter fuzz,$@),run,build)

fmt:
	clang-format -i $$(git ls-files '*.c' '*.h')

docs: all
	@tests/setup/docs && export BUILD='$(BUILD)' && tests/setup/pictures && tests/setup/transcripts

install: all
help install uninstall:
	@BUILD='$(BUILD)' DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' tests/setup/install $@

clean:
	rm -rf $(BUILD)
