/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* A plugin of qemu that is called for each block and does nothing: what the calls alone cost. With `adds' qemu adds to
 * a counter of the block itself, without a call. */
#include <stdlib.h>
#include <string.h>
#include "host/qemu/plugin.h"

PLUGIN_EXPORT int qemu_plugin_version = 1;
PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb, int what, void *counter, uint64_t add);
static bool adds;

static void block_runs(unsigned cpu, void *data)
{
	(void)cpu, (void)data;
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	uint64_t *counter = calloc(1, sizeof *counter);
	if (adds && counter != NULL)
		qemu_plugin_register_vcpu_tb_exec_inline(tb, 0, counter, 1);
	else
		qemu_plugin_register_vcpu_tb_exec_cb(tb, block_runs, CALLBACK_READS_NOTHING, counter);
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv)
{
	(void)info;
	adds = argc > 0 && strcmp(argv[0], "adds=on") == 0;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
