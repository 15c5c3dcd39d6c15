/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The page, and the document inside it. */
#include <string.h>
#include "host/view/view.h"

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

int view_embedded(const char **page, size_t *size)
{
	*page = rivulet_page;
	*size = (size_t)(rivulet_page_end - rivulet_page);
	return VIEW_OK;
}
#else
int view_embedded(const char **page, size_t *size)
{
	*page = NULL;
	*size = 0;
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

int view_page(const char *page, size_t page_size, const char *document, size_t size, FILE *out)
{
	const char *at = find_in_page(page, page_size, mark, sizeof mark - 1);
	if (at == NULL)
		return VIEW_ETEMPLATE;
	size_t before = (size_t)(at - page);
	fwrite(page, 1, before, out);
	/* "<" stands in strings only; without it nothing can end the element */
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
	before += sizeof mark - 1;
	fwrite(page + before, 1, page_size - before, out);
	return ferror(out) ? VIEW_EWRITE : VIEW_OK;
}
