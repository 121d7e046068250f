/* world.h - a program that marks can lie in: code, data and symbols. */
#ifndef TESTS_LIB_WORLD_H
#define TESTS_LIB_WORLD_H

#include "pmu/markspec/perfinst.h"

extern const struct perfinst_world small_world;

#endif
