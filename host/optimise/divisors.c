/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/optimise/divisors.h"
#include <errno.h>
#include <stdlib.h>
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

static int add_divisor(const struct optimise_config *config, uint32_t pc, uint32_t value, uint64_t count)
{
	const struct optimise o = {.config = *config};
	struct optimise_divisor *d = optimise_divisor_met(&o, pc, count > UINT32_MAX ? UINT32_MAX : (uint32_t)count);
	if (d == NULL)
		return OPTIMISE_DIVISORS_EMANY;
	if (d->seen != 0 && d->value != value) { /* of two runs: it varies */
		d->seen = UINT8_MAX;
		d->same = 0;
		return OPTIMISE_DIVISORS_OK;
	}
	for (uint64_t n = 0; n < count && n < UINT8_MAX; n++)
		optimise_divisor_seen(d, value);
	return OPTIMISE_DIVISORS_OK;
}

static int read_line(char *text, const struct optimise_config *config)
{
	static const int bases[3] = {16, 10, 10};
	uint64_t numbers[3];
	text[strcspn(text, "#\n")] = '\0';
	text += strspn(text, " \t");
	if (*text == '\0')
		return OPTIMISE_DIVISORS_OK;
	for (unsigned i = 0; i < 3; i++) {
		char *end;
		errno = 0;
		numbers[i] = strtoull(text, &end, bases[i]);
		if (errno != 0 || end == text || *text == '-' || (*end != '\0' && *end != ' ' && *end != '\t'))
			return OPTIMISE_DIVISORS_ELINE;
		text = end + strspn(end, " \t");
	}
	if (*text != '\0' || numbers[0] > UINT32_MAX || numbers[0] == 0 || numbers[0] % 2 != 0 ||
	    numbers[1] > UINT32_MAX)
		return OPTIMISE_DIVISORS_ELINE;
	return add_divisor(config, (uint32_t)numbers[0], (uint32_t)numbers[1], numbers[2]);
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
