/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/insert_weights.h"

#include <stdlib.h>
#include "host/cmd/profiled.h"

static int make_file_weights(const struct profiled *p, const struct map *map, struct weights **weights)
{
	const struct account *account = p->account;
	struct weights_insn *insns = malloc((account->insn_count + 1) * sizeof *insns);
	int error = insns == NULL ? MAP_ENOMEM : MAP_OK;
	for (size_t i = 0; i < account->insn_count && error == MAP_OK; i++)
		insns[i] =
		    (struct weights_insn){account->insns[i].pc, account->insns[i].count, account->insns[i].taken};
	if (error == MAP_OK)
		error = weights_open(weights, map, insns, account->insn_count);
	free(insns);
	return error;
}

int load_weights(const char *program, const char *profile, struct weights **weights)
{
	struct profiled p = {.program = program, .file = profile, .partial = true};
	struct map *map = NULL;
	size_t size;
	int status = open_profiled(&p);
	if (status != STATUS_FAILED)
		status = account_profiled(&p, ACCOUNT_EQUAL);
	*weights = NULL;
	const uint8_t *bytes = status == STATUS_FAILED ? NULL : image_section(p.image, ".debug_rivulet", &size);
	if (status != STATUS_FAILED && bytes == NULL) {
		complain(
		    "%s: has no section .debug_rivulet: link it from files that `rivulet insert --map` or any other "
		    "`rivulet insert` made",
		    program);
		status = STATUS_FAILED;
	}
	if (status != STATUS_FAILED && map_open(&map, bytes, size) != MAP_OK) {
		complain("%s: its section .debug_rivulet is damaged, or of another version of rivulet", program);
		status = STATUS_FAILED;
	}
	if (status != STATUS_FAILED && make_file_weights(&p, map, weights) != MAP_OK) {
		complain("out of memory");
		status = STATUS_FAILED;
	}
	map_close(map);
	close_profiled(&p);
	return status == STATUS_FAILED ? STATUS_FAILED : STATUS_OK;
}
