/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/optimise/divisors.h"
#include <errno.h>
#include <inttypes.h>
#include <string.h>

const char *optimise_divisors_strerror(int error)
{
	switch (error) {
	case OPTIMISE_DIVISORS_OK:
		return "no error";
	case OPTIMISE_DIVISORS_EOPEN:
		return "cannot be read";
	case OPTIMISE_DIVISORS_ELINE:
		return "a line is not `ADDRESS VALUE COUNT'";
	case OPTIMISE_DIVISORS_EMANY:
		return "more divisions than there is room for";
	default:
		return "unknown error";
	}
}

static int add_divisor(struct optimise_config *config, uint32_t pc, uint32_t value, uint64_t count)
{
	const struct optimise o = {.config = *config};
	optimise_divisor_met(&o, pc, count > UINT32_MAX ? UINT32_MAX : (uint32_t)count);
	for (uint32_t i = 0; i < config->divisor_room; i++) {
		if (config->divisors[i].pc != pc)
			continue;
		for (uint64_t n = 0; n < count && n < UINT8_MAX; n++)
			optimise_divisor_seen(&config->divisors[i], value);
		return OPTIMISE_DIVISORS_OK;
	}
	return OPTIMISE_DIVISORS_EMANY;
}

static int read_line(const char *text, struct optimise_config *config)
{
	uint32_t pc, value;
	uint64_t count;
	int end = 0;
	text += strspn(text, " \t");
	if (*text == '#' || *text == '\n' || *text == '\0')
		return OPTIMISE_DIVISORS_OK;
	if (sscanf(text, "%" SCNx32 " %" SCNu32 " %" SCNu64 " %n", &pc, &value, &count, &end) != 3 || end == 0 ||
	    (text[end] != '\0' && text[end] != '#') || pc == 0 || pc % 2 != 0)
		return OPTIMISE_DIVISORS_ELINE;
	return add_divisor(config, pc, value, count);
}

int optimise_divisors_read(const char *file, struct optimise_config *config, size_t *line)
{
	char text[256];
	int error = OPTIMISE_DIVISORS_OK;
	errno = 0;
	*line = 0;
	FILE *in = fopen(file, "r");
	if (in == NULL)
		return OPTIMISE_DIVISORS_EOPEN;
	while (error == OPTIMISE_DIVISORS_OK && fgets(text, sizeof text, in) != NULL) {
		++*line;
		error = strchr(text, '\n') == NULL && !feof(in) ? OPTIMISE_DIVISORS_ELINE : read_line(text, config);
	}
	if (error == OPTIMISE_DIVISORS_OK && ferror(in))
		error = OPTIMISE_DIVISORS_EOPEN;
	fclose(in);
	return error;
}
