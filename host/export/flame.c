/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/base/xml.h"
#include "host/export/flame.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 1200
#define ROW 17
#define HEAD 40
#define LETTER 7.0   /* mean width of a letter */
#define NARROW 4000u /* boxes below this part of all are not drawn */

struct child {
	uint32_t parent, node;
	const char *name;
};

static int compare_children(const void *a, const void *b)
{
	const struct child *x = a, *y = b;
	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	int order = strcmp(x->name, y->name);
	return order != 0 ? order : (x->node > y->node) - (x->node < y->node);
}

/* The boxes of the tree's nodes, from the roots on: a child lies in its parent, behind its siblings. */
static int place_boxes(struct flame *f, const uint64_t *total)
{
	const struct tree *tree = &f->tree;
	struct child *children = calloc(tree->node_count + 1, sizeof *children);
	size_t *first = calloc(tree->node_count + 2, sizeof *first);
	f->boxes = calloc(tree->node_count + 1, sizeof *f->boxes);
	if (children == NULL || first == NULL || f->boxes == NULL) {
		free(children);
		free(first);
		return EXPORT_ENOMEM;
	}
	for (size_t i = 1; i < tree->node_count; i++)
		children[i - 1] =
		    (struct child){tree->nodes[i].parent, (uint32_t)i, tree->frames[tree->nodes[i].frame].name};
	qsort(children, tree->node_count - 1, sizeof *children, compare_children);
	for (size_t i = 0; i + 1 < tree->node_count; i++)
		first[children[i].parent + 1] = i + 1; /* behind the last child of the parent */
	for (size_t i = 1; i <= tree->node_count; i++)
		first[i] = first[i] == 0 ? first[i - 1] : first[i];
	f->boxes[f->count++] = (struct flame_box){.node = 0, .from = 0, .width = f->all};
	for (size_t b = 0; b < f->count; b++) {
		const struct flame_box box = f->boxes[b];
		uint64_t from = box.from;
		for (size_t i = first[box.node]; i < first[box.node + 1]; i++) {
			uint32_t node = children[i].node;
			if (total[node] >= f->all / NARROW && total[node] > 0) {
				f->boxes[f->count++] = (struct flame_box){node, from, total[node]};
				if (tree->nodes[node].depth > f->depth)
					f->depth = tree->nodes[node].depth;
			}
			from += total[node];
		}
	}
	free(children);
	free(first);
	return EXPORT_OK;
}

int flame_make(struct flame *f, const struct export_input *input)
{
	*f = (struct flame){0};
	int error = tree_make(&f->tree, input);
	uint64_t *total = error == EXPORT_OK ? calloc(f->tree.node_count + 1, sizeof *total) : NULL;
	if (error == EXPORT_OK && total == NULL)
		error = EXPORT_ENOMEM;
	for (size_t i = error == EXPORT_OK ? f->tree.node_count : 1; i-- > 1;) { /* children have larger indices */
		const struct tree_node *node = &f->tree.nodes[i];
		total[i] += input->timed ? node->cycles : node->count;
		total[node->parent] += total[i];
	}
	if (error == EXPORT_OK) {
		f->all = total[0];
		error = f->all == 0 ? EXPORT_EEMPTY : place_boxes(f, total);
	}
	free(total);
	if (error != EXPORT_OK)
		flame_free(f);
	return error;
}

void flame_free(struct flame *f)
{
	tree_free(&f->tree);
	free(f->boxes);
	*f = (struct flame){0};
}

/* Warm colours, one for each name: 0xRRGGBB. */
static unsigned flame_colour(const char *name)
{
	uint32_t hash = 2166136261u;
	for (; *name != '\0'; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	unsigned red = 205 + hash % 50, green = 80 + (hash >> 8) % 150, blue = 30 + (hash >> 16) % 50;
	return red << 16 | green << 8 | blue;
}

static void write_box(const struct flame *f, const struct flame_box *box, const char *unit, bool script, FILE *out)
{
	const struct tree_node *node = &f->tree.nodes[box->node];
	const char *name = box->node == 0 ? "all" : f->tree.frames[node->frame].name;
	double scale = (double)WIDTH / (double)f->all;
	double x = (double)box->from * scale, width = (double)box->width * scale;
	uint32_t y = HEAD + ROW * (f->depth - (box->node == 0 ? 0 : node->depth));
	fprintf(out, "<g%s", script ? "" : ">");
	if (script)
		fprintf(out, " data-f=\"%" PRIu64 "\" data-w=\"%" PRIu64 "\" data-d=\"%" PRIu32 "\">", box->from,
		    box->width, box->node == 0 ? 0 : node->depth);
	fputs("<title>", out);
	xml_text(out, name);
	fprintf(out, ": %" PRIu64 " %s, %.2f%%</title>", box->width, unit, 100 * (double)box->width / (double)f->all);
	fprintf(out, "<rect x=\"%.2f\" y=\"%" PRIu32 "\" width=\"%.2f\" height=\"%d\" fill=\"#%06x\"/>", x, y, width,
	    ROW - 1, box->node == 0 ? 0xC0C0C0u : flame_colour(name));
	size_t letters = width < 3 * LETTER ? 0 : (size_t)((width - 4) / LETTER), length = strlen(name);
	if (letters > 0 || script) {
		fprintf(out, "<text x=\"%.2f\" y=\"%" PRIu32 "\">", x + 3, y + ROW - 5);
		if (letters >= length)
			xml_text(out, name);
		else if (letters > 2) {
			char part[WIDTH];
			size_t size = letters - 2;
			while (size > 0 && ((unsigned char)name[size] & 0xC0) == 0x80) /* whole characters */
				size--;
			snprintf(part, sizeof part, "%.*s..", (int)size, name);
			xml_text(out, part);
		}
		fputs("</text>", out);
	}
	fputs("</g>\n", out);
}

int flame_svg(const struct flame *f, const struct export_input *input, bool script, FILE *out)
{
	const char *unit = input->timed ? "cycles" : "instructions";
	uint32_t height = HEAD + ROW * (f->depth + 1) + 10;
	fprintf(out,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%" PRIu32 "\" viewBox=\"0 0 %d %" PRIu32
	    "\" font-family=\"monospace\" font-size=\"11\">\n",
	    WIDTH, height, WIDTH, height);
	if (!script)
		fprintf(out, "<rect width=\"100%%\" height=\"100%%\" fill=\"#fffdf5\"/>\n");
	fputs("<text x=\"10\" y=\"22\" font-size=\"15\">", out);
	xml_text(out, input->name[0] != '\0' ? input->name : input->program);
	fprintf(out, ": %s%" PRIu64 " %s</text>\n", input->sampled ? "about " : "", f->all, unit);
	for (size_t i = 0; i < f->count; i++)
		write_box(f, &f->boxes[i], unit, script, out);
	fputs("</svg>\n", out);
	return ferror(out) ? EXPORT_EWRITE : EXPORT_OK;
}
