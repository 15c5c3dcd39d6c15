/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_NTRACE_MESSAGE_H
#define RIVULET_NTRACE_MESSAGE_H
/*
 * Messages of RISC-V N-Trace 1.0 (Nexus), to bytes and back. A byte carries six bits of the message and its two marks:
 *
 *   7       2 1  0    MSEO 00 goes on, 01 ends a variable field, 11 ends the message too, 10 never
 *   [ MDO   ][MSEO]   0xFF between messages: idle
 *
 * Fixed fields follow each other without gaps; a variable field begins behind them, ends in its own byte, and is filled
 * up with zeros. A field of addresses may be cut short where its upper bits are all equal (`extend`).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ntrace_tcode {
	NTRACE_OWNERSHIP = 2,
	NTRACE_DIRECT = 3,              /* DirectBranch */
	NTRACE_INDIRECT = 4,            /* IndirectBranch */
	NTRACE_ERROR = 8,               /* messages were lost */
	NTRACE_SYNC = 9,                /* ProgTraceSync */
	NTRACE_DIRECT_SYNC = 11,        /* DirectBranchSync */
	NTRACE_INDIRECT_SYNC = 12,      /* IndirectBranchSync */
	NTRACE_FULL = 27,               /* ResourceFull */
	NTRACE_INDIRECT_HIST = 28,      /* IndirectBranchHist */
	NTRACE_INDIRECT_HIST_SYNC = 29, /* IndirectBranchHistSync */
	NTRACE_REPEAT = 30,             /* RepeatBranch */
	NTRACE_STOP = 33                /* ProgTraceCorrelation */
};

enum ntrace_field { /* bits of ntrace_message.has */
	NTRACE_HAS_SYNC = 1,
	NTRACE_HAS_BTYPE = 2,
	NTRACE_HAS_ICNT = 4,
	NTRACE_HAS_FADDR = 8,
	NTRACE_HAS_UADDR = 16,
	NTRACE_HAS_HIST = 32,
	NTRACE_HAS_TIME = 64
};

#define NTRACE_ICNT_BITS 22
#define NTRACE_RCODE_NOT_TAKEN 8 /* RCODE of encoders before 1.0: RDATA counts branches */
#define NTRACE_RCODE_TAKEN 9
#define NTRACE_REPEAT_BITS 18 /* B-CNT and HREPEAT */
#define NTRACE_HIST_BITS 32   /* stop bit and 31 outcomes */

struct ntrace_message {
	uint8_t tcode;
	uint8_t has; /* enum ntrace_field */
	uint8_t sync, btype, rcode, evcode, cdf, etype;
	uint16_t source;
	uint64_t icnt;    /* half-words of 16 bits */
	uint64_t address; /* a byte address, or XOR with the one before */
	uint64_t hist;    /* HIST, or RDATA of RCODE 1 and 2; RDATA of RCODE 0 is in icnt */
	uint64_t repeat;  /* HREPEAT, B-CNT */
	uint64_t process, ecode, time;
	uint64_t offset; /* of its first byte in the stream */
	uint32_t size;
};

struct ntrace_layout {         /* what both sides must agree on */
	unsigned source_bits;  /* 0 to 12 */
	unsigned xlen;         /* 32, 64 */
	unsigned address_bits; /* of an address are sent, the highest is that of all above; 0: all */
	bool extend;           /* trTeInstExtendAddrMSB */
	bool sifive_counts;    /* RCODE 8 and 9 of pre-1.0 encoders: so many branches not taken, taken */
	bool time_xor;         /* likewise: a time is XORed with the one before, not added */
	unsigned time_bits;    /* trTsWidth: the clock begins again after so many; 0: 64 */
};

/* ---- bytes to messages ---- */

#define NTRACE_MESSAGE_MAX 128 /* bytes; the longest of the standard has 38, and fields may be padded */

enum ntrace_read {
	NTRACE_MORE,    /* no message yet */
	NTRACE_MESSAGE, /* one is whole */
	NTRACE_SKIPPED, /* one of a vendor, or of a reserved TCODE */
	NTRACE_DAMAGED  /* no message: looks for the end of one */
};
struct ntrace_reader {
	struct ntrace_layout layout;
	uint64_t offset; /* of the next byte */
	uint64_t begin;  /* of the message that is being read */
	size_t count;
	bool lost; /* looks for the end of a message */
	const char *damage;
	uint8_t bytes[NTRACE_MESSAGE_MAX];
};
/* lost: the stream may begin inside a message. */
void ntrace_reader_init(struct ntrace_reader *reader, const struct ntrace_layout *layout, bool lost);
enum ntrace_read ntrace_read(struct ntrace_reader *reader, uint8_t byte, struct ntrace_message *message);
/* Bytes of a message that the stream's end has cut off. */
size_t ntrace_reader_rest(const struct ntrace_reader *reader);

/* ---- messages to bytes ---- */

/* Writes at most NTRACE_MESSAGE_MAX bytes; returns how many. A message without the fields of its TCODE is the caller's
 * fault: the fields are 0 then. */
size_t ntrace_write(
    const struct ntrace_layout *layout, const struct ntrace_message *message, uint8_t bytes[NTRACE_MESSAGE_MAX]);
const char *ntrace_name(unsigned tcode); /* "DirectBranch"; "vendor defined", "reserved" */
#endif
