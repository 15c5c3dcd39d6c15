/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_RING_H
#define RIVULET_RING_H
/*
 * The dump of a flight recorder's ring (docs/record-format.md, "The dump of a ring"): words of 32 bits, little endian
 * in memory, as firmware leaves them (sw/trace/recorder.h) and as the host finds them in a memory dump, an ELF core or
 * the text of a console (host/records/ring.h).
 *
 *   RING_WORDS of the head │ count times `width` words of a record, the oldest first │ CRC-32 of all before
 *
 * A record of width 4 is START, HIST, REC_INFO, REC_CYCLES; of width 6 START, START_HI, HIST, HIST_HI, REC_INFO,
 * REC_CYCLES, as the registers of these names give them.
 */
#define RING_MAGIC 0x474E5252u /* "RRNG" */
/* At the begin of a line of text; then the number of the first word in it and up to RING_TEXT_WORDS words,
 * hexadecimal */
#define RING_TEXT "rivulet-ring"
#define RING_TEXT_WORDS 6

/* RING_WORD(name, what it is): the order is the layout. */
#define RING_WORD_LIST(RING_WORD)                                                                                      \
	RING_WORD(MAGIC_WORD, "RING_MAGIC")                                                                            \
	RING_WORD(SIZE, "words of the dump, the CRC too")                                                              \
	RING_WORD(ID, "register ID")                                                                                   \
	RING_WORD(CAPS, "register CAPS")                                                                               \
	RING_WORD(RECORDER, "register RECORDER")                                                                       \
	RING_WORD(LOST, "register LOST: records that the ring did not keep")                                           \
	RING_WORD(PC, "register RECORDER_PC")                                                                          \
	RING_WORD(PC_HI, "register RECORDER_PC_HI")                                                                    \
	RING_WORD(RESUME, "register RESUME")                                                                           \
	RING_WORD(RESUME_HI, "register RESUME_HI")                                                                     \
	RING_WORD(MCAUSE, "mcause when the dump was made, its top bit in bit 31")                                      \
	RING_WORD(MEPC, "mepc")                                                                                        \
	RING_WORD(MEPC_HI, "its upper half, or 0")                                                                     \
	RING_WORD(MTVAL, "mtval")                                                                                      \
	RING_WORD(MTVAL_HI, "its upper half, or 0")                                                                    \
	RING_WORD(COUNT, "records")                                                                                    \
	RING_WORD(WIDTH, "words of a record: 4 or 6")

enum ring_word {
#define RING_WORD(name, text) RING_##name,
	RING_WORD_LIST(RING_WORD)
#undef RING_WORD
	    RING_WORDS
};
#define RING_MAX_WORDS(records, width) (RING_WORDS + (records) * (width) + 1)
#endif
