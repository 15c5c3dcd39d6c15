/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_RUN_PROFILE_H
#define RIVULET_CMD_RUN_PROFILE_H
/* rivulet run --profile: the profile is written at the end of the run. */
#include "common/run_config.h"
#include "host/cmd/cmd.h"
#include "host/image/image.h"
#include "model/run.h"

struct run_traced { /* part of the run: cycle of the first and the last retirement with tracing on */
	bool any;
	uint64_t first_cycle, last_cycle, instructions;
};

/* Fills the header and end of the profile and writes it. name: of the application; refused: traces that no profile can
 * hold; lost: traces that the unit counted in LOST. Returns STATUS_OK, STATUS_NO or STATUS_FAILED, told. */
struct run_profile {
	const char *path, *name;
	FILE *file;
	struct profile *profile;
	struct run_traced traced;
	uint64_t refused, lost; /* lost: by the unit */
	uint32_t dither;        /* of way table, 2^rate - 1 */
	enum run_way way;
};
int run_profile_write(const struct run_profile *what, const struct model *model, const struct image *image,
    const struct run_result *result);
#endif
