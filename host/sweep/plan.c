/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/sweep/plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"

static const char plan_blanks[] = " \t\r\n";

/* ---- reading ---- */

/* The next word, which is ended in place; NULL: none. *open: a quote was not closed. */
static char *next_plan_word(char **at, bool *open)
{
	char *word = *at + strspn(*at, plan_blanks);
	if (*word == '\0')
		return NULL;
	bool quoted = *word == '"';
	char *end = quoted ? strchr(word + 1, '"') : word + strcspn(word, plan_blanks);
	*open = *open || end == NULL;
	if (end == NULL)
		return NULL;
	*at = *end == '\0' ? end : end + 1;
	*end = '\0';
	return word + quoted;
}

static struct sweep_axis *find_axis(struct sweep_plan *plan, const char *name)
{
	for (size_t i = 0; i < plan->axis_count; i++) {
		if (strcmp(plan->axes[i].name, name) == 0)
			return &plan->axes[i];
	}
	return NULL;
}

static bool is_plain(const char *name)
{
	return *name != '\0' && name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

static bool find_column(const struct sweep_plan *plan, const char *name)
{
	static const char *const fixed[] = {"status", "seconds", "traces", "instructions", "cycles", "folder"};
	bool found = false;
	for (size_t i = 0; i < plan->column_count; i++)
		found = found || strcmp(plan->columns[i], name) == 0;
	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
		found = found || strcmp(fixed[i], name) == 0;
	return found;
}

static const char *take_columns(struct sweep_plan *plan, char *rest)
{
	bool open = false;
	for (char *word; (word = next_plan_word(&rest, &open)) != NULL;) {
		if (!is_plain(word))
			return "the name of a column has small letters, digits and _";
		if (find_column(plan, word) || find_axis(plan, word) != NULL)
			return "the table has a column of this name already";
		if (plan->column_count == SWEEP_COLUMNS)
			return "there are at most 32 columns";
		plan->columns[plan->column_count] = strdup(word);
		if (plan->columns[plan->column_count++] == NULL)
			return "out of memory";
	}
	if (open)
		return "a quote is not closed";
	return plan->column_count == 0 ? "`column' takes names" : NULL;
}

/* One command, which is there once. */
static const char *take_command(char **command, const char *rest)
{
	if (*command != NULL || *rest == '\0')
		return "one command is expected behind `run' and `build', once";
	*command = strdup(rest);
	return *command == NULL ? "out of memory" : NULL;
}

/* NULL, or what is wrong. */
static const char *take_axis(struct sweep_plan *plan, const char *name, char *rest)
{
	if (!is_plain(name) || strcmp(name, "profile") == 0 || strcmp(name, "built") == 0)
		return "the name of an axis has small letters, digits and _, and is not `profile' or `built'";
	if (find_column(plan, name))
		return "a column has this name";
	if (find_axis(plan, name) != NULL)
		return "the axis is there already";
	if (plan->axis_count == SWEEP_AXES)
		return "there are at most 16 axes";
	struct sweep_axis *axis = &plan->axes[plan->axis_count++];
	bool open = false;
	axis->name = strdup(name);
	for (char *word; (word = next_plan_word(&rest, &open)) != NULL;) {
		for (size_t i = 0; i < axis->count; i++) {
			if (strcmp(axis->values[i], word) == 0) /* one cell, which would be added up twice */
				return "a value of the axis is there twice";
		}
		if (!array_room(&axis->values, axis->count + 1, &axis->room) ||
		    (axis->values[axis->count] = strdup(word)) == NULL)
			return "out of memory";
		axis->count++;
	}
	if (open)
		return "a quote is not closed";
	return axis->count == 0 ? "the axis has no value" : NULL;
}

static const char *take_plan_line(struct sweep_plan *plan, char *text)
{
	bool open = false;
	char *rest = text, *name = next_plan_word(&rest, &open);
	if (name == NULL)
		return open ? "a quote is not closed" : NULL;
	rest += strspn(rest, plan_blanks);
	if (strcmp(name, "run") == 0)
		return take_command(&plan->run, rest);
	if (strcmp(name, "build") == 0) {
		if (plan->build == NULL && (plan->build = calloc(1, sizeof *plan->build)) == NULL)
			return "out of memory";
		return take_command(&plan->build->run, rest);
	}
	if (strcmp(name, "column") == 0)
		return take_columns(plan, rest);
	if (strcmp(name, "merge") != 0)
		return take_axis(plan, name, rest);
	char *merged = next_plan_word(&rest, &open);
	struct sweep_axis *axis = merged == NULL ? NULL : find_axis(plan, merged);
	if (axis == NULL || next_plan_word(&rest, &open) != NULL)
		return "`merge' takes one axis that stands above it";
	plan->merged = (size_t)(axis - plan->axes);
	return NULL;
}

/* Each {NAME} of a command is an axis, the profile or what was built. */
static const char *check_names(struct sweep_plan *plan, const char *command, bool profile)
{
	static char wrong[128];
	char name[64];
	for (const char *at = command; (at = strchr(at, '{')) != NULL; at++) {
		size_t length = strcspn(at + 1, "}");
		if (at[1 + length] == '\0' || length >= sizeof name)
			continue;
		memcpy(name, at + 1, length);
		name[length] = '\0';
		if (length == 0 || !is_plain(name))
			continue; /* of the shell */
		if ((strcmp(name, "profile") == 0 && profile) || (strcmp(name, "built") == 0 && plan->build != NULL))
			continue;
		if (find_axis(plan, name) == NULL) {
			snprintf(wrong, sizeof wrong, "{%s} is no axis", name);
			return wrong;
		}
	}
	return NULL;
}

/* The plan of what is built, with the axes that its command names. */
static void make_build_plan(struct sweep_plan *plan)
{
	struct sweep_plan *build = plan->build;
	build->builds = true;
	build->merged = SIZE_MAX;
	build->cells = 1;
	for (size_t i = 0; i < plan->axis_count; i++) {
		char name[80];
		snprintf(name, sizeof name, "{%.70s}", plan->axes[i].name);
		if (strstr(build->run, name) == NULL)
			continue;
		plan->build_axes[build->axis_count] = i;
		build->axes[build->axis_count++] = plan->axes[i]; /* its values are the plan's */
		build->cells *= plan->axes[i].count;
	}
}

static const char *check_plan(struct sweep_plan *plan)
{
	if (plan->run == NULL)
		return "there is no line `run COMMAND'";
	const char *wrong = check_names(plan, plan->run, true);
	if (wrong == NULL && plan->build != NULL)
		wrong = check_names(plan, plan->build->run, false);
	if (wrong != NULL)
		return wrong;
	if (plan->merged != SIZE_MAX && strstr(plan->run, "{profile}") == NULL)
		return "`merge' needs a {profile} in the command";
	plan->cells = 1;
	for (size_t i = 0; i < plan->axis_count; i++) {
		if (plan->axes[i].count > SWEEP_CELLS / plan->cells)
			return "there are more than 1,000,000 cells";
		plan->cells *= plan->axes[i].count;
	}
	if (plan->build != NULL)
		make_build_plan(plan);
	return NULL;
}

/* Ends a line where its comment begins, a # at its begin or behind a blank, or where its end does: \n, or \r\n. */
static void cut_plan_line(char *line)
{
	size_t length = strcspn(line, "\n");
	if (length > 0 && line[length] == '\n' && line[length - 1] == '\r')
		length--;
	line[length] = '\0';
	for (char *at = line; (at = strchr(at, '#')) != NULL; at++) {
		if (at == line || at[-1] == ' ' || at[-1] == '\t') {
			*at = '\0';
			return;
		}
	}
}

/* A line with those that it goes on in, without comment; false: the end. */
static bool read_plan_line(FILE *file, char **text, size_t *room, unsigned *line)
{
	char *part = NULL;
	size_t part_room = 0, used = 0;
	bool more = true, got = false;
	while (more && getline(&part, &part_room, file) >= 0) {
		++*line;
		cut_plan_line(part);
		size_t length = strlen(part);
		more = length > 0 && part[length - 1] == '\\';
		length -= more;
		if (!array_room(text, used + length + 1, room))
			break;
		memcpy(*text + used, part, length);
		used += length;
		(*text)[used] = '\0';
		got = true;
	}
	free(part);
	return got;
}

int sweep_plan_read(struct sweep_plan *plan, const char *path, char *detail, size_t size)
{
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t room = 0;
	unsigned line = 0;
	const char *wrong = NULL;
	*plan = (struct sweep_plan){.merged = SIZE_MAX};
	if (file == NULL) {
		snprintf(detail, size, "%s: %s", path, strerror(errno));
		return SWEEP_EPLAN;
	}
	while (wrong == NULL && read_plan_line(file, &text, &room, &line))
		wrong = take_plan_line(plan, text);
	if (wrong == NULL && ferror(file)) /* a directory is one too */
		snprintf(detail, size, "%s: cannot be read: %s", path, strerror(errno));
	else if (wrong != NULL)
		snprintf(detail, size, "%s: line %u: %s", path, line, wrong);
	else if ((wrong = check_plan(plan)) != NULL)
		snprintf(detail, size, "%s: %s", path, wrong);
	const bool good = wrong == NULL && !ferror(file);
	free(text);
	fclose(file);
	return good ? SWEEP_OK : SWEEP_EPLAN;
}

void sweep_plan_free(struct sweep_plan *plan)
{
	for (size_t i = 0; i < plan->axis_count; i++) {
		for (size_t k = 0; k < plan->axes[i].count; k++)
			free(plan->axes[i].values[k]);
		free(plan->axes[i].values);
		free(plan->axes[i].name);
	}
	for (size_t i = 0; i < plan->column_count; i++)
		free(plan->columns[i]);
	if (plan->build != NULL)
		free(plan->build->run);
	free(plan->build);
	free(plan->run);
	*plan = (struct sweep_plan){0};
}

/* ---- cells ---- */

const char *sweep_value(const struct sweep_plan *plan, size_t cell, size_t axis)
{
	for (size_t i = plan->axis_count - 1; i > axis; i--)
		cell /= plan->axes[i].count;
	return plan->axes[axis].values[cell % plan->axes[axis].count];
}

size_t sweep_build_cell(const struct sweep_plan *plan, size_t cell)
{
	size_t built = 0;
	for (size_t i = 0; i < plan->build->axis_count; i++) {
		const size_t axis = plan->build_axes[i];
		size_t value = cell;
		for (size_t k = plan->axis_count - 1; k > axis; k--)
			value /= plan->axes[k].count;
		built = built * plan->axes[axis].count + value % plan->axes[axis].count;
	}
	return built;
}

/* The folder of what is built for a cell; to be freed. NULL: out of memory. */
static char *built_folder(const struct sweep_plan *plan, size_t cell)
{
	char name[SWEEP_NAME], *path = NULL;
	size_t size;
	const int error =
	    plan->builds ? sweep_name(plan, cell, name) : sweep_name(plan->build, sweep_build_cell(plan, cell), name);
	FILE *out = error != SWEEP_OK ? NULL : open_memstream(&path, &size);
	if (out == NULL)
		return NULL;
	fprintf(out, "%s/%s", plan->built, name);
	fclose(out);
	return path;
}

struct sweep_fill {
	const struct sweep_plan *plan;
	size_t cell;
	const char *profile, *built; /* NULL: they stay as they stand */
};

/* What {NAME} at text stands for, and its length in *length; NULL: it is no name of ours. */
static const char *find_value(const struct sweep_fill *fill, const char *text, size_t *length)
{
	const struct sweep_plan *plan = fill->plan;
	*length = strcspn(text, "}") + 1;
	if (strncmp(text, "{profile}", *length) == 0 && *length == 9)
		return fill->profile;
	if (strncmp(text, "{built}", *length) == 0 && *length == 7)
		return fill->built;
	for (size_t i = 0; i < plan->axis_count; i++) {
		size_t name = strlen(plan->axes[i].name);
		if (*length == name + 2 && strncmp(text + 1, plan->axes[i].name, name) == 0)
			return sweep_value(plan, fill->cell, i);
	}
	return NULL;
}

char *sweep_command(const struct sweep_plan *plan, size_t cell, const char *profile)
{
	char *command = NULL, *built = NULL;
	size_t size, length;
	if (profile != NULL && (plan->builds || plan->build != NULL) && (built = built_folder(plan, cell)) == NULL)
		return NULL;
	const struct sweep_fill fill = {plan, cell, profile, built};
	FILE *out = open_memstream(&command, &size);
	if (out == NULL) {
		free(built);
		return NULL;
	}
	for (const char *at = plan->run; *at != '\0';) {
		const char *value = *at == '{' ? find_value(&fill, at, &length) : NULL;
		if (value != NULL)
			fputs(value, out);
		else
			fputc(*at, out);
		at += value != NULL ? length : 1;
	}
	free(built);
	if (fclose(out) == 0)
		return command;
	free(command);
	return NULL;
}

/* FNV-1a of 64 bits, with the end of the text. */
static uint64_t hash_more(uint64_t hash, const char *text)
{
	do
		hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
	while (*text++ != '\0');
	return hash;
}

int sweep_name(const struct sweep_plan *plan, size_t cell, char name[SWEEP_NAME])
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	char *command = sweep_command(plan, cell, NULL), build[SWEEP_NAME];
	if (command == NULL)
		return SWEEP_ENOMEM;
	for (size_t i = 0; i < plan->axis_count; i++) { /* a value that the command does not name is a run of its own */
		hash = hash_more(hash, plan->axes[i].name);
		hash = hash_more(hash, sweep_value(plan, cell, i));
	}
	hash = hash_more(hash, command);
	if (plan->build != NULL && sweep_name(plan->build, sweep_build_cell(plan, cell), build) == SWEEP_OK)
		hash = hash_more(hash, build);
	snprintf(name, SWEEP_NAME, "%016" PRIx64, hash);
	free(command);
	return SWEEP_OK;
}
