/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/insert_regions.h"

#include "host/cmd/cmd.h"
#include "host/cmd/regions_file.h"

int open_user_regions(struct user_regions *user, const char *path, const struct insert_original *original)
{
	char detail[1024];
	struct cfg *cfg = NULL;
	image_debug(original->image, detail, sizeof detail); /* without it there are no lines */
	if (cfg_open(&cfg, original->image) != CFG_OK) {
		complain("%s: out of memory", original->name);
		return STATUS_FAILED;
	}
	int status = read_regions_file(&user->names, path, cfg);
	if (status == STATUS_OK && named_open(&user->named, &(struct named_program){original->map, cfg}, &user->names,
				       path, detail, sizeof detail) != NAMED_OK) {
		complain("%s", detail);
		close_user_regions(user);
		status = STATUS_FAILED;
	}
	cfg_close(cfg);
	return status;
}

void close_user_regions(struct user_regions *user)
{
	named_close(&user->named);
	regions_names_free(&user->names);
}
