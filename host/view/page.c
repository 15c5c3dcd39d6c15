/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The page, and the document inside it. */
#include <string.h>
#include "host/view/private.h"

#ifdef VIEW_PAGE
__asm__(".section .rodata\n"
	".globl rivulet_page\n"
	".globl rivulet_page_end\n"
	"rivulet_page:\n"
	".incbin \"" VIEW_PAGE "\"\n"
	"rivulet_page_end:\n"
	".byte 0\n"
	".previous\n");
extern const char rivulet_page[], rivulet_page_end[];

int view_embedded(struct view_template *page)
{
	page->text = rivulet_page;
	page->size = (size_t)(rivulet_page_end - rivulet_page);
	return VIEW_OK;
}
#else
int view_embedded(struct view_template *page)
{
	*page = (struct view_template){NULL, 0};
	return VIEW_ENOPAGE;
}
#endif

/* Stands in the page where the document goes. */
static const char mark[] = "@RIVULET_DATA@";

static const char *find_in_page(const char *text, size_t size, const char *what, size_t length)
{
	for (size_t i = 0; i + length <= size; i++) {
		const char *at = memchr(text + i, what[0], size - i - length + 1);
		if (at == NULL)
			return NULL;
		if (memcmp(at, what, length) == 0)
			return at;
		i = (size_t)(at - text);
	}
	return NULL;
}

/* "<" stands in strings only; without it nothing can end the element. */
static void write_escaped(const char *document, size_t size, FILE *out)
{
	for (size_t from = 0; from < size;) {
		const char *next = memchr(document + from, '<', size - from);
		size_t length = next == NULL ? size - from : (size_t)(next - document) - from;
		fwrite(document + from, 1, length, out);
		from += length;
		if (next != NULL) {
			fputs("\\u003c", out);
			from++;
		}
	}
}

int view_page(const struct view_template *page, bool packed, const struct view_document *document, FILE *out)
{
	const char *at = find_in_page(page->text, page->size, mark, sizeof mark - 1);
	int error = VIEW_OK;
	if (at == NULL)
		return VIEW_ETEMPLATE;
	size_t before = (size_t)(at - page->text);
	fwrite(page->text, 1, before, out);
	if (packed)
		error = view_pack(document, out);
	else
		write_escaped(document->text, document->size, out);
	before += sizeof mark - 1;
	fwrite(page->text + before, 1, page->size - before, out);
	return error == VIEW_OK && ferror(out) ? VIEW_EWRITE : error;
}
