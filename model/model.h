/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_MODEL_H
#define RIVULET_MODEL_H
/*
 * The golden model: core, its cycle timing (docs/core.md), SoC devices and trace unit (docs/trace-unit.md), one call a
 * clock cycle. It knows nothing of Verilator. The caller owns every buffer; a model is made with model_open() and ended
 * with model_close().
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "model/trace.h"

/* Memory beside the RAM: the flash of a chip, its second RAM. It is as fast as RAM, and can be written. */
struct model_memory {
	uint32_t base, size; /* bytes, multiples of 4; size 0: none */
};
#define MODEL_MEMORIES 6

/* What a chip has beside memory, so that its programs run unchanged: its UART's output goes to the console, the other
 * registers keep what is written to them. */
struct model_device {
	const char *name;
	uint32_t base, size;
	uint32_t data;          /* offset of the register whose low byte is printed when it is written */
	uint32_t status, ready; /* offset of a register, and the bits of it that always read as 1 */
	uint32_t clear;         /* and those that always read as 0 */
	bool console;
};

/* What was built in; the same names as the RTL's parameters. */
struct model_config {
	uint32_t ram_base;                            /* 0x80000000 */
	uint32_t ram_size;                            /* bytes, a multiple of 4, at most 64 MiB */
	uint32_t reset_pc;                            /* 0x80000000; model_start() changes it */
	struct model_memory memories[MODEL_MEMORIES]; /* beside it */
	uint32_t sink_ring; /* bytes, a power of two; 0: the sink writes to the machine's memory; else to
							 one that it has alone, which the program does not reach */
	const struct model_device *devices; /* of a chip, up to one without a name; NULL: none. They must stay. */
	bool with_c, with_m, mul_fast;
	bool with_counters;      /* else mcycle and minstret read 0 (not in model/fast, which always counts) */
	unsigned pmp_regions;    /* regions of the memory protection: 0 (none) to 16 */
	unsigned pmp_grain;      /* they are multiples of 2^(pmp_grain + 2) bytes: 0 to 28 */
	bool sim;                /* the simulation console and exit device exist */
	uint16_t uart_div;       /* reset value of the UART's DIV */
	uint32_t hart;           /* what mhartid reads */
	uint16_t trace_csr_base; /* first of the trace unit's 64 CSRs: 0x7C0 or 0xBC0, rivulet_core's TRACE_CSR_BASE */
	struct trace_config trace;
};
#define MODEL_CSR_BASE 0x7C0u
#define MODEL_CSR_BASE_OTHER 0xBC0u

void model_config_default(struct model_config *config); /* that of rtl/soc with its default parameters */

/* Inputs of one cycle, sampled as the RTL samples its pins. */
struct model_in {
	bool irq_ext;
	bool uart_rx;  /* 1: idle */
	bool bus_wait; /* the bus accepts no request in this cycle */
	bool rst; /* synchronous reset: registers take their reset values at the end of the cycle; RAM and register file
		     keep theirs */
};

/* What can be seen in one cycle: the pins and the observation points that the bench compares, values during the
 * cycle. */
struct model_out {
	uint64_t cycle; /* 0: the first cycle after reset */
	/* retire port (W stage), full RVFI */
	bool valid, trap, intr;
	uint32_t insn, pc, next_pc;
	uint8_t mode;
	uint64_t order;
	uint8_t rs1_addr, rs2_addr, rd_addr;
	uint32_t rs1_rdata, rs2_rdata, rd_wdata; /* 0 where the address is 0 */
	uint32_t mem_addr, mem_rdata, mem_wdata; /* RVFI: mem_addr is the byte address, data are aligned to bit 0 of it
						    (as the instruction sees them, not extended) */
	uint8_t mem_rmask, mem_wmask;
	/* bus request of this cycle */
	bool bus_valid, bus_fetch;
	uint32_t bus_addr, bus_wdata;
	uint8_t bus_wstrb;
	bool bus_err; /* response of the request of the cycle before */
	/* interrupt lines as the core sees them, and pins */
	bool irq_soft, irq_timer, irq_ext, irq_trace;
	bool uart_tx;
	/* simulation devices, decoded from the accepted bus request of this cycle */
	bool console_valid, exit_valid;
	uint8_t console_byte;
	uint32_t exit_code;
	/* the trace unit's output port, values in this cycle */
	struct trace_out trace;
};

struct model;

/* Returns 0 or a negative enum model_error. */
int model_open(struct model **model, const struct model_config *config);
void model_close(struct model *model);
/* Loads PT_LOAD segments of a little-endian ELF32 RISC-V executable and finds tohost, begin_signature and
 * end_signature. *detail (size bytes) takes the sentence that a user is to read. */
int model_load_elf(struct model *model, const char *path, char *detail, size_t size);
/* Resets the model to begin at the entry of the loaded program instead of reset_pc. */
void model_start(struct model *model);
const struct model_config *model_built(const struct model *model);
/* One clock cycle. */
void model_cycle(struct model *model, const struct model_in *in, struct model_out *out);
/* Direct access for benches and tests. Addresses outside RAM: error. */
int model_read(const struct model *model, uint32_t address, void *bytes, size_t size);
int model_write(struct model *model, uint32_t address, const void *bytes, size_t size);
uint32_t model_reg(const struct model *model, unsigned index);
void model_set_reg(struct model *model, unsigned index, uint32_t value);
const struct trace *model_trace(const struct model *model);
/* Writes a register of the trace unit from outside, as a debugger does over its bus: for programs that know nothing of
 * the unit. Before the first cycle. */
void model_trace_write(struct model *model, unsigned index, uint32_t value);
/* From now on the program's own writes to these registers of the unit (bit: index) have no effect: whoever set them up
 * from outside holds them. */
#define MODEL_TRACE_ALL UINT64_MAX
void model_trace_hold(struct model *model, uint64_t registers);
/* Ends tracing from outside behind the last cycle of a run: what has retired is taken, then the open trace and one that
 * is held for repetition leave by the record port (reason OFF). Their cycles are those of the run. take NULL: nobody
 * wants them there. */
void model_trace_finish(struct model *model, void (*take)(void *context, const struct record *record), void *context);
/* Behind that, for a unit with a sink: empties the table and the buffer into the ring. False: the ring is full, so READ
 * must be moved, and this be called again. */
bool model_trace_empty(struct model *model);
/* The memory that the sink has alone (sink_ring); NULL: none. */
const uint8_t *model_sink_ring(const struct model *model);
/* Cycles since reset; in a hook of a cycle: one more than its model_out.cycle. */
uint64_t model_cycles(const struct model *model);
/* A device that the model does not have answers the request that it accepted in the cycle before. To be called before
 * the next cycle. */
void model_answer(struct model *model, uint32_t rdata);
/* The machine CSRs that the bench compares each cycle, in the fixed order of enum model_csr. */
enum model_csr {
	MODEL_MSTATUS,
	MODEL_MIE,
	MODEL_MTVEC,
	MODEL_MEPC,
	MODEL_MCAUSE,
	MODEL_MTVAL,
	MODEL_MSCRATCH,
	MODEL_MCOUNTEREN,
	MODEL_MCYCLE,
	MODEL_MCYCLEH,
	MODEL_MINSTRET,
	MODEL_MINSTRETH,
	MODEL_MODE,
	MODEL_CSR_COUNT
};
void model_csrs(const struct model *model, uint32_t values[MODEL_CSR_COUNT]);
/* Addresses of symbols that end a run or bound the signature; false if the program has none. */
bool model_tohost(const struct model *model, uint32_t *address);
bool model_signature(const struct model *model, uint32_t *begin, uint32_t *end);

/* The first access to a device of the chip that is registers alone: its name, NULL if there was none. */
const struct model_device *model_touched(const struct model *model, uint32_t *address, uint32_t *pc);

enum model_error {
	MODEL_OK = 0,
	MODEL_ENOMEM = -1,
	MODEL_ECONFIG = -2,
	MODEL_EOPEN = -3,
	MODEL_EELF = -4,
	MODEL_EARCH = -5,
	MODEL_ESIZE = -6,
	MODEL_EADDRESS = -7
};
const char *model_strerror(int error);
#endif
