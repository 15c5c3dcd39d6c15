/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_IMPORT_FRAMES_H
#define RIVULET_IMPORT_FRAMES_H
/*
 * CoreSight's formatter: several trace sources in one buffer, in frames of 16 bytes (Arm CoreSight Architecture
 * Specification, "Formatter"). SpacemiT's chips, and others whose encoder feeds CoreSight's sinks, write them.
 *
 *   byte 0    1    2    3   ...  14   15
 *   [ d/ID ][ d ][ d/ID ][ d ]   [ d/ID ][ flags ]
 *
 * An even byte with bit 0 set is a source's ID; else data, whose bit 0 is in flags. An ID with its flag set begins
 * behind the next byte. FF FF FF 7F between frames is a mark, four of them are a break between two buffers.
 */
#include <stdbool.h>
#include <stdint.h>

#define FRAMES_BYTES 16u
#define FRAMES_ID_MAX 0x6Fu

struct frames {
	unsigned wanted; /* 0: the first ID that comes */
	unsigned id;     /* whose bytes come now; 0: nobody's */
	unsigned count, marks;
	uint64_t others; /* bytes of other sources */
	uint8_t bytes[FRAMES_BYTES];
};
/* Of a whole frame, the bytes of the source that is wanted; how many. *broke: a break came before them. */
unsigned frames_put(struct frames *frames, uint8_t byte, uint8_t out[FRAMES_BYTES], bool *broke);

/* The other way: bytes of one source, 1 to FRAMES_ID_MAX. */
struct frames_writer {
	unsigned count;
	uint8_t bytes[FRAMES_BYTES];
};
/* true: frame->bytes is whole, and the next one begins. */
bool frames_write(struct frames_writer *frame, unsigned id, uint8_t byte);
/* The last one: what is left of it belongs to nobody. true: frame->bytes is whole. */
bool frames_end(struct frames_writer *frame);
#endif
