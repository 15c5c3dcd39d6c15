/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_MODEL_NTRACE_H
#define RIVULET_MODEL_NTRACE_H
/*
 * The golden model of the N-Trace encoder, cycle by cycle, from docs/ntrace-encoder.md. A register of rtl/ntrace is a
 * member of the struct of its module under the same name, without _q.
 */
#include <stdbool.h>
#include <stdint.h>
#include "common/sizes.h"
#include "model/trace.h"

#define NTRACE_QUEUE_MAX SIZED(512, 16)
#define NTRACE_RETURNS_MAX 32
#define NTRACE_FILTERS_MAX 4
#define NTRACE_SINK_MAX SIZED(16384, 64)

struct ntrace_config { /* docs/ntrace-encoder.md section 2 */
	unsigned xlen, queue_depth, hist, returns, filters, time_bits, context_bits, src_bits, sink_words;
	bool with_smem, with_btm, with_repeat, with_extend, with_owner, with_stall, with_zcmp;
	uint32_t ret_match, ret_mask;
};
void ntrace_config_default(struct ntrace_config *config); /* the defaults of rivulet_ntrace.v */

/* Registers: offsets in bytes of the two blocks, docs/ntrace-encoder.md section 5. */
enum ntrace_reg {
	NTRACE_TE_CONTROL = 0x000,
	NTRACE_TE_IMPL = 0x004,
	NTRACE_TE_FEATURES = 0x008,
	NTRACE_TE_FILTERS = 0x00C,
	NTRACE_TS_CONTROL = 0x040,
	NTRACE_TS_LOW = 0x048,
	NTRACE_TS_HIGH = 0x04C,
	NTRACE_TE_FILTER0 = 0x400, /* + 0x20 for each; +4: MatchInst */
	NTRACE_TE_COMP0 = 0x600,   /* + 0x20 for each; +0x10 PMatch, +0x18 SMatch */
	NTRACE_SINK_BLOCK = 0x1000,
	NTRACE_RAM_CONTROL = 0x1000,
	NTRACE_RAM_IMPL = 0x1004,
	NTRACE_RAM_START = 0x1010,
	NTRACE_RAM_LIMIT = 0x1018,
	NTRACE_RAM_WP = 0x1020,
	NTRACE_RAM_RP = 0x1028,
	NTRACE_RAM_DATA = 0x1040
};

struct ntrace_bus { /* the register bus in one cycle: at most one of read and write */
	bool read, write;
	uint16_t index; /* the offset in words */
	uint32_t wdata;
};

struct ntrace_in { /* the inputs of one cycle */
	bool rst, debug, byte_ready, mem_ready;
	struct trace_retire retire; /* its stop is not used */
	uint32_t context;
	struct ntrace_bus bus;
};

struct ntrace_out { /* outputs during the cycle */
	uint32_t rdata;
	bool rdata_known; /* not of memory that was never written */
	bool stall, byte_valid, mem_valid;
	uint8_t byte;
	uint32_t mem_addr, mem_wdata;
};

enum ntrace_kind { /* rivulet_ntrace_kinds.vh */
	NTRACE_PLAIN,
	NTRACE_NOT_TAKEN,
	NTRACE_TAKEN,
	NTRACE_CALL,
	NTRACE_JUMP,
	NTRACE_JUMP_CALL,
	NTRACE_RETURN,
	NTRACE_SWAP,
	NTRACE_TRAP,
	NTRACE_TRACE_STOP,
	NTRACE_LOST
};

struct ntrace_event { /* what the queue holds */
	uint8_t kind, acc;
	bool first, lost, debug, odd, own, wide;
	uint64_t pc, next;
	uint64_t owner; /* context, privilege in the two lowest bits */
	uint64_t time;
};

struct ntrace { /* all registers; values during the cycle about to be evaluated */
	struct ntrace_config config;
	struct trace_retire s;
	bool s_debug;
	uint32_t s_context;
	uint32_t rdata;
	bool rdata_known;
	bool stall;
	struct ntrace_regs {
		bool active, enable, tracing, mode, btm, context, trouble, stall, extend, returns, compare, repeat;
		uint8_t sync_mode, sync_max;
		uint16_t src;
		uint8_t choice;
		bool ts_active, ts_count, ts_enable;
		uint64_t time;
		struct ntrace_filter {
			bool enable, match_privilege, match_comp;
			uint8_t privileges;
			uint64_t from, to;
		} filters[NTRACE_FILTERS_MAX];
	} regs;
	struct ntrace_events {
		bool running, lost, debug, trapped;
		uint64_t expect, owner;
		uint8_t acc;
	} events;
	struct ntrace_queue {
		struct ntrace_event mem[NTRACE_QUEUE_MAX], data;
		unsigned wr, rd; /* modulo twice the depth */
		bool valid;
	} queue;
	struct ntrace_encode {
		uint32_t icnt, hist;
		uint64_t ref, addr;
		unsigned addr_left; /* with_extend: bytes of addr behind the next one */
		bool sent_error, sent_first, sent_odd, sent_own;
		bool own_due, own_whole;
		uint64_t owner, ownership, stamp, stamp_last;
	} encode;
	struct ntrace_sync {
		uint32_t count;
		bool due;
	} sync;
	struct ntrace_stack {
		uint64_t mem[NTRACE_RETURNS_MAX], top;
		unsigned next, depth;
		bool ready;
	} stack;
	struct ntrace_repeat {
		uint32_t pattern, last_hist, count, last_icnt;
		uint64_t last_target;
		bool pending, held, one, last, last_direct, last_still;
	} repeat;
	struct ntrace_pack {
		bool busy, in_head;
		uint32_t head;
		uint8_t left, align, parts;
	} pack;
	struct ntrace_sink {
		bool active, enable, stop_on_wrap, wrap, mem_valid;
		uint32_t wp, rp, start, limit, bytes, data; /* addresses in words */
		uint8_t count;
		uint32_t mem_addr, mem_wdata;
		uint32_t mem[NTRACE_SINK_MAX];
		bool written[NTRACE_SINK_MAX], known; /* mem holds what the encoder wrote; data was such a word */
	} sink;
	/* what the encoder did in the last cycle, for benches */
	struct ntrace_did {
		bool push, drop, again, hold;
		uint8_t tcode; /* of the message that begins; 0: none */
	} did;
};

void ntrace_reset(struct ntrace *ntrace, const struct ntrace_config *config);
/* Evaluates one cycle: *out are the outputs during it, then all registers take their new values. */
void ntrace_cycle(struct ntrace *ntrace, const struct ntrace_in *in, struct ntrace_out *out);
/* trTeEmpty. */
bool ntrace_empty(const struct ntrace *ntrace);
#endif
