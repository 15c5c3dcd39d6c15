/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/run_profile.h"

#include <errno.h>
#include <string.h>
#include "common/rivulet_regs.h"
#include "host/cmd/run_end.h"
#include "host/cmd/run_records.h"
#include "host/image/image.h"
#include "model/model.h"

static int emit_run_profile(void *context, const void *bytes, size_t size)
{
	return fwrite(bytes, 1, size, context) == size ? 0 : 1;
}

int run_profile_write(const struct run_profile *what, const struct model *model, const struct image *image,
    const struct run_result *result)
{
	const struct trace *trace = model_trace(model);
	struct profile *profile = what->profile;
	struct profile_header *header = &profile->header;
	header->source = PROFILE_MODEL;
	header->xlen = trace->config.xlen;
	header->hist = trace->config.hist;
	header->way = what->way;
	header->period = 1;
	header->dither = what->dither;
	if ((header->ctrl & RV_CTRL_SAMPLE_MASK) != 0 && trace->config.with_sample) {
		header->way = RUN_SAMPLE;
		header->period = trace->period + trace->dither / 2u;
		header->dither = trace->dither;
		complain("%s: the trace unit sampled, so this profile is not exact; use --collect stream", what->path);
	}
	if (image_build(image, &header->build, NULL, 0) != IMAGE_OK)
		header->build = image_code_build(image);
	snprintf(header->name, sizeof header->name, "%s", what->name);
	profile->has_header = profile->has_end = true;
	if (what->traced.any)
		profile->end = (struct profile_end){.cycles = what->traced.last_cycle - what->traced.first_cycle + 1,
		    .instructions = what->traced.instructions};
	profile->end.lost = what->lost;
	profile->end.run_cycles = result->cycles;
	profile->end.run_instructions = result->instructions;
	profile->end.ending = run_ending(result);
	int error = profile_write(profile, emit_run_profile, what->file);
	if (error != PROFILE_OK) {
		complain("%s: the profile cannot be written: %s", what->path, strerror(errno));
		return STATUS_FAILED;
	}
	if (what->refused > 0) {
		complain("%s: %s traces have an odd start, which no program gives: they are left out", what->path,
		    with_commas(what->refused));
		return STATUS_NO;
	}
	if (profile->total == 0)
		complain("%s: has no traces: %s", what->path, run_records_none(model, what->traced.any));
	return STATUS_OK;
}
