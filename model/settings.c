/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * NAME=VALUE of a user: a word of the program's run configuration, or a register of the trace unit as
 * regs/trace_regs.def names it (RANGE0_LO, CTRL.IE; a field of CTRL alone, as HANDLERS), in small letters or large
 * ones.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "common/rivulet_regs.h"
#include "common/run_config.h"
#include "model/model.h"
#include "model/private.h"
#include "model/run.h"

struct register_name {
	const char *reg, *field; /* field NULL: the whole register */
	unsigned index, lsb, width;
	bool writable;
};

static const struct register_name register_names[] = {
#define IS_WRITABLE(access) ((#access)[1] == 'W')
#define REG(name, index, access, reset, present, bits, text) {#name, NULL, index, 0, 32, IS_WRITABLE(access)},
#define FIELD(reg, name, lsb, width, access, bits, text) {#reg, #name, RV_REG_##reg, lsb, width, IS_WRITABLE(access)},
#include "regs/trace_regs.def"
#undef REG
#undef FIELD
};

/* A name up to `size` characters: of a register, REGISTER.FIELD, or of a field of CTRL. */
static const struct register_name *find_register_name(const char *name, size_t size)
{
	char whole[64];
	for (size_t i = 0; i < sizeof register_names / sizeof *register_names; i++) {
		const struct register_name *r = &register_names[i];
		snprintf(whole, sizeof whole, "%s%s%s", r->reg, r->field != NULL ? "." : "",
		    r->field != NULL ? r->field : "");
		if (strlen(whole) == size && strncasecmp(whole, name, size) == 0)
			return r;
		if (r->field != NULL && r->index == RV_REG_CTRL && strlen(r->field) == size &&
		    strncasecmp(r->field, name, size) == 0)
			return r;
	}
	return NULL;
}

static bool parse_register_value(const char *text, uint32_t *value)
{
	char *end;
	errno = 0;
	unsigned long long number = strtoull(text, &end, 0);
	*value = (uint32_t)number;
	return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0 && number <= UINT32_MAX;
}

/* What the register would hold: the old value with the field in it. */
static uint32_t with_field(const struct register_name *r, uint32_t old, uint32_t value)
{
	const uint32_t mask = UINT32_MAX >> (32 - r->width) << r->lsb;
	return (old & ~mask) | (value << r->lsb & mask);
}

static int set_register(struct model *model, const struct register_name *r, uint32_t value, char *detail, size_t size)
{
	const struct trace *unit = model_trace(model);
	const uint32_t wanted = with_field(r, trace_reg_read(unit, r->index), value);
	model_trace_write(model, r->index, wanted);
	if (trace_reg_read(unit, r->index) == wanted)
		return MODEL_OK;
	snprintf(detail, size,
	    "the trace unit's register %s keeps 0x%x of 0x%x: this unit has no more bits there (docs/registers.md)",
	    r->reg, trace_reg_read(unit, r->index), wanted);
	return MODEL_ECONFIG;
}

/* The program's driver writes CTRL itself; to its bits it adds those of the word `ctrl`. */
static int set_driver_ctrl(
    struct model *model, const struct register_name *r, uint32_t value, char *detail, size_t size)
{
	const uint32_t extra = RV_CTRL_NO_BACKWARD_MASK | RV_CTRL_NO_INDIRECT_MASK | RV_CTRL_HANDLERS_MASK |
			       RV_CTRL_REPEAT_MASK | RV_CTRL_LIFO_MASK | RV_CTRL_LIMIT_MASK;
	const uint32_t at = model->run_config + (uint32_t)offsetof(struct run_config, ctrl);
	uint32_t ctrl;
	if (r->index != RV_REG_CTRL || r->field == NULL || (with_field(r, 0, UINT32_MAX) & ~extra) != 0) {
		snprintf(detail, size,
		    "the program's driver sets %s%s%s itself, from its words: ctrl, period, dither, watermark, seed, "
		    "range_lo, range_hi, range_start and way",
		    r->reg, r->field != NULL ? "." : "", r->field != NULL ? r->field : "");
		return MODEL_ECONFIG;
	}
	int error = model_read(model, at, &ctrl, sizeof ctrl);
	if (error != MODEL_OK)
		return error;
	ctrl = with_field(r, ctrl, value);
	return model_write(model, at, &ctrl, sizeof ctrl);
}

int model_set(struct model *model, const char *assignment, char *detail, size_t size)
{
	struct run_config config;
	const bool driven = model_run_config(model, &config);
	const char *equals = strchr(assignment, '=');
	uint32_t value;
	if (driven) {
		int index = run_config_parse(assignment, &value, detail, size);
		const enum run_config_room room =
		    index < 0 ? RUN_CONFIG_SKIP : run_config_room(model->run_config_size, index, value, detail, size);
		if (room == RUN_CONFIG_MISSING)
			return MODEL_ECONFIG;
		if (room == RUN_CONFIG_WRITE)
			return model_write(model, model->run_config + 4 * (uint32_t)index, &value, sizeof value);
		if (index >= 0)
			return MODEL_OK;
	}
	const struct register_name *r =
	    equals == NULL ? NULL : find_register_name(assignment, (size_t)(equals - assignment));
	if (r == NULL && driven)
		return MODEL_ECONFIG; /* detail has the words */
	if (r == NULL) {
		snprintf(detail, size,
		    "the program has no run configuration (symbol rivulet_config), and '%s' sets no register of the "
		    "trace "
		    "unit: NAME=VALUE is expected, with a name of docs/registers.md, as handlers=1 (of CTRL), "
		    "range0_lo=0x80000000",
		    assignment);
		return MODEL_EADDRESS;
	}
	const uint32_t most = UINT32_MAX >> (32 - r->width);
	if (!r->writable || !parse_register_value(equals + 1, &value) || value > most) {
		snprintf(detail, size, "'%s': %s", assignment,
		    r->writable ? "a number that the register or field can hold is expected"
				: "this register cannot be written");
		return MODEL_ECONFIG;
	}
	return driven ? set_driver_ctrl(model, r, value, detail, size) : set_register(model, r, value, detail, size);
}
