/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_IMPORT_PERF_FILE_H
#define RIVULET_IMPORT_PERF_FILE_H
/*
 * perf.data with the AUX area of Linux's driver `rvtrace` (tools/perf/Documentation/perf.data-file-format.txt of
 * Linux): whose bytes it has, what it says of their encoders, where programs and libraries were loaded.
 *
 *   AUXTRACE_INFO   priv[0] the PMU's type; or type << 32 | CPUs, then seven words for each CPU: its number, 5, format,
 *                   context, inhibit_src, srcbits, srcid (as posted for SpacemiT's chips)
 *   MMAP, MMAP2     code that was loaded
 *   AUX             flags: bytes were lost
 *   AUXTRACE        the bytes of a CPU, behind the record
 *
 * The driver is not in Linux yet, so its number among the kinds of AUX data is not asked for.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PERF_FILE_MAGIC "PERFILE2"
#define PERF_FILE_ANY UINT32_MAX /* a CPU: of a thread, on whichever CPU it ran */

enum perf_file_error {
	PERF_FILE_OK,
	PERF_FILE_ENOMEM = -1,
	PERF_FILE_EREAD = -2,       /* it ends inside a record, or cannot be read */
	PERF_FILE_EFORM = -3,       /* no perf.data of this byte order */
	PERF_FILE_ECOMPRESSED = -4, /* perf record -z */
	PERF_FILE_ESTOPPED = -5
};
const char *perf_file_strerror(int error);

struct perf_file_cpu {
	uint32_t cpu;
	uint64_t bytes;
	bool told; /* the file says how its encoder was set: */
	uint64_t format, inhibit_source, source_bits, source;
};
struct perf_file_map {
	uint64_t start, size, offset;
	uint32_t pid;
	char *path;
};
struct perf_file {
	FILE *file;
	uint64_t size;
	uint64_t data, end; /* places of the records; end UINT64_MAX: up to the file's */
	struct perf_file_cpu *cpus;
	size_t cpu_count, cpu_room;
	struct perf_file_map *maps;
	size_t map_count, map_room;
	/* by the kernel's word: times that bytes were lost; records of perf that were; pieces of a circular buffer */
	uint64_t truncated, lost, snapshots;
	bool has_info;
};
/* Reads all but the bytes. The file stays the caller's, and can be positioned. */
int perf_file_open(struct perf_file *perf, FILE *file);
void perf_file_close(struct perf_file *perf);
/* Takes bytes of a CPU, in order; at: their place in the file; joins: nothing is missing before them. 0: goes on. */
typedef int perf_file_taker(void *context, const uint8_t *bytes, size_t size, uint64_t at, bool joins);
int perf_file_bytes(struct perf_file *perf, uint32_t cpu, perf_file_taker *taker, void *context);
#endif
