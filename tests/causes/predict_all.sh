#!/bin/sh
# predict_all.sh - predict_test.sh on 2, 4 and 8 CPUs; prints every miss.
# timeout: 1200
CPUS="2 4 8" exec sh tests/causes/predict_test.sh
