/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_SEMIHOST_H
#define RIVULET_SEMIHOST_H
/*
 * RISC-V semihosting (RISC-V Semihosting 0.2, the operations of Arm's specification): what a program asks of its host.
 * Files lie below one directory: names are relative to it, ".." and symbolic links are refused, so a program cannot
 * reach anything else. Time is that of the model, 50 million cycles a second, so a run gives the same result each time;
 * only SYS_TIME (seconds since 1970) is the host's.
 *
 *   OPEN CLOSE READ WRITE SEEK FLEN REMOVE RENAME ISTTY ISERROR ERRNO   files; ":tt" is the console,
 *                                                                       ":semihosting-features" says EXIT_EXTENDED
 *   WRITEC WRITE0 READC                                                 the console
 *   CLOCK TIME ELAPSED TICKFREQ                                         time
 *   GET_CMDLINE HEAPINFO                                                the program's name; zeros
 *   EXIT EXIT_EXTENDED                                                  the end of the run
 *   SYSTEM TMPNAM                                                       refused: -1
 */
#include <stdbool.h>
#include <stdint.h>
#include "model/model.h"

#define SEMIHOST_FILES 16
#define SEMIHOST_HZ 50000000u

struct semihost { /* a file is open where fd >= 0 or console is set; handle = index + 1 */
	int directory;
	const char *command;                          /* what GET_CMDLINE gives */
	void (*console)(void *context, uint8_t byte); /* where the console's output goes */
	void *context;
	struct {
		int fd;
		bool console;
	} files[SEMIHOST_FILES];
	int error;        /* errno of the last operation that failed */
	uint64_t refused; /* names that are not below the directory, operations that are not done */
};

/* Returns 0 or a negative errno. directory NULL: no files, the console alone. command must live as long. */
int semihost_open(struct semihost *semihost, const char *directory, const char *command);
void semihost_close(struct semihost *semihost);
/* For fast_options.semihost: context is the struct semihost. */
uint32_t semihost_call(
    void *context, struct model *model, uint32_t operation, uint32_t parameter, bool *exit, uint32_t *code);
#endif
