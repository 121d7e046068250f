# memo.mk - what --memo is where nothing is said: make MEMO_DEFAULT=MEMO_CHECK
# (tests/core/memo_all.sh).
$(OBJ)/sim/core/detailed/memo/memo.o: private CFLAGS += \
  $(MEMO_DEFAULT:%=-DMEMO_DEFAULT=%)
