/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/records/private.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

/* ---------------------------------------------------------------- bytes */

bool source_read(struct records *r, uint64_t offset, void *bytes, size_t size, int *error)
{
	if (offset > r->length || r->length - offset < size)
		return false;
	if (r->fd < 0) {
		memcpy(bytes, r->bytes + offset, size);
		return true;
	}
	for (size_t done = 0; done < size;) {
		ssize_t got = pread(r->fd, (uint8_t *)bytes + done, size - done, (off_t)(offset + done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) { /* 0: it has become shorter since it was opened */
			*error = got < 0 ? RECORDS_EOPEN : *error;
			return false;
		}
		done += (size_t)got;
	}
	return true;
}

static bool room_for_bytes(uint8_t **bytes, size_t *room, size_t wanted)
{
	if (wanted <= *room && *bytes != NULL)
		return true;
	free(*bytes);
	*bytes = malloc(wanted + 1);
	*room = *bytes == NULL ? 0 : wanted;
	return *bytes != NULL;
}

int source_payload(struct records *r, const struct head *head, uint64_t offset, const uint8_t **payload)
{
	int error = RECORDS_EFORMAT;
	if (offset > r->length || r->length - offset < HEAD_SIZE + (uint64_t)head->stored)
		return RECORDS_EFORMAT;
	if (!room_for_bytes(&r->stored, &r->stored_room, head->stored))
		return RECORDS_ENOMEM;
	if (!source_read(r, offset + HEAD_SIZE, r->stored, head->stored, &error))
		return error;
	if (base_crc32(0, r->stored, head->stored) != head->crc)
		return RECORDS_EFORMAT;
	*payload = r->stored;
	if (head->coding == CODING_PLAIN)
		return RECORDS_OK;
	/* before memory is asked for */
	if (ZSTD_getFrameContentSize(r->stored, head->stored) != head->plain)
		return RECORDS_EFORMAT;
	if (r->zstd == NULL && (r->zstd = ZSTD_createDCtx()) == NULL)
		return RECORDS_ENOMEM;
	if (!room_for_bytes(&r->plain, &r->plain_room, head->plain))
		return RECORDS_ENOMEM;
	size_t size = ZSTD_decompressDCtx(r->zstd, r->plain, head->plain, r->stored, head->stored);
	*payload = r->plain;
	return ZSTD_isError(size) || size != head->plain ? RECORDS_EFORMAT : RECORDS_OK;
}

/* ---------------------------------------------------------------- opening */

bool records_is(const void *bytes, size_t size)
{
	return size >= SYNC_SIZE && memcmp(bytes, records_sync, SYNC_SIZE) == 0;
}

static int begin_reading(struct records *r)
{
	int error = scan_file(r);
	uint32_t most = 1;
	for (size_t i = 0; i < r->slot_count; i++)
		most = r->slots[i].count > most ? r->slots[i].count : most;
	if (error == RECORDS_OK)
		error = columns_init(&r->columns, most);
	r->scan_damage = r->damage_count;
	return error;
}

static int finish_open(struct records **out, struct records *r, int error, const char *name, char *detail, size_t size)
{
	if (error == RECORDS_OK) {
		*out = r;
		return RECORDS_OK;
	}
	if (detail != NULL && error == RECORDS_EFORMAT)
		snprintf(detail, size,
		    "%s: no record file: there is no block of records in %" PRIu64
		    " bytes; a file of `rivulet run --records' is expected",
		    name, r->length);
	else if (detail != NULL && error == RECORDS_EOPEN)
		snprintf(detail, size, "%s: cannot be read: %s", name, strerror(errno));
	else if (detail != NULL)
		snprintf(detail, size, "%s: %s", name, records_strerror(error));
	records_close(r);
	return error;
}

int records_open_memory(struct records **out, const void *bytes, size_t length, char *detail, size_t size)
{
	struct records *r = calloc(1, sizeof *r);
	*out = NULL;
	if (r == NULL)
		return RECORDS_ENOMEM;
	r->fd = -1;
	r->bytes = bytes;
	r->length = length;
	return finish_open(out, r, begin_reading(r), "records", detail, size);
}

/* Blocks are not read in the order in which they come: a pipe is put into a file first, which has no name. */
static int spool_pipe(int from)
{
	uint8_t bytes[65536];
	FILE *file = tmpfile();
	if (file == NULL)
		return -1;
	int fd = dup(fileno(file));
	fclose(file);
	for (;;) {
		ssize_t got = read(from, bytes, sizeof bytes);
		if (got < 0 && errno == EINTR)
			continue;
		if (got == 0 && fd >= 0)
			return fd;
		if (got <= 0 || fd < 0)
			break;
		for (ssize_t done = 0; done < got;) {
			ssize_t put = write(fd, bytes + done, (size_t)(got - done));
			if (put < 0 && errno != EINTR) {
				close(fd);
				return -1;
			}
			done += put > 0 ? put : 0;
		}
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

int records_open(struct records **out, const char *path, char *detail, size_t size)
{
	struct stat status;
	struct records *r = calloc(1, sizeof *r);
	bool standard = strcmp(path, "-") == 0;
	*out = NULL;
	if (r == NULL)
		return RECORDS_ENOMEM;
	r->own_fd = true;
	r->fd = standard ? dup(STDIN_FILENO) : open(path, O_RDONLY);
	if (r->fd < 0 || fstat(r->fd, &status) != 0)
		return finish_open(out, r, RECORDS_EOPEN, path, detail, size);
	if (!S_ISREG(status.st_mode)) {
		int fd = spool_pipe(r->fd);
		int reason = errno;
		close(r->fd);
		r->fd = fd;
		errno = reason;
		if (fd < 0 || fstat(fd, &status) != 0)
			return finish_open(out, r, RECORDS_EOPEN, path, detail, size);
	}
	r->length = (uint64_t)status.st_size;
	return finish_open(out, r, begin_reading(r), standard ? "standard input" : path, detail, size);
}

void records_close(struct records *r)
{
	if (r == NULL)
		return;
	if (r->own_fd && r->fd >= 0)
		close(r->fd);
	columns_fini(&r->columns);
	columns_fini(&r->list);
	ZSTD_freeDCtx(r->zstd);
	free(r->stored);
	free(r->plain);
	free(r->slots);
	free(r);
}

const struct records_header *records_header(const struct records *r)
{
	return r->has_header ? &r->header : NULL;
}

const struct record_change *records_changes(const struct records *r, size_t *count)
{
	*count = r->change_count;
	return r->changes;
}

const struct records_end *records_end(const struct records *r)
{
	return r->has_end ? &r->end : NULL;
}

void records_extent(const struct records *r, struct records_extent *extent)
{
	uint64_t next = 0;
	*extent = (struct records_extent){.bytes = r->length, .blocks = r->slot_count, .indexed = r->indexed};
	for (size_t i = 0; i < r->slot_count; i++) {
		const struct slot *s = &r->slots[i];
		extent->records += s->count;
		extent->missing += s->first - next;
		next = s->first + s->count;
	}
	if (r->slot_count > 0) {
		extent->first_number = r->slots[0].first;
		extent->first_cycle = r->slots[0].cycle;
		extent->last_number = next - 1;
	}
	if (r->has_end && r->end.records > next)
		extent->missing += r->end.records - next;
}

/* ---------------------------------------------------------------- reading in order */

/* Record numbers from r->expect up to `to` are not there; offset: of what follows. */
static void add_gap(struct records *r, uint64_t to, uint64_t offset, uint64_t skipped)
{
	uint64_t from = r->expect > r->reported ? r->expect : r->reported;
	struct records_damage damage = {.kind = RECORDS_MISSING, .offset = offset, .record = to, .cycle = r->last_time};
	if (to <= from)
		return;
	r->reported = to;
	r->missing += to - from;
	skipped = skipped < to - from ? skipped : to - from;
	damage.count = to - from - skipped;
	if (damage.count > 0)
		damage_add(r, &damage);
	damage.kind = RECORDS_SKIPPED;
	damage.count = skipped;
	if (skipped > 0)
		damage_add(r, &damage);
}

/* The head in the file must be the one that the table was made from. */
bool same_head(const struct records *r, const struct head *head, const struct slot *slot)
{
	return head->type == HEAD_RECORDS && head->file == r->file && head->first == slot->first &&
	       head->count == slot->count && head->ctrl == slot->ctrl && head->cycle == slot->cycle &&
	       HEAD_SIZE + head->stored == slot->size;
}

/* The head of a block in the table, and what stands behind it. */
static int slot_payload(struct records *r, const struct slot *slot, struct head *head, const uint8_t **payload)
{
	uint8_t bytes[HEAD_SIZE];
	int error = RECORDS_EFORMAT;
	if (!source_read(r, slot->offset, bytes, sizeof bytes, &error))
		return error;
	return head_get(head, bytes) && same_head(r, head, slot) ? source_payload(r, head, slot->offset, payload)
								 : RECORDS_EFORMAT;
}

/* The keys that a block carries, which stand in the blocks before it. Mostly these have just been read; else they are
 * read again. A block that is not good is left out: perhaps it had none that is needed. */
static int find_list(struct records *r, const struct head *head, const uint8_t **payload)
{
	struct columns *const list = &r->list, *const c = &r->columns;
	if (list->keys == NULL && columns_init(list, RECORDS_BLOCK_MAX) != RECORDS_OK)
		return RECORDS_ENOMEM;
	if (list->key_count == 0 && columns_carries(c, *payload, head->plain)) {
		memcpy(list->keys, c->keys, c->key_count * sizeof *list->keys);
		memcpy(list->context, c->context, c->key_count * sizeof *list->context);
		memcpy(list->base, c->base, c->key_count * sizeof *list->base);
		list->key_count = c->key_count;
		list->sum = c->sum;
	}
	if (columns_carries(list, *payload, head->plain))
		return RECORDS_OK;
	list->key_count = 0;
	for (size_t i = r->slot < head->depth ? 0 : r->slot - head->depth; i < r->slot; i++) {
		struct head before;
		const int error = slot_payload(r, &r->slots[i], &before, payload);
		if (error != RECORDS_OK && error != RECORDS_EFORMAT)
			return error;
		if (error == RECORDS_OK && (before.depth == 0 || columns_carries(list, *payload, before.plain)))
			columns_list(list, before.depth > 0, *payload, before.plain);
	}
	return source_payload(r, head, r->slots[r->slot].offset, payload);
}

/* Loads the block r->slot into r->columns. */
static int load_slot(struct records *r, enum records_damage_kind *kind)
{
	const struct slot *slot = &r->slots[r->slot];
	struct head head;
	const uint8_t *payload;
	*kind = RECORDS_DAMAGED;
	int error = slot_payload(r, slot, &head, &payload);
	if (error != RECORDS_OK)
		return error;
	const bool carries = head.depth > 0;
	if (!carries)
		r->list.key_count = 0;
	else if ((error = find_list(r, &head, &payload)) == RECORDS_OK &&
		 !columns_carries(&r->list, payload, head.plain)) {
		*kind = RECORDS_KEYS;
		error = RECORDS_EFORMAT;
	}
	if (error == RECORDS_OK &&
	    !columns_get(&r->columns, carries ? &r->list : NULL, slot->count, slot->cycle, payload, head.plain))
		error = RECORDS_EFORMAT;
	return error;
}

/* Loads the next block that is good into r->columns. 1, 0: no more, or an error. */
static int load_block(struct records *r)
{
	for (; r->slot < r->slot_count; r->slot++) {
		const struct slot *slot = &r->slots[r->slot];
		enum records_damage_kind kind;
		const int error = load_slot(r, &kind);
		if (error == RECORDS_EFORMAT) {
			if (slot->first >= r->reported)
				damage_add(r, &(struct records_damage){.kind = kind,
						  .offset = slot->offset,
						  .size = slot->size,
						  .record = slot->first,
						  .count = slot->count,
						  .cycle = slot->cycle});
			continue;
		}
		if (error != RECORDS_OK)
			return error;
		add_gap(r, slot->first, slot->offset, slot->skipped);
		r->first = slot->first;
		r->ctrl = slot->ctrl;
		r->at = 0;
		r->expect = slot->first + slot->count;
		r->reported = r->expect > r->reported ? r->expect : r->reported;
		r->last_time = r->columns.last_time;
		r->slot++;
		return 1;
	}
	if (r->has_end)
		add_gap(r, r->end.records, r->length, 0);
	r->columns.count = r->at = 0;
	return 0;
}

int records_next(struct records *r, struct record *record, struct record_place *place)
{
	const struct columns *c = &r->columns;
	if (r->at == c->count) {
		int got = load_block(r);
		if (got != 1)
			return got;
		columns_times(&r->columns);
	}
	uint32_t i = r->at++;
	*record = c->keys[c->key[i]];
	record->count = c->repeat[i];
	record->timed = records_timed(r) ? c->repeat[i] : 0;
	record->cycles = c->cycles[i];
	*place = (struct record_place){
	    .number = r->first + i, .time = c->time[i], .context = c->context[c->key[i]], .ctrl = r->ctrl};
	return 1;
}

int records_next_block(struct records *r, struct records_block *block)
{
	const struct columns *c = &r->columns;
	int got = load_block(r);
	if (got != 1)
		return got;
	r->at = c->count;
	*block = (struct records_block){.first = r->first,
	    .count = c->count,
	    .ctrl = r->ctrl,
	    .key_count = c->key_count,
	    .keys = c->keys,
	    .context = c->context,
	    .key = c->key,
	    .repeat = c->repeat,
	    .cycles = c->cycles};
	return 1;
}

void records_times(struct records *r, struct records_block *block)
{
	columns_times(&r->columns);
	block->time = r->columns.time;
}

static void go_to(struct records *r, size_t slot)
{
	r->slot = slot;
	r->columns.count = r->at = 0;
	r->expect = slot == 0 ? 0 : r->slots[slot - 1].first + r->slots[slot - 1].count;
	r->last_time = slot == 0 ? 0 : r->slots[slot - 1].cycle;
}

void records_rewind(struct records *r)
{
	go_to(r, 0);
}

/* The first slot that ends behind the number, or whose successor begins behind the cycle. */
static size_t slot_for(const struct records *r, bool by_cycle, uint64_t value)
{
	size_t low = 0, high = r->slot_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct slot *s = &r->slots[middle];
		bool before =
		    by_cycle ? middle + 1 < r->slot_count && s[1].cycle < value : s->first + s->count <= value;
		if (before)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int records_seek(struct records *r, uint64_t number)
{
	go_to(r, slot_for(r, false, number));
	int got = load_block(r);
	if (got == 1)
		columns_times(&r->columns);
	if (got == 1 && number > r->first)
		r->at = number - r->first < r->columns.count ? (uint32_t)(number - r->first) : r->columns.count;
	return got < 0 ? got : RECORDS_OK;
}

void records_seek_block(struct records *r, uint64_t number)
{
	size_t slot = slot_for(r, false, number);
	if (slot < r->slot_count && r->slots[slot].first < number)
		slot++;
	go_to(r, slot);
}

uint32_t records_block_sum(struct records *r, uint64_t number)
{
	uint8_t head[HEAD_SIZE];
	int error = RECORDS_OK;
	const size_t slot = slot_for(r, false, number);
	if (slot == r->slot_count || r->slots[slot].first > number ||
	    !source_read(r, r->slots[slot].offset, head, sizeof head, &error))
		return 0;
	return bytes_get32(head + 60); /* of the 60 before it */
}

int records_seek_cycle(struct records *r, uint64_t cycle)
{
	go_to(r, slot_for(r, true, cycle));
	for (;;) {
		int got = load_block(r);
		if (got != 1)
			return got < 0 ? got : RECORDS_OK;
		columns_times(&r->columns);
		while (r->at < r->columns.count && r->columns.time[r->at] < cycle)
			r->at++;
		if (r->at < r->columns.count)
			return RECORDS_OK;
	}
}

uint64_t records_position(const struct records *r)
{
	return r->slot < r->slot_count ? r->slots[r->slot].offset : r->length;
}

uint64_t records_missing(const struct records *r)
{
	return r->missing;
}

int records_check(struct records *r, records_progress *progress, void *context)
{
	int got;
	r->damage_count = r->scan_damage;
	r->missing = r->reported = 0;
	go_to(r, 0);
	while ((got = load_block(r)) == 1) {
		if (progress != NULL && progress(context, records_position(r), r->length) != 0)
			return RECORDS_ESTOPPED;
	}
	if (got == 0)
		go_to(r, 0);
	return got;
}
