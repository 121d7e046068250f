/* version.h - which simrun, simprof and simmark these are. */
#ifndef LIB_BASE_VERSION_H
#define LIB_BASE_VERSION_H

#define SIMRUN_VERSION "0.1"

#endif
