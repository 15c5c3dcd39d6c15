/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PROFILE_STREAM_H
#define RIVULET_PROFILE_STREAM_H
/*
 * Profiles as bytes (docs/profile-format.md): reading them out of a stream of console text and frames that may be cut
 * or damaged anywhere, and writing them.
 *
 *   text ... 00 frame 00 text 00 frame 00 00 frame 00 ...
 *
 * What begins with FRAME_TEXT_MARK twice behind a zero byte is text of others, whatever it looks like; the mark and
 * bytes that could steer a terminal are not handed out. Else what lies between two zero bytes is a frame if it decodes
 * and its checksum is right; else it is damage if it holds bytes that console text does not (control characters, bytes
 * that are no UTF-8), else text. The reader goes on behind any damage, keeps every good frame, and remembers what was
 * wrong and at which byte offset. Profiles of the harts of one chip, which follow each other, become one.
 */
#include "common/frame.h"
#include "host/profile/profile.h"

#define PROFILE_STREAM_VERSION 1
#define PROFILE_START_BASE UINT64_C(0x80000000) /* the start that the first entry counts from */

enum damage_kind {
	DAMAGE_CODE,      /* looks like a frame, but its COBS code is broken */
	DAMAGE_CRC,       /* ... its checksum is wrong */
	DAMAGE_LENGTH,    /* ... it is too long or too short */
	DAMAGE_CUT,       /* the stream ends inside a frame */
	DAMAGE_PAYLOAD,   /* checksum right, but the payload is not what docs/profile-format.md says */
	DAMAGE_TYPE,      /* a frame of an unknown type or version */
	DAMAGE_HOLE,      /* value frames are missing before this one (modulo 256) */
	DAMAGE_REPEATED,  /* a frame that came twice; the second is ignored */
	DAMAGE_SECOND,    /* a second profile begins; it is ignored from here on */
	DAMAGE_NO_FRAMES, /* no frame at all */
	DAMAGE_NO_HEADER,
	DAMAGE_NO_END,
	DAMAGE_SUM,      /* the entries do not sum up to what the end frame says: value counts are missing */
	DAMAGE_HART_CUT, /* the end frame of hart value is missing */
	DAMAGE_HART_NONE /* nothing came of hart value */
};

struct damage {
	enum damage_kind kind;
	uint64_t offset, size; /* bytes of the stream that it is about, zero bytes around a frame left out */
	uint64_t value;
};
/* One sentence, without file name: "damaged frame at offset 512 (37 bytes): its checksum is wrong". Returns as
 * snprintf. */
int damage_describe(const struct damage *damage, char *text, size_t size);

#define DAMAGE_MAX 1000 /* that many are kept, the others counted */
#define CHUNK_MAX (FRAME_CONTENT_MAX + 1)

/* Receives console text, in pieces. May be NULL. */
typedef void profile_text(void *context, const uint8_t *bytes, size_t size);

/* Everything but the text and context members is the reader's. */
struct profile_reader {
	struct profile *profile;
	profile_text *text;
	void *context;
	uint64_t offset;      /* bytes taken so far */
	uint64_t chunk_start; /* offset of chunk[0] */
	uint8_t chunk[CHUNK_MAX];
	size_t chunk_size;
	bool piece;            /* the chunk goes on from one that was longer than any frame */
	bool after_zero;       /* a zero byte stands before the chunk */
	bool marked;           /* ... and FRAME_TEXT_MARK twice behind it: no frame up to the next zero byte */
	bool closed;           /* a second profile has begun */
	unsigned begun, ended; /* a bit for each hart: its header was taken, its end frame */
	int expected;          /* sequence of the next frame, -1: any */
	bool seen[256];        /* by sequence: a frame was taken, and its checksum, so that the same again is known */
	uint32_t seen_crc[256];
	uint64_t frames, entries, text_bytes; /* good frames, entries in them, bytes of text */
	uint64_t events;                      /* of a sequence (host/insert/traced.h), up to the last one */
	uint64_t damaged;                     /* DAMAGE_CODE to DAMAGE_TYPE: frames that were not used */
	uint64_t damage_count;
	unsigned replaced; /* of damage[], from its end, when it was full */
	struct damage damage[DAMAGE_MAX];
};

/* profile is initialised and empty. */
void profile_reader_init(struct profile_reader *reader, struct profile *profile);
/* Takes the next bytes. Returns 0 or PROFILE_ENOMEM, PROFILE_EOVERFLOW; damage is no error here. */
int profile_feed(struct profile_reader *reader, const void *bytes, size_t size);
/* The stream has ended. Afterwards damage_count == 0 says that the profile is whole. */
int profile_finish(struct profile_reader *reader);

/* Takes bytes to be written; returns 0, or anything else to fail with PROFILE_EWRITE. */
typedef int profile_emit(void *context, const void *bytes, size_t size);
/* Writes header, entries ordered by start, and end frame. entries and counts of the end frame are computed. */
int profile_write(const struct profile *profile, profile_emit *emit, void *context);
#endif
