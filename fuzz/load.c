/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The golden model's loader, and the first cycles of what was loaded. */
#define _GNU_SOURCE
#include "fuzz/fuzz.h"

#include <sys/mman.h>
#include <unistd.h>
#include "model/run.h"

#define CYCLES 100

static int file = -1;
static char path[64];

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	file = memfd_create("program", MFD_CLOEXEC);
	must(file >= 0);
	snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct model_config config;
	struct model *model;
	char detail[512] = "";
	must(pwrite(file, bytes, size, 0) == (ssize_t)size && ftruncate(file, (off_t)size) == 0);
	model_config_default(&config);
	config.ram_size = 1u << 13;
	if (model_open(&model, &config) != MODEL_OK)
		return 0;
	int error = model_load_elf(model, path, detail, sizeof detail);
	must(error == MODEL_OK || detail[0] != 0);
	if (error == MODEL_OK) {
		struct run_result result;
		uint32_t begin, end, tohost;
		(void)model_tohost(model, &tohost);
		(void)model_signature(model, &begin, &end);
		(void)model_set(model, "way=stream", detail, sizeof detail);
		(void)model_write_signature(model, "/dev/null", detail, sizeof detail);
		model_run(model, NULL, CYCLES, 0, &result);
		must(result.cycles <= CYCLES);
	}
	model_close(model);
	return 0;
}
