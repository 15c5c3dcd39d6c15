/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Path profiles: the table of paths. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/demangle.h"
#include "host/base/order.h"
#include "host/cmd/cfg_print.h"
#include "host/cmd/cmd.h"
#include "host/cmd/paths.h"
#include "host/table/numbers.h"

/* ---- order ---- */

int paths_keyed_compare(const void *a, const void *b)
{
	const struct paths_keyed *x = a, *y = b;
	return order_then(ORDER_DOWN(x->key, y->key), ORDER_UP(x->index, y->index));
}

size_t *paths_order(const struct source *s, const struct paths_view *view, size_t *count)
{
	struct paths_keyed *keyed = malloc((s->count + 1) * sizeof *keyed);
	size_t *order = malloc((s->count + 1) * sizeof *order);
	*count = 0;
	for (size_t i = 0; i < s->count && keyed != NULL && order != NULL; i++) {
		const struct paths_entry *e = &s->entries[i];
		if ((view->function != CFG_NONE && e->function != view->function) || (!paths_whole(e) && !view->pieces))
			continue;
		if (view->sort == PATHS_BY_INSNS)
			keyed[*count].key = e->count * s->survey.insns[i];
		else if (view->sort == PATHS_BY_CYCLES)
			keyed[*count].key = e->spent;
		else
			keyed[*count].key = e->count;
		keyed[(*count)++].index = i;
	}
	if (keyed == NULL || order == NULL) {
		free(keyed);
		free(order);
		return NULL;
	}
	qsort(keyed, *count, sizeof *keyed, paths_keyed_compare);
	for (size_t i = 0; i < *count; i++)
		order[i] = keyed[i].index;
	if (view->top > 0 && view->top < *count)
		*count = view->top;
	free(keyed);
	return order;
}

/* ---- paths ---- */

enum {
	PATH_COUNT,
	PATH_SHARE,
	PATH_INSNS,
	PATH_CYCLES_EACH,
	PATH_SPENT,
	PATH_GAIN_EACH,
	PATH_PREDICTED,
	PATH_LABEL,
	PATH_SHOWN,
	PATH_NAME,
	PATH_FUNCTION,
	PATH_NUMBER,
	PATH_BEGINS,
	PATH_ENDS,
	PATH_CYCLES,
	PATH_GAINED,
	PATH_PART,
	PATH_TABLE,
	PATH_EXIT,
	PATH_BEFORE,
	PATH_BLOCKS,
	PATH_COLUMNS
};

static const struct table_column path_columns[PATH_COLUMNS] = {
    [PATH_COUNT] = {.title = "count", .key = "count", .form = TABLE_COUNT, .width = 11},
    [PATH_SHARE] = {.title = "share", .form = TABLE_SHARE, .width = 6, .decimals = 1},
    [PATH_INSNS] = {.title = "insns", .key = "instructions", .form = TABLE_PLAIN, .width = 6},
    [PATH_CYCLES_EACH] = {.title = "cycles", .form = TABLE_REAL, .width = 8, .decimals = 1},
    [PATH_SPENT] = {.title = "share", .form = TABLE_SHARE, .width = 6, .decimals = 1},
    [PATH_GAIN_EACH] = {.title = "gained", .form = TABLE_REAL, .width = 8, .decimals = 1},
    [PATH_PREDICTED] = {.title = "edge", .key = "predicted", .form = TABLE_TRUTH, .gap = "  ", .width = -4},
    [PATH_LABEL] = {.title = "function:path", .form = TABLE_WORDS, .width = -26},
    [PATH_SHOWN] = {.title = "blocks", .form = TABLE_WORDS},
    [PATH_NAME] = {.key = "name", .csv_only = true, .form = TABLE_WORDS},
    [PATH_FUNCTION] = {.key = "function", .form = TABLE_PLAIN},
    [PATH_NUMBER] = {.key = "number", .form = TABLE_PLAIN},
    [PATH_BEGINS] = {.key = "begins", .form = TABLE_TRUTH},
    [PATH_ENDS] = {.key = "ends", .form = TABLE_TRUTH},
    [PATH_CYCLES] = {.key = "cycles", .form = TABLE_PLAIN},
    [PATH_GAINED] = {.key = "gained", .form = TABLE_PLAIN},
    [PATH_PART] = {.key = "part", .form = TABLE_TRUTH},
    [PATH_TABLE] = {.key = "table", .form = TABLE_TRUTH},
    [PATH_EXIT] = {.key = "exit", .form = TABLE_WORDS},
    [PATH_BEFORE] = {.key = "before", .csv_only = true, .form = TABLE_WORDS},
    [PATH_BLOCKS] = {.key = "blocks", .csv_only = true, .form = TABLE_WORDS},
};

const char *paths_ending(const struct source *s, const struct paths_entry *e, uint32_t exit)
{
	if (e->to != CFG_NONE)
		return "...";
	return exit == CFG_NONE ? "back" : cfg_edge_name(s->cfg->edges[exit].kind);
}

static bool is_table_block(const struct cfg *cfg, uint32_t block)
{
	return block != CFG_NONE && cfg->blocks[block].insns == 0;
}

/* Whether a path begins at a table's vertex, or ends at one: a graph whose jumps lead to the targets may go on. last:
 * the last of its blocks that has code. */
static bool at_table(const struct cfg *cfg, const struct paths_entry *e, uint32_t last, uint32_t exit)
{
	const struct cfg_block *block = &cfg->blocks[last];
	bool leads = false;
	for (uint32_t k = block->edges; k < block->edges + block->edge_count; k++)
		leads = leads || is_table_block(cfg, cfg->edges[k].to);
	return is_table_block(cfg, e->from) || (exit == CFG_NONE && leads);
}

const char *paths_number_text(const struct source *s, const struct paths_entry *e, char *text, size_t size)
{
	uint64_t numbers[8];
	const size_t max = sizeof numbers / sizeof *numbers, count = paths_numbers(s->paths, e, numbers, max);
	struct line line = {.width = 0};
	line.width = LINE_WIDEST;
	for (size_t i = 0; i < count && i < max; i++)
		line_add(&line, "%s%" PRIu64, i > 0 ? "." : "", numbers[i]);
	const bool all = count <= max && line.length < size;
	snprintf(text, size, all ? "%.*s" : "%.*s..", (int)(all ? size - 1 : size - 3), line.text);
	return text;
}

/* The numbers of a path's parts before the last one; *count of them. To be freed; NULL: out of memory. */
static uint64_t *numbers_before(const struct source *s, const struct paths_entry *e, size_t *count)
{
	*count = paths_numbers(s->paths, e, NULL, 0) - 1;
	uint64_t *numbers = malloc((*count + 1) * sizeof *numbers);
	if (numbers != NULL)
		paths_numbers(s->paths, e, numbers, *count);
	else
		*count = 0;
	return numbers;
}

static char *before_text(const struct source *s, const struct paths_entry *e)
{
	char *text = NULL;
	size_t size, count;
	uint64_t *numbers = numbers_before(s, e, &count);
	FILE *out = open_memstream(&text, &size);
	for (size_t i = 0; out != NULL && i < count; i++)
		fprintf(out, "%s%" PRIu64, i > 0 ? " " : "", numbers[i]);
	free(numbers);
	if (out == NULL || fclose(out) != 0)
		return NULL;
	return text;
}

static void put_before(const struct source *s, const struct paths_entry *e, struct json *j)
{
	size_t count;
	uint64_t *numbers = numbers_before(s, e, &count);
	json_array(j, "before");
	for (size_t i = 0; i < count; i++)
		json_number(j, NULL, numbers[i]);
	json_array_end(j);
	free(numbers);
}

/* "crunch:1", "crunch:1+" of a part, "crunch:-" of a piece. */
static void label_text(const struct source *s, size_t index, char *text, size_t size)
{
	const struct paths_entry *e = &s->entries[index];
	char name[CFG_NAME], number[48];
	const char *shown = demangle(cfg_function_name(s->cfg, e->function, name));
	if (paths_whole(e))
		snprintf(text, size, "%.40s:%s%s", shown, paths_number_text(s, e, number, sizeof number),
		    s->survey.part[index] ? "+" : "");
	else
		snprintf(text, size, "%.40s:-", shown);
}

struct found { /* the blocks of a path; NULL: out of memory */
	uint32_t *blocks;
	size_t length;
	uint32_t exit;
};

/* "B1 B3 .. +7 return": the blocks, as many as fit into room columns. */
static void shown_text(
    const struct source *s, const struct paths_entry *e, const struct found *found, size_t room, struct line *line)
{
	const uint32_t first = s->cfg->functions[e->function].blocks;
	const char *end = paths_ending(s, e, found->exit);
	char text[32];
	size_t width = room > strlen(end) ? room - strlen(end) : 0, rest = 0;
	line->width = LINE_WIDEST;
	if (!e->begins)
		line_add(line, "... ");
	for (size_t i = 0; i < found->length; i++)
		rest += (size_t)snprintf(text, sizeof text, "B%" PRIu32 " ", found->blocks[i] - first);
	for (size_t i = 0; i < found->length; i++) {
		size_t size = (size_t)snprintf(text, sizeof text, "B%" PRIu32 " ", found->blocks[i] - first);
		if (line->length + rest > width && line->length + size + 8 > width && i + 1 < found->length) {
			line_add(line, ".. +%zu ", found->length - i);
			break;
		}
		line_add(line, "%s", text);
		rest -= size;
	}
	line_add(line, "%s", end);
}

/* The addresses of the blocks, blanks between them. */
static char *blocks_text(const struct source *s, const struct found *found)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	for (size_t i = 0; out != NULL && i < found->length; i++)
		fprintf(out, "%s0x%08" PRIx64, i > 0 ? " " : "", s->cfg->blocks[found->blocks[i]].start);
	if (out == NULL || fclose(out) != 0)
		return NULL;
	return text;
}

static void fill_path(const struct source *s, size_t index, const struct found *found, struct table_cell *cells)
{
	const struct paths_entry *e = &s->entries[index];
	const struct paths_counts *c = paths_counts(s->paths);
	const uint64_t insns = s->survey.insns[index], all = s->survey.total.count;
	const bool whole = paths_whole(e), ends = e->to == CFG_NONE, timed = paths_timed(s);
	cells[PATH_COUNT] = table_number(e->count);
	cells[PATH_SHARE] = table_real(share_of(e->count, whole ? all : all + c->pieces));
	cells[PATH_INSNS] = table_number(insns);
	cells[PATH_CYCLES_EACH] = table_real(share_of(e->spent, e->count));
	cells[PATH_SPENT] = table_real(timed ? share_of(e->spent, c->spent) : share_of(e->count * insns, c->insns));
	cells[PATH_PREDICTED] = table_number(s->survey.correct[index]);
	if (!whole && !s->survey.correct[index])
		cells[PATH_PREDICTED].shown = "";
	cells[PATH_FUNCTION] = table_number(e->function);
	cells[PATH_NUMBER] = whole ? table_number(e->number) : table_unknown();
	cells[PATH_BEGINS] = table_number(e->begins);
	cells[PATH_ENDS] = table_number(ends);
	cells[PATH_CYCLES] = table_number(e->spent);
	cells[PATH_GAIN_EACH] = table_shown(table_unknown(), "-");
	if (s->metric != 0 && source_gain(s, e) != UINT64_MAX) {
		cells[PATH_GAINED] = table_number(source_gain(s, e));
		cells[PATH_GAIN_EACH] = table_real((double)source_gain(s, e) / (double)e->count);
	}
	cells[PATH_PART] = table_number(s->survey.part[index]);
	if (s->graph != NULL && found->blocks != NULL) {
		uint32_t last = found->length > 0 ? found->blocks[found->length - 1] : e->from;
		cells[PATH_TABLE] = table_number(at_table(s->cfg, e, last, found->exit));
	}
	cells[PATH_EXIT] = table_words(found->blocks == NULL || !ends ? NULL : paths_ending(s, e, found->exit));
}

static void put_path_row(const struct source *s, size_t index, const struct paths_view *view, const struct table *table)
{
	const struct paths_entry *e = &s->entries[index];
	struct table_cell cells[PATH_COLUMNS] = {{0}};
	struct line line = {.width = 0};
	struct found found;
	char label[96], name[CFG_NAME], *list = NULL, *before = NULL;
	found.blocks = paths_blocks(s, e, &found.length, &found.exit);
	fill_path(s, index, &found, cells);
	label_text(s, index, label, sizeof label);
	cells[PATH_LABEL] = table_words(label);
	cells[PATH_NAME] = table_words(cfg_function_name(s->cfg, e->function, name));
	if (table->format == TABLE_CSV && paths_whole(e) && e->joined != 0)
		before = before_text(s, e);
	cells[PATH_BEFORE] = table_words(before);
	if (found.blocks != NULL) {
		/* a label that is wider than its column takes from the blocks */
		size_t room = table_room(table), over = strlen(label),
		       width = (size_t)-table->columns[PATH_LABEL].width;
		over = over > width ? over - width : 0;
		room = room > over ? room - over : 0;
		bool text = table->format == TABLE_TEXT && !view->wide;
		shown_text(s, e, &found, text ? room : LINE_WIDEST, &line);
		cells[PATH_SHOWN] = table_words(line.text);
		list = table->format == TABLE_CSV ? blocks_text(s, &found) : NULL;
		cells[PATH_BLOCKS] = table_words(list);
	}
	table_row_open(table, cells);
	if (table->format == TABLE_JSON && paths_whole(e) && e->joined != 0)
		put_before(s, e, table->json);
	if (table->format == TABLE_JSON) {
		json_array(table->json, "blocks");
		for (size_t i = 0; found.blocks != NULL && i < found.length; i++)
			json_number(table->json, NULL, s->cfg->blocks[found.blocks[i]].start);
		json_array_end(table->json);
	}
	table_row_end(table);
	free(before);
	free(list);
	free(found.blocks);
}

void paths_put_paths(
    const struct source *s, const struct paths_view *view, enum table_format format, struct json *json, FILE *out)
{
	size_t count;
	size_t *order = paths_order(s, view, &count);
	struct table_column columns[PATH_COLUMNS];
	if (order == NULL) {
		complain("out of memory");
		count = 0;
	}
	memcpy(columns, path_columns, sizeof columns);
	if (line_width() < LINE_WIDTH) /* on a terminal of few columns */
		columns[PATH_LABEL].width = -18;
	const struct table table = {.columns = columns,
	    .count = PATH_COLUMNS,
	    .format = format,
	    .out = out,
	    .json = json,
	    .name = "paths",
	    .absent = (paths_timed(s) ? 0 : TABLE_BIT(PATH_CYCLES_EACH) | TABLE_BIT(PATH_CYCLES)) |
		      (s->metric != 0 ? 0 : TABLE_BIT(PATH_GAIN_EACH) | TABLE_BIT(PATH_GAINED)),
	    .width = line_width()};
	table_begin(&table);
	for (size_t i = 0; i < count; i++)
		put_path_row(s, order[i], view, &table);
	table_end(&table);
	free(order);
}
