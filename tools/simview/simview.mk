# simview: a window for experiments. It is not part of `make`, as it alone needs
# SDL: `make view` installs that and builds it, `make check` too.
view_src := $(call sources,c tools/simview)
view_obj := $(call obj,$(view_src) $(filter-out tools/simprof/main.c,$(call sources,c tools/simprof)))

$(BUILD)/simview: $(view_obj) $(filter-out %libsim.a,$(libs))
	$(call do,LD) $(CC) $(OPT) $(EXTRA_CFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) -lSDL2 -lSDL2_ttf -lSDL2_image -ldw -lelf -lcapstone -ljansson -ledit -lz -lm $(LDLIBS)

tests bench-view: $(BUILD)/simview
.PHONY: view deb
view:
	@CC='$(CC)' tests/setup/packages install build view
	+@$(sub) $(BUILD)/simview

# The package has simview, too.
deb:
	@CC='$(CC)' tests/setup/packages install build view deb
	+@$(sub) all $(BUILD)/simview
	@BUILD='$(BUILD)' tests/setup/deb
