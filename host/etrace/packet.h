/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_ETRACE_PACKET_H
#define RIVULET_ETRACE_PACKET_H
/*
 * Packets of Efficient Trace for RISC-V (E-Trace) 2.0, to bytes and back. A payload is one string of bits, least
 * significant first, without alignment; upper bytes that only repeat the sign are left out. A transport around it says
 * how long it is and whose.
 *
 *   encapsulated    [length 5 | flow 2 | extend 1] [source] [time, if extend] [type] [payload]     length 0: null
 *   indexed         [length 5 | 0 3] [index 16] [payload]       Espressif; the length is the whole packet's; 0: padding
 *   records         [length 8] [time 64] [payload 248]          40 bytes each, PULP rv_tracer
 *
 * Three layouts of a payload are in use; fields whose width is 0 are not there:
 *
 *   ratified    2.0, its tables of formats 0 to 3
 *   first       1.0: no thaddr, irreport and irdepth; a trap value always (ESP32-C6, -H2)
 *   aligned     1.0 with thaddr; notify and updiscon stand before a byte address in whole bytes (ESP32-P4, -C5, -C61)
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ETRACE_TABLE_BITS 12u

enum etrace_form { ETRACE_RATIFIED, ETRACE_FIRST, ETRACE_ALIGNED };
enum etrace_transport { ETRACE_ENCAPSULATED, ETRACE_INDEXED, ETRACE_RECORDS };

struct etrace_layout { /* what both sides must agree on; the defaults of the standard: see etrace_defaults() */
	enum etrace_form form;
	enum etrace_transport transport;
	unsigned address, shift; /* iaddress_width, 2 to 64 (0: decoders take the image's), and iaddress_lsb, 1 or 2 */
	unsigned privilege, cause, context, time;
	unsigned predictor; /* bpred_size: 2^n entries, n up to ETRACE_TABLE_BITS; 0: none */
	unsigned cache;     /* cache_size, likewise */
	unsigned selector;  /* f0s_width; 0: decoders take 1 if there are both */
	unsigned stack;     /* return_stack_size: 2^n entries; 0: none */
	unsigned counter;   /* call_counter_size */
	unsigned mode;      /* encoder_mode, 0 to 8 */
	/* of the transport: bits, bytes, bits */
	unsigned source_bits, time_bytes, type_bits;
};

enum etrace_kind { /* formats and their subformats */
	ETRACE_PREDICTED,
	ETRACE_CACHED,
	ETRACE_BRANCHES, /* format 1 */
	ETRACE_ADDRESS,  /* format 2 */
	ETRACE_START,    /* format 3, 0 */
	ETRACE_TRAP,     /* 3, 1 */
	ETRACE_CONTEXT,  /* 3, 2 */
	ETRACE_SUPPORT   /* 3, 3 */
};

struct etrace_packet {
	enum etrace_kind kind;
	bool has_address;
	uint64_t address; /* bytes; of formats 0 to 2 a difference unless addresses are full: sign-extended */
	bool notify, updiscon, irreport; /* as they are meant: a bit that differs from the one before it */
	unsigned irdepth;
	bool odd;          /* irdepth is not what it has to be without irreport */
	unsigned branches; /* outcomes in map; oldest in bit 0, 0 is taken */
	uint32_t map;
	uint64_t right; /* ETRACE_PREDICTED: so many predictions came true */
	bool wrong;     /* ETRACE_PREDICTED: and then one did not */
	unsigned index; /* ETRACE_CACHED */
	bool not_taken; /* START, TRAP: the instruction there is no taken branch */
	unsigned privilege, cause;
	bool interrupt, handler; /* TRAP: handler: address is the handler's, not the EPC */
	uint64_t context, time, value;
	bool enabled;    /* SUPPORT */
	unsigned status; /* qual_status: 0 no change, 1 ended, 2 lost, 3 ended, reported by an updiscon */
	unsigned mode, options;
};

/* The standard's defaults for addresses of that width. */
struct etrace_layout etrace_defaults(unsigned address);

#define ETRACE_PAYLOAD_MAX 32
/* NULL, or why the payload is no packet. */
const char *etrace_parse(
    const struct etrace_layout *layout, const uint8_t *payload, size_t size, struct etrace_packet *packet);
/* Bytes of the payload; those that repeat the sign are left out. */
size_t etrace_write(
    const struct etrace_layout *layout, const struct etrace_packet *packet, uint8_t payload[ETRACE_PAYLOAD_MAX]);

/* ---- transports ---- */

#define ETRACE_FRAME_MAX 48

enum etrace_read {
	ETRACE_MORE,
	ETRACE_PAYLOAD, /* one is whole: of reader->source, payload_at and payload_size in reader->bytes */
	ETRACE_SKIPPED, /* null, data trace */
	ETRACE_GAP,     /* as ETRACE_PAYLOAD, but packets are missing before it */
	ETRACE_DAMAGED  /* reader->damage; it looks for the next safe start */
};
struct etrace_reader {
	struct etrace_layout layout;
	uint64_t offset, begin; /* of the next byte, of the frame that is read */
	size_t count;
	bool lost; /* looks for a run of zeros, behind which a packet begins */
	unsigned zeros;
	bool indexed; /* index is that of the packet before */
	uint16_t index;
	const char *damage;
	unsigned source;
	bool timed; /* the transport says a time */
	uint64_t time;
	size_t payload_at, payload_size;
	uint8_t bytes[ETRACE_FRAME_MAX];
};
/* lost: the stream may begin inside a packet. */
void etrace_reader_init(struct etrace_reader *reader, const struct etrace_layout *layout, bool lost);
enum etrace_read etrace_read(struct etrace_reader *reader, uint8_t byte);
size_t etrace_reader_rest(const struct etrace_reader *reader);
struct etrace_head {
	unsigned source, index; /* index: of indexed packets */
	bool timed;             /* the transport says time, if it has a place for it */
	uint64_t time;
};
/* A payload with its transport around it. Bytes. */
size_t etrace_frame(const struct etrace_layout *layout, const struct etrace_head *head, const uint8_t *payload,
    size_t size, uint8_t bytes[ETRACE_FRAME_MAX]);
#endif
