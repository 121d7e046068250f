# workloads.mk - the programs of this folder, for the guest and for --user:
# static, by the stock compiler. Included by the Makefile.
workloads := $(patsubst guest/work/pthread/%.c,$(BUILD)/workloads/%, \
	$(wildcard guest/work/pthread/*.c))
.PHONY: workloads
workloads: $(workloads)
$(workloads): $(BUILD)/workloads/%: guest/work/pthread/%.c \
		$(wildcard guest/work/pthread/common/*) guest/flags.mk
	@mkdir -p $(@D)
	$(call do,GUEST) $(CROSS)gcc -std=gnu11 -I. $(WORKLOAD_CFLAGS) $(MAPS) \
	  -static -pthread -o $@ $(filter %.c,$^)
