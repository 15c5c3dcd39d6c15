/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/image/machine.h"
#include "host/base/order.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "host/base/array.h"
#include "isa/isa.h"

#define MAGIC "rivulet machine "
#define LENGTH_MAX 64u /* of a bytecode: a walk's block holds at least one */
#define FILE_MAX (INT64_C(256) << 20)
#define LINK 1 /* registers of the instructions that stand for bytecodes */
#define VALUE 6

enum kind { NEXT, BRANCH, JUMP, CALL, JUMP_ANY, CALL_ANY, RETURN, KINDS };
static const struct {
	const char *name;
	enum isa_op op;
	uint8_t rd, rs1;
	bool target;
} kinds[KINDS] = {[NEXT] = {"next", ISA_ADDI, 0, 0, false},
    [BRANCH] = {"branch", ISA_BEQ, 0, VALUE, true},
    [JUMP] = {"jump", ISA_JAL, 0, 0, true},
    [CALL] = {"call", ISA_JAL, LINK, 0, true},
    [JUMP_ANY] = {"jump-any", ISA_JALR, 0, VALUE, false},
    [CALL_ANY] = {"call-any", ISA_JALR, LINK, VALUE, false},
    [RETURN] = {"return", ISA_JALR, 0, LINK, false}};

struct bytecode {
	uint64_t address, target;
	const char *text, *source; /* NULL: the file has none */
	unsigned line;
	uint8_t length, kind;
};

struct function {
	const char *name;
	uint64_t address;
	size_t first; /* bytecode as read */
};

struct machine {
	struct bytecode *codes; /* sorted by address, disjoint */
	size_t count, room;
	struct function *functions;
	size_t function_count, function_room;
	uint8_t
	    *zeros; /* stand for the bytes of all of them, in order of address: the bytecodes themselves are above */
	const char *source;
	bool wide;
};

struct reading {
	struct machine *machine;
	const char *path;
	unsigned number; /* of the line */
	char *detail;
	size_t size;
};

bool machine_is_file(const char *path)
{
	struct stat status;
	char head[sizeof MAGIC] = "";
	if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
		return false;
	FILE *file = fopen(path, "rb");
	if (file == NULL)
		return false;
	const size_t got = fread(head, 1, sizeof MAGIC - 1, file);
	fclose(file);
	return got == sizeof MAGIC - 1 && strcmp(head, MAGIC) == 0;
}

void machine_close(struct machine *m)
{
	if (m == NULL)
		return;
	free(m->codes);
	free(m->functions);
	free(m->zeros);
	free(m);
}

static int refuse_line(const struct reading *r, const char *what)
{
	return image_fail(r->detail, r->size, IMAGE_EELF, "%s: line %u: %s", r->path, r->number, what);
}

static bool take_number(char **at, int base, uint64_t *value)
{
	char *end;
	*at += strspn(*at, " \t");
	if (**at == '\0' || strchr("0123456789abcdefABCDEF", **at) == NULL)
		return false;
	errno = 0;
	*value = strtoull(*at, &end, base);
	if (errno != 0 || (*end != '\0' && *end != ' ' && *end != '\t'))
		return false;
	*at = end;
	return true;
}

static char *take_word(char **at)
{
	*at += strspn(*at, " \t");
	char *word = *at;
	*at += strcspn(*at, " \t");
	if (**at != '\0')
		*(*at)++ = '\0';
	return word;
}

/* function ADDRESS NAME */
static int read_function(struct reading *r, char *at)
{
	struct machine *m = r->machine;
	struct function f = {.first = m->count};
	if (!take_number(&at, 16, &f.address))
		return refuse_line(r, "a function without an address; expected: function ADDRESS NAME");
	f.name = at + strspn(at, " \t");
	if (*f.name == '\0')
		return refuse_line(r, "a function without a name; expected: function ADDRESS NAME");
	if (!array_room(&m->functions, m->function_count + 1, &m->function_room))
		return image_fail(r->detail, r->size, IMAGE_ENOMEM, "%s: out of memory", r->path);
	m->functions[m->function_count++] = f;
	return IMAGE_OK;
}

/* ADDRESS LENGTH LINE KIND [TARGET] [TEXT] */
static int read_bytecode(struct reading *r, char *at)
{
	struct machine *m = r->machine;
	struct bytecode b = {.source = m->source};
	uint64_t length, line;
	if (!take_number(&at, 16, &b.address) || !take_number(&at, 10, &length) || !take_number(&at, 10, &line))
		return refuse_line(r, "expected: ADDRESS LENGTH LINE KIND [TARGET] [TEXT], or function, source, bits");
	if ((b.address & 1) != 0 || (length & 1) != 0 || length == 0 || length > LENGTH_MAX ||
	    b.address > UINT64_MAX - length)
		return refuse_line(r,
		    "addresses and lengths are even, lengths 2 to 64: a machine with bytecodes at odd "
		    "offsets takes twice the offset");
	const char *word = take_word(&at);
	for (b.kind = 0; b.kind < KINDS && strcmp(word, kinds[b.kind].name) != 0;)
		b.kind++;
	if (b.kind == KINDS)
		return refuse_line(
		    r, "the kind of a bytecode is next, branch, jump, call, jump-any, call-any or return");
	if (kinds[b.kind].target) {
		if (!take_number(&at, 16, &b.target))
			return refuse_line(r, "this kind of bytecode has a target: an address behind the kind");
		const int64_t offset = (int64_t)(b.target - b.address);
		if ((b.target & 1) != 0 || offset != (int32_t)offset)
			return refuse_line(r, "a target is even, and less than 2^31 away");
	}
	at += strspn(at, " \t");
	b.text = *at == '\0' ? NULL : at;
	b.length = (uint8_t)length;
	b.line = line > INT32_MAX ? 0 : (unsigned)line;
	if (!array_room(&m->codes, m->count + 1, &m->room))
		return image_fail(r->detail, r->size, IMAGE_ENOMEM, "%s: out of memory", r->path);
	m->codes[m->count++] = b;
	return IMAGE_OK;
}

static int read_machine_line(struct reading *r, char *line)
{
	char *at = line + strspn(line, " \t");
	const size_t length = strlen(at);
	if (length > 0 && at[length - 1] == '\r') /* of another system's editor */
		at[length - 1] = '\0';
	if (*at == '\0' || *at == '#')
		return IMAGE_OK;
	if (r->number == 1)
		return strcmp(at, MAGIC "1") == 0
			   ? IMAGE_OK
			   : refuse_line(r, "a machine file of a later version; expected: " MAGIC "1");
	if (strncmp(at, "function ", 9) == 0)
		return read_function(r, at + 9);
	if (strncmp(at, "source ", 7) == 0) {
		r->machine->source = at + 7 + strspn(at + 7, " \t");
		return IMAGE_OK;
	}
	if (strcmp(at, "bits 32") == 0 || strcmp(at, "bits 64") == 0) {
		r->machine->wide = at[5] == '6';
		return IMAGE_OK;
	}
	return read_bytecode(r, at);
}

static int by_code_address(const void *a, const void *b)
{
	const struct bytecode *x = a, *y = b;
	return ORDER_UP(x->address, y->address);
}

/* A function's bytes end where the bytecodes do that were read behind its line, without a gap. */
static uint64_t end_of_function(const struct machine *m, size_t index)
{
	const size_t behind = index + 1 < m->function_count ? m->functions[index + 1].first : m->count;
	uint64_t end = m->functions[index].address;
	for (size_t i = m->functions[index].first; i < behind && m->codes[i].address == end; i++)
		end += m->codes[i].length;
	return end;
}

static bool name_machine_code(struct image *image, const struct machine *m)
{
	image->symbols = calloc(m->function_count + 1, sizeof *image->symbols);
	for (size_t i = 0; image->symbols != NULL && i < m->function_count; i++) {
		const struct function *f = &m->functions[i];
		const uint64_t size = end_of_function(m, i) - f->address;
		image->symbols[i] = (struct symbol){
		    .name = f->name, .address = f->address, .size = size, .code = true, .sized = size > 0};
	}
	image->symbol_count = image->code_symbol_count = m->function_count;
	return image->symbols != NULL;
}

/* Segments are stretches without a gap. */
static bool place_machine_code(struct image *image, struct machine *m)
{
	for (size_t i = 0; i < m->count; i++)
		image->code_size += m->codes[i].length;
	m->zeros = calloc(image->code_size + 1, 1);
	image->segments = calloc(m->count + 1, sizeof *image->segments);
	if (m->zeros == NULL || image->segments == NULL)
		return false;
	uint8_t *at = m->zeros;
	for (size_t i = 0; i < m->count; i++) {
		const struct bytecode *b = &m->codes[i];
		struct elf_segment *s = &image->segments[image->segment_count];
		if (i > 0 && s[-1].address + s[-1].size == b->address) {
			s[-1].size += b->length;
			s[-1].file_size = s[-1].size;
		} else {
			*s = (struct elf_segment){.address = b->address,
			    .physical = b->address,
			    .size = b->length,
			    .file_size = b->length,
			    .execute = true,
			    .bytes = at};
			image->segment_count++;
		}
		at += b->length;
	}
	return true;
}

static bool add_machine_row(struct image *image, size_t *room, const struct line_row *row)
{
	if (!array_room(&image->rows, image->row_count + 1, room))
		return false;
	image->rows[image->row_count++] = *row;
	return true;
}

/* A row where the line changes, and an end behind each stretch. */
static bool place_machine_lines(struct image *image, const struct machine *m)
{
	const struct bytecode *last = NULL;
	bool any = false, good = true;
	size_t room = 0;
	for (size_t i = 0; i < m->count; i++)
		any |= m->codes[i].source != NULL && m->codes[i].line != 0;
	for (size_t i = 0; any && good && i <= m->count; i++) {
		const struct bytecode *b = i < m->count ? &m->codes[i] : NULL;
		if (last != NULL && (b == NULL || last->address + last->length != b->address)) {
			good =
			    add_machine_row(image, &room, &(struct line_row){.address = last->address + last->length});
			last = NULL;
		}
		if (good && b != NULL && (last == NULL || last->line != b->line || last->source != b->source))
			good = add_machine_row(image, &room,
			    &(struct line_row){
				.address = b->address, .file = b->source, .line = b->line, .begins = true});
		last = b;
	}
	return good;
}

/* What was read, as an image: all that needs the order of the file first. */
static int settle_machine(struct reading *r, struct image *image)
{
	struct machine *m = r->machine;
	if (m->count == 0)
		return image_fail(r->detail, r->size, IMAGE_ETYPE, "%s: no bytecode in it", r->path);
	if (!name_machine_code(image, m))
		return IMAGE_ENOMEM;
	qsort(m->codes, m->count, sizeof *m->codes, by_code_address);
	for (size_t i = 1; i < m->count; i++) {
		if (m->codes[i].address < m->codes[i - 1].address + m->codes[i - 1].length)
			return image_fail(r->detail, r->size, IMAGE_EELF,
			    "%s: two bytecodes at 0x%" PRIx64 ": each place is of one, as long as the program runs",
			    r->path, m->codes[i].address);
	}
	if (!m->wide && m->codes[m->count - 1].address > UINT32_MAX)
		return image_fail(r->detail, r->size, IMAGE_EELF,
		    "%s: an address of more than 32 bits; such a file says `bits 64'", r->path);
	image->isa = image->named = m->wide ? ISA_ANY64 : ISA_ANY32;
	image->wide = m->wide;
	image->entry = m->codes[0].address;
	return place_machine_code(image, m) && place_machine_lines(image, m) && image_sort_symbols(image) == IMAGE_OK
		   ? IMAGE_OK
		   : IMAGE_ENOMEM;
}

static int read_machine(struct reading *r, struct image *image, FILE *file)
{
	struct stat status;
	int error = IMAGE_OK;
	if (fstat(fileno(file), &status) != 0 || status.st_size > FILE_MAX)
		return image_fail(r->detail, r->size, IMAGE_EOPEN, "%s: larger than 256 MiB", r->path);
	image->file.bytes = malloc((size_t)status.st_size + 1);
	if (image->file.bytes == NULL)
		return IMAGE_ENOMEM;
	image->file.length = fread(image->file.bytes, 1, (size_t)status.st_size, file);
	image->file.bytes[image->file.length] = '\0';
	char *line = (char *)image->file.bytes, *end = line + image->file.length;
	for (char *next; error == IMAGE_OK && line < end; line = next) {
		next = line + strcspn(line, "\n") +
		       1; /* a zero byte ends the line too, and what is behind it is refused */
		next[-1] = '\0';
		r->number++;
		error = read_machine_line(r, line);
	}
	return error == IMAGE_OK ? settle_machine(r, image) : error;
}

int machine_open(struct image **out, const char *path, char *detail, size_t size)
{
	struct image *image = calloc(1, sizeof *image);
	struct reading r = {.path = path, .detail = detail, .size = size, .machine = calloc(1, sizeof *r.machine)};
	FILE *file = fopen(path, "rb");
	int error = image == NULL || r.machine == NULL ? IMAGE_ENOMEM : IMAGE_OK;
	if (error == IMAGE_OK && file == NULL) {
		error = IMAGE_EOPEN;
		image_fail(detail, size, error, "%s: %s", path, strerror(errno));
	}
	if (image != NULL) {
		image->machine = r.machine;
		image->file.path = strdup(path);
	}
	if (error == IMAGE_OK)
		error = image->file.path == NULL ? IMAGE_ENOMEM : read_machine(&r, image, file);
	if (error == IMAGE_ENOMEM)
		image_fail(detail, size, error, "%s: out of memory", path);
	if (file != NULL)
		fclose(file);
	if (error == IMAGE_OK) {
		*out = image;
		return IMAGE_OK;
	}
	if (image == NULL)
		machine_close(r.machine);
	image_close(image);
	return error;
}

static const struct bytecode *find_bytecode(const struct machine *m, uint64_t address)
{
	size_t low;
	ORDER_FIRST(low, 0, m->count, m->codes[low].address < address);
	return low < m->count && m->codes[low].address == address ? &m->codes[low] : NULL;
}

bool machine_insn(const struct machine *m, uint64_t address, struct isa_insn *insn)
{
	const struct bytecode *b = find_bytecode(m, address);
	if (b == NULL || isa_make(m->wide ? ISA_ANY64 : ISA_ANY32, kinds[b->kind].op, kinds[b->kind].rd,
			     kinds[b->kind].rs1, 0, 0, insn) != ISA_OK)
		return false;
	insn->length = b->length;
	insn->word = 0;
	if (kinds[b->kind].target)
		insn->imm = (int32_t)(b->target - address);
	return true;
}

const char *machine_text(const struct machine *m, uint64_t address)
{
	const struct bytecode *b = find_bytecode(m, address);
	return b == NULL ? NULL : b->text;
}
