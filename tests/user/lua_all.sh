#!/bin/sh
# lua_all.sh - the Lua interpreter runs scripts as it does under qemu-ppc:
# tables, strings, closures, coroutines, arithmetic, files.
# timeout: 1200
. "$(dirname "$0")/real.sh"

real_lua
lua=$TMPDIR/src/src/lua

export SETUP="cp $here/script.lua ."
same "$lua" script.lua argument
exit $bad
