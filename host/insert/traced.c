/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/insert/traced.h"
#include "host/base/order.h"

#include <stdlib.h>
#include <string.h>
#include "common/frame.h"
#include "host/base/array.h"
#include "host/insert/insert.h"
#include "host/insert/map.h"
#include "isa/isa.h"

#define INSNS_MAX 60000u /* of a record: what 16 bits hold */
#define OBJECTS_MAX (1u << 20)
#define EVENTS_MAX (1u << 26) /* of all objects */
#define NONE SIZE_MAX

const char *traced_strerror(int error)
{
	switch (error) {
	case TRACED_OK:
		return "no error";
	case TRACED_ENOMEM:
		return "out of memory";
	case TRACED_ENOMAP:
		return "it has no section .debug_rivulet, which says what the events mean: give the program's twin, "
		       "before "
		       "strip (rivulet insert --map --trace, rivulet cc --map --trace)";
	case TRACED_EFORMAT:
		return "its section .debug_rivulet is damaged, or of another version of rivulet";
	case TRACED_ETWIN:
		return "this is the program that ran, and the trace is read with its twin: the same files, linked "
		       "after "
		       "rivulet insert --map --trace, or by rivulet cc --map --trace";
	case TRACED_EOTHER:
		return "the events are of objects that it does not have: give the twin of the program that ran";
	case TRACED_ETWICE:
		return "the trace is damaged: its objects lie in one another";
	default:
		return "unknown error";
	}
}

/* ---------------------------------------------------------------- pieces */
enum piece_kind { STRAIGHT, BRANCH, JUMP, INDIRECT, XRET, TRAP };
struct piece {
	uint64_t start, end;  /* end: the address behind its last instruction */
	uint64_t last;        /* its last instruction */
	uint64_t target;      /* BRANCH, JUMP */
	uint64_t pad_end;     /* behind padding that is executed where the piece is left by falling; end: none */
	uint32_t insns, pads; /* pads: instructions of the padding */
	uint8_t kind;
};
struct traced_object {
	uint32_t base, count; /* where its events are; how many */
	size_t first;         /* in firsts: for each event its first piece, and one number more */
	bool unknown;         /* the twin does not have it: if it ran, this is no twin */
};
struct span { /* code with events */
	uint64_t start, end;
};

struct traced {
	const struct image *image;
	struct map *map;
	const uint8_t *bytes;
	size_t size, at; /* at: behind the frame that content is of */
	uint8_t content[FRAME_CONTENT_MAX];
	size_t length, offset; /* of content; of its next event; length 0: none */
	uint32_t before;       /* the last event of the frame */
	bool header, over;
	bool known; /* one of the objects is the program's */

	struct traced_object *objects;
	size_t object_count, object_room;
	size_t *firsts, first_count, first_room;
	struct piece *pieces;
	size_t piece_count, piece_room;
	struct span *spans;
	size_t span_count, span_room;
	bool sorted; /* the spans */

	const struct traced_object *object; /* of the last event */
	size_t next, end;                   /* pieces of the event that are still to come */
	size_t last;                        /* the piece before; NONE: none, or its end is settled */
	bool open;
	struct record record;  /* under way, if open */
	uint64_t lost, behind; /* events missing before the record under way; behind it */
	uint64_t expected;     /* number of the next event */
	struct traced_counts counts;
};

static bool add_traced_piece(struct traced *t, const struct piece *piece)
{
	if (piece->insns == 0)
		return true;
	if (!array_room(&t->pieces, t->piece_count + 1, &t->piece_room))
		return false;
	t->pieces[t->piece_count++] = *piece;
	return true;
}

/* One more event begins: its pieces come next. */
static bool add_event(struct traced *t)
{
	if (!array_room(&t->firsts, t->first_count + 1, &t->first_room))
		return false;
	t->firsts[t->first_count++] = t->piece_count;
	return true;
}

static uint8_t traced_kind_of(const struct isa_insn *insn)
{
	if ((insn->class_bits & ISA_BRANCH) != 0)
		return BRANCH;
	if ((insn->class_bits & ISA_JUMP) != 0)
		return JUMP;
	if ((insn->class_bits & ISA_INDIRECT) != 0)
		return INDIRECT;
	if ((insn->class_bits & ISA_RET) != 0)
		return XRET;
	return (insn->class_bits & ISA_TRAPS) != 0 ? TRAP : STRAIGHT;
}

/* The pieces of a block, from its start and from behind each of its calls and system calls. *site: index of the next
 * call. */
static bool add_traced_block(
    struct traced *t, const struct map_function *f, const struct map_block *block, uint32_t *site, uint32_t *events)
{
	const struct map *m = t->map;
	const uint32_t runs = block->run_count - ((block->flags & MAP_PADDED) != 0 ? 1 : 0);
	const uint64_t start = m->runs[block->runs].start, end = m->runs[block->runs + runs - 1].end;
	struct piece piece = {.start = start, .end = start};
	bool call = false;
	if (!add_event(t))
		return false;
	++*events;
	for (uint64_t pc = start; pc < end;) {
		struct isa_insn insn;
		if (!image_insn(t->image, pc, 0, &insn))
			break;
		const uint8_t kind = traced_kind_of(&insn);
		call |= *site < f->site_count && m->sites[f->sites + *site] == pc;
		piece.kind = kind;
		if (kind != TRAP) { /* one that traps does not retire */
			piece.insns++;
			piece.last = pc;
			piece.target = kind == BRANCH || kind == JUMP ? isa_target(&insn, pc) : 0;
			piece.end = piece.pad_end = pc + insn.length;
		}
		pc += insn.length;
		if (kind == STRAIGHT)
			continue;
		const bool calls = call && (insn.class_bits & ISA_CALL) != 0;
		if (pc < end || calls || insn.op == ISA_ECALL) {
			if (!add_traced_piece(t, &piece))
				return false;
			piece = (struct piece){.start = pc, .end = pc};
		}
		if (calls || insn.op == ISA_ECALL) {
			call &= !calls;
			*site += calls;
			++*events;
			if (!add_event(t))
				return false;
		}
	}
	if (runs < block->run_count && piece.insns > 0) {
		struct isa_insn insn;
		const struct map_run *pad = &m->runs[block->runs + runs];
		for (uint64_t pc = pad->start; pc < pad->end && image_insn(t->image, pc, 0, &insn); pc += insn.length)
			piece.pads++;
		piece.pad_end = pad->start < pad->end ? pad->end : piece.end;
	}
	return add_traced_piece(t, &piece);
}

static int add_traced_function(struct traced *t, const struct map_function *f)
{
	uint32_t site = 0, events = 0;
	for (uint32_t b = f->blocks; b < f->blocks + f->block_count; b++) {
		const struct map_block *block = &t->map->blocks[b];
		if ((block->flags & MAP_TABLE) != 0)
			continue;
		if (block->run_count <= ((block->flags & MAP_PADDED) != 0 ? 1u : 0u))
			return TRACED_EFORMAT;
		if (f->address == 0) /* the linker dropped it */
			continue;
		if (!add_traced_block(t, f, block, &site, &events) ||
		    !array_room(&t->spans, t->span_count + 1, &t->span_room))
			return TRACED_ENOMEM;
		t->spans[t->span_count++] = (struct span){
		    t->map->runs[block->runs].start, t->map->runs[block->runs + block->run_count - 1].end};
	}
	if (f->address != 0 && events != f->counters)
		return TRACED_EFORMAT;
	for (; events < f->counters; events++)
		if (!add_event(t))
			return TRACED_ENOMEM;
	t->counts.functions += f->address != 0;
	return TRACED_OK;
}

static int pieces_by_start(const void *a, const void *b)
{
	const struct span *x = a, *y = b;
	return ORDER_UP(x->start, y->start);
}

static int add_object(struct traced *t, uint64_t id, uint32_t base, uint64_t count)
{
	const struct map_object *o = map_object(t->map, id);
	if (o != NULL && (o->counters != count || o->mode != INSERT_TRACE))
		return TRACED_EOTHER;
	if (o != NULL && o->form != MAP_TWIN)
		return TRACED_ETWIN;
	if (t->object_count >= OBJECTS_MAX || count > EVENTS_MAX - t->first_count)
		return TRACED_ETWICE;
	for (size_t i = 0; i < t->object_count; i++)
		if (base < t->objects[i].base + t->objects[i].count && t->objects[i].base < base + count)
			return TRACED_ETWICE;
	if (!array_room(&t->objects, t->object_count + 1, &t->object_room))
		return TRACED_ENOMEM;
	size_t at = t->object_count++;
	for (; at > 0 && t->objects[at - 1].base > base; at--)
		t->objects[at] = t->objects[at - 1];
	t->objects[at] = (struct traced_object){.base = base, .count = (uint32_t)count, .first = t->first_count};
	t->object = NULL;
	if (o == NULL) { /* the runtime needs it, and the twin has no runtime; or this is no twin */
		t->objects[at].unknown = true;
		while (count-- > 0)
			if (!add_event(t))
				return TRACED_ENOMEM;
		return add_event(t) ? TRACED_OK : TRACED_ENOMEM;
	}
	t->known = true;
	const size_t first = t->first_count;
	for (uint32_t i = 0; i < o->function_count; i++) {
		const struct map_function *f = &t->map->functions[o->functions + i];
		if ((f->flags & MAP_COUNTED) == 0) {
			t->counts.left += f->address != 0;
			continue;
		}
		if (t->first_count - first != f->first)
			return TRACED_EFORMAT;
		int error = add_traced_function(t, f);
		if (error != TRACED_OK)
			return error;
	}
	if (t->first_count - first != count || !add_event(t))
		return TRACED_EFORMAT;
	t->sorted = false;
	return TRACED_OK;
}

/* Whether an address lies in code that has events: what else ran is not in the sequence. */
static bool traced_covers(const struct traced *t, uint64_t address)
{
	size_t low;
	ORDER_FIRST(low, 0, t->span_count, t->spans[low].end <= address);
	return low < t->span_count && t->spans[low].start <= address;
}

/* ---------------------------------------------------------------- frames */
/* Next frame in the bytes from *at on: its length, or 0: there is none. */
static size_t next_frame(const uint8_t *bytes, size_t size, size_t *at, uint8_t content[FRAME_CONTENT_MAX])
{
	while (*at < size) {
		const uint8_t *zero = memchr(bytes + *at, 0, size - *at);
		if (zero == NULL)
			break;
		const uint8_t *from = zero + 1;
		const uint8_t *to = memchr(from, 0, size - (size_t)(from - bytes));
		if (to == NULL)
			break;
		*at = (size_t)(to - bytes);
		const int length = to == from ? -1 : frame_decode(from, (size_t)(to - from), content);
		if (length >= 2)
			return (size_t)length;
	}
	*at = size;
	return 0;
}

bool traced_is(const uint8_t *bytes, size_t size)
{
	uint8_t content[FRAME_CONTENT_MAX];
	size_t at = 0;
	while (next_frame(bytes, size, &at, content) > 0)
		if (content[0] == FRAME_OBJECTS || content[0] == FRAME_EVENTS)
			return true;
	return false;
}

static int read_traced_objects(struct traced *t)
{
	size_t at = 2;
	while (at < t->length) {
		uint64_t id, base, count;
		if (frame_get_leb(t->content, t->length, &at, &id) != 0 ||
		    frame_get_leb(t->content, t->length, &at, &base) != 0 ||
		    frame_get_leb(t->content, t->length, &at, &count) != 0 || base > UINT32_MAX ||
		    count > UINT32_MAX - base)
			return TRACED_ETWICE;
		int error = add_object(t, id, (uint32_t)base, count);
		if (error != TRACED_OK)
			return error;
	}
	return TRACED_OK;
}

static void read_traced_end(struct traced *t)
{
	uint64_t number = 0;
	size_t at = 2;
	for (unsigned i = 0; i < 3; i++)
		if (frame_get_leb(t->content, t->length, &at, &number) != 0)
			return;
	t->counts.others = number;
	t->counts.ended = true;
}

/* The next frame of events. 1; 0: the trace is over; or an error. */
static int load_events(struct traced *t)
{
	uint64_t first;
	while (!t->over && (t->length = next_frame(t->bytes, t->size, &t->at, t->content)) > 0) {
		int error = TRACED_OK;
		const bool any = t->header || t->object_count > 0;
		switch (t->content[0]) {
		case FRAME_HEADER: /* another begins: the one before was cut off */
			t->over = t->object_count > 0;
			t->header = true;
			break;
		case FRAME_OBJECTS:
			error = read_traced_objects(t);
			break;
		case FRAME_END:
			if (t->object_count > 0) {
				read_traced_end(t);
				t->over = true;
			}
			break;
		case FRAME_EVENTS:
			t->offset = 2;
			t->before = 0;
			if (frame_get_leb(t->content, t->length, &t->offset, &first) != 0 || first < t->expected)
				break; /* damaged, or twice */
			if (any && first > t->expected) {
				t->behind += first - t->expected;
				t->counts.missing += first - t->expected;
			}
			if (!t->known && t->object_count > 0)
				return TRACED_EOTHER;
			t->expected = first;
			if (!t->sorted && t->span_count > 0)
				qsort(t->spans, t->span_count, sizeof *t->spans, pieces_by_start);
			t->sorted = true;
			return 1;
		default:
			break;
		}
		if (error != TRACED_OK)
			return error;
	}
	t->length = 0;
	t->over = true;
	return 0;
}

/* The object that an event is of; NULL: none that is known. */
static const struct traced_object *object_of(struct traced *t, uint32_t event)
{
	const struct traced_object *o = t->object;
	if (o != NULL && event - o->base < o->count)
		return o;
	size_t low = 0, high = t->object_count;
	while (high - low > 1) {
		const size_t middle = low + (high - low) / 2;
		if (t->objects[middle].base <= event)
			low = middle;
		else
			high = middle;
	}
	if (low >= t->object_count || event - t->objects[low].base >= t->objects[low].count)
		return NULL;
	return t->object = &t->objects[low];
}

/* Takes the next event: its pieces. 1, 0 or an error, as load_events(). */
static int take_traced_event(struct traced *t)
{
	uint64_t difference;
	while (t->length == 0 || t->offset >= t->length) {
		int got = load_events(t);
		if (got != 1)
			return got;
	}
	if (frame_get_leb(t->content, t->length, &t->offset, &difference) != 0) {
		t->offset = t->length;
		return 1;
	}
	t->before += (uint32_t)frame_unzigzag(difference);
	t->expected++;
	t->counts.events++;
	const struct traced_object *o = object_of(t, t->before);
	if (o == NULL || o->unknown) {
		t->counts.unknown++;
		t->behind++;
		t->counts.missing++;
		return 1;
	}
	const size_t *first = &t->firsts[o->first + (t->before - o->base)];
	t->next = first[0];
	t->end = first[1];
	return 1;
}

/* ---------------------------------------------------------------- records */
static bool history_full(const struct record *record)
{
	return (record->hist >> (TRACED_HIST - 1)) != 0;
}

/* How the record under way ends where its last piece is followed by code at `to`; TRACE_NONE: it goes on there. */
static enum trace_reason settle_record(struct traced *t, uint64_t to)
{
	const struct piece *p = &t->pieces[t->last];
	struct record *r = &t->record;
	bool taken = p->kind == JUMP;
	switch (p->kind) {
	case INDIRECT:
		return TRACE_INDIRECT;
	case XRET:
		return TRACE_XRET;
	case TRAP:
		return TRACE_TRAP;
	case BRANCH:
		if (to != p->end && to != p->pad_end && to != p->target) {
			/* into code without events, by the way that has none */
			const bool there = traced_covers(t, p->target), here = traced_covers(t, p->end);
			if (there == here) {
				t->counts.strange++;
				r->insns--;
				return TRACE_LEFT;
			}
			taken = here;
		} else {
			taken = to == p->target && to != p->end;
		}
		r->hist = r->hist << 1 | taken;
		if (history_full(r))
			return TRACE_FULL;
		break;
	default:
		break;
	}
	if (taken && p->target <= p->last)
		return TRACE_BACKWARD;
	if (taken ? to == p->target : to == p->end)
		return TRACE_NONE;
	if (!taken && to == p->pad_end) {
		r->insns += p->pads;
		return TRACE_NONE;
	}
	return TRACE_LEFT;
}

/* Ends the record under way. Whether there is one to be given. */
static bool end_record(struct traced *t, enum trace_reason reason, struct record *record, uint64_t *missing)
{
	const bool some = t->open && t->record.insns > 0;
	if (some) {
		*record = t->record;
		record->reason = (uint8_t)reason;
		*missing = t->lost;
		t->lost = 0;
	}
	t->open = false;
	t->last = NONE;
	return some;
}

/* What is missing or follows nobody knows. */
static bool break_off(struct traced *t, enum trace_reason reason, struct record *record, uint64_t *missing)
{
	const unsigned kind = t->open && t->last != NONE ? t->pieces[t->last].kind : STRAIGHT;
	if (kind == BRANCH)
		t->record.insns--;
	else if (kind == INDIRECT)
		reason = TRACE_INDIRECT;
	return end_record(t, reason, record, missing);
}

int traced_next(struct traced *t, struct record *record, uint64_t *missing)
{
	for (;;) {
		while (t->next == t->end) {
			int got = take_traced_event(t);
			if (got < 0)
				return got;
			if (got == 0)
				return break_off(t, TRACE_OFF, record, missing);
			if (t->behind > 0 && t->open && break_off(t, TRACE_GAP, record, missing))
				return 1;
		}
		const struct piece *p = &t->pieces[t->next];
		if (t->open && t->last != NONE) {
			enum trace_reason reason = settle_record(t, p->start);
			t->last = NONE;
			if (reason == TRACE_NONE && t->record.insns > INSNS_MAX)
				reason = TRACE_LEFT;
			if (reason != TRACE_NONE && end_record(t, reason, record, missing))
				return 1;
		}
		t->last = t->next++;
		if (!t->open) {
			t->record = (struct record){.start = p->start, .hist = 1, .count = 1};
			t->lost += t->behind;
			t->behind = 0;
			t->open = true;
		}
		t->record.insns += p->insns;
	}
}

/* ---------------------------------------------------------------- the interface */
int traced_open(struct traced **traced, const struct image *image, const uint8_t *bytes, size_t size)
{
	size_t length = 0;
	*traced = NULL;
	const uint8_t *section = image_section(image, ".debug_rivulet", &length);
	if (section == NULL)
		return TRACED_ENOMAP;
	struct traced *t = calloc(1, sizeof *t);
	if (t == NULL)
		return TRACED_ENOMEM;
	t->image = image;
	t->last = NONE;
	t->bytes = bytes;
	t->size = size;
	int error = map_open(&t->map, section, length);
	if (error != MAP_OK) {
		traced_close(t);
		return error == MAP_ENOMEM ? TRACED_ENOMEM : TRACED_EFORMAT;
	}
	*traced = t;
	return TRACED_OK;
}

void traced_close(struct traced *t)
{
	if (t == NULL)
		return;
	map_close(t->map);
	free(t->objects);
	free(t->firsts);
	free(t->pieces);
	free(t->spans);
	free(t);
}

size_t traced_position(const struct traced *t)
{
	return t->at;
}

void traced_counts(const struct traced *t, struct traced_counts *counts)
{
	*counts = t->counts;
}
