/* version.h - which simrun, simprof and simmark these are. */
#ifndef ISA_VERSION_H
#define ISA_VERSION_H

#define SIMRUN_VERSION "0.1"

#endif
