/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Packets of gdb's remote protocol, one a line, to a small program that ends by itself. Once registers or memory have
 * been written it may not any more; then only single steps are taken. */
#include "fuzz/fuzz.h"
#include "host/gdb/gdb.h"

#define BASE 0x80000000u
static bool runs(const char *packet)
{
	return packet[0] == 'c' ||
	       (packet[0] == 'v' && strncmp(packet, "vCont;s", 7) != 0 && strncmp(packet, "vCont;S", 7) != 0);
}

static bool changes(const char *packet)
{
	return strchr("GPMX", packet[0]) != NULL || ((packet[0] == 'c' || packet[0] == 's') && packet[1] != 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	/* addi a0,a0,1; sw a0,256(s0); bne a0,a1,0; jal x0,0: stuck, and so the end */
	static const uint32_t program[] = {0x00150513, 0x10a42023, 0xfeb51ce3, 0x0000006f};
	static char packet[GDB_PACKET], answer[GDB_PACKET];
	struct model_config config;
	const struct fast_options options = {0};
	struct model *model;
	bool changed = false;
	model_config_default(&config);
	config.ram_size = 4096;
	if (model_open(&model, &config) != MODEL_OK)
		return 0;
	model_write(model, BASE, program, sizeof program);
	model_set_reg(model, 8, BASE);
	model_set_reg(model, 11, 20);
	struct gdb gdb = {.model = model, .connection = -1};
	if (fast_open(&gdb.fast, model, &options) == MODEL_OK) {
		while (size > 0 && !gdb.ended) {
			const uint8_t *end = memchr(bytes, '\n', size);
			size_t line = end != NULL ? (size_t)(end - bytes) : size;
			size_t length = line < GDB_PACKET - 1 ? line : GDB_PACKET - 1;
			memcpy(packet, bytes, length);
			packet[length] = '\0';
			line += end != NULL;
			bytes += line;
			size -= line;
			changed |= changes(packet);
			if (runs(packet) && changed)
				continue;
			size_t got = gdb_packet(&gdb, packet, length, answer);
			must(got < GDB_PACKET);
			touch(answer, got);
		}
		fast_close(gdb.fast);
	}
	model_close(model);
	return 0;
}
