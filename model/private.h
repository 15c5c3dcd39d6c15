/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_MODEL_PRIVATE_H
#define RIVULET_MODEL_PRIVATE_H
/* State of the golden model, shared by its parts: core.c (pipeline), execute.c (results), csr.c, soc.c (bus and
 * devices), elf.c. */
#include "common/sizes.h"
#include "isa/isa.h"
#include "model/model.h"
#include "model/run.h"

/* Causes of docs/core.md section 6. */
enum {
	CAUSE_FETCH_MISALIGNED = 0,
	CAUSE_FETCH = 1,
	CAUSE_ILLEGAL = 2,
	CAUSE_BREAK = 3,
	CAUSE_LOAD_MISALIGNED = 4,
	CAUSE_LOAD = 5,
	CAUSE_STORE_MISALIGNED = 6,
	CAUSE_STORE = 7,
	CAUSE_ECALL_U = 8,
	CAUSE_ECALL_M = 11
};
enum { IRQ_SOFT = 3, IRQ_TIMER = 7, IRQ_EXT = 11, IRQ_TRACE = 16 };
#define MIE_MASK (1u << IRQ_SOFT | 1u << IRQ_TIMER | 1u << IRQ_EXT | 1u << IRQ_TRACE)

/* How X treats an instruction. Those from KIND_MRET on may be exceptions whatever their operands. */
enum kind {
	KIND_REGISTER,  /* result of two registers */
	KIND_IMMEDIATE, /* result of a register and the immediate */
	KIND_MEMORY,
	KIND_BRANCH,
	KIND_LUI,
	KIND_AUIPC,
	KIND_JAL,
	KIND_JALR,
	KIND_MULDIV,
	KIND_CSR,
	KIND_FENCE,
	KIND_FENCE_I,
	KIND_MRET,
	KIND_WFI,
	KIND_EXCEPTION
};

struct decoded {          /* an instruction, and what the pipeline asks of it in every cycle */
	uint32_t key;     /* its bits; the high half of a 16-bit instruction is 0 */
	uint8_t kind;     /* enum kind */
	uint8_t rs1, rs2; /* the registers that it reads; 0: none */
	uint8_t load_rd;  /* the register that it loads; 0: none */
	uint8_t bytes;    /* of a load or store */
	struct isa_insn insn;
};

struct stage_x { /* valid == false means empty */
	bool valid, fault, lduse;
	uint8_t fault_offset; /* of the halfword that faulted: 0 or 2 */
	uint16_t cycle;       /* cycles already spent in X */
	uint32_t pc, raw, csr_value;
	const struct decoded *decoded;
};

struct stage_w { /* valid == false means empty */
	bool valid, exception, interrupt, count;
	bool denied; /* a load or store that the memory protection refused: it made no request */
	uint8_t cause;
	uint32_t pc, raw, tval, result;
	uint8_t mode, rd; /* rd is 0 if nothing is written */
	uint8_t rs1, rs2;
	uint32_t rs1_value, rs2_value;
	uint8_t load, store; /* bytes, or 0 */
	bool load_signed;
	uint32_t address;
};

struct csrs {
	bool mie, mpie, mprv, tw;
	uint8_t mode, mpp; /* 0 or 3 */
	uint32_t ie, mtvec, mepc, mcause, mtval, mscratch, mcounteren;
	uint64_t cycle, instret;
	unsigned traps; /* exceptions since the last trap return, and the first of them: for run.c */
	struct run_trap first_trap;
};

/* Whether the word at this distance from ram_base is memory. */
static inline bool model_is_memory(const struct model_config *config, uint32_t at)
{
	if (at < config->ram_size)
		return true;
	for (unsigned i = 0; i < MODEL_MEMORIES && config->memories[i].size != 0; i++) {
		if (at - (config->memories[i].base - config->ram_base) < config->memories[i].size)
			return true;
	}
	return false;
}
/* The memory that this distance lies in: its own distance and size. */
static inline bool model_memory_of(const struct model_config *config, uint32_t at, uint32_t *first, uint32_t *size)
{
	*first = 0;
	*size = config->ram_size;
	for (unsigned i = 0; at - *first >= *size; i++) {
		if (i == MODEL_MEMORIES || config->memories[i].size == 0)
			return false;
		*first = config->memories[i].base - config->ram_base;
		*size = config->memories[i].size;
	}
	return true;
}

enum { PMP_MAX_REGIONS = 16 };
enum pmp_right { PMP_R = 1, PMP_W = 2, PMP_X = 4 }; /* as in a pmpcfg byte */
struct pmp_window { /* words first to last, for which one region decides; empty where first > last */
	uint32_t first, last;
	uint8_t rights[2]; /* of U and M */
};
struct pmp {
	uint8_t cfg[PMP_MAX_REGIONS];
	uint32_t addr[PMP_MAX_REGIONS];
	struct pmp_window fetch, data; /* found last; empty after every write */
};

struct uart {
	uint16_t div;
	bool rx_ie;
	bool buffer_full, busy;
	uint8_t buffer, bits;
	uint16_t shift, timer;
	uint8_t sync; /* two bits */
	bool rx_busy, rx_full, rx_overrun;
	uint8_t rx_bits, rx_shift, rx_data;
	uint32_t rx_timer;
};

struct clint {
	bool msip, irq_timer;
	uint64_t mtime, mtimecmp;
};

struct request { /* of this cycle */
	bool valid, fetch;
	uint32_t address, wdata;
	uint8_t wstrb;
};

struct response { /* to the request of the cycle before */
	uint32_t rdata;
	bool err;
};

#define DEVICE_REGISTERS 4096u    /* of a chip's devices: they are kept by the low bits of their address */
#define HIDDEN_ALL UINT32_MAX     /* for the engine of model/fast */
#define DECODED_BITS SIZED(12, 4) /* so many bits of decoded instructions are kept */

struct model {
	struct model_config config;
	uint8_t *ram; /* ram_base is its first byte; of other memories too, at their distance from there modulo 2^32 */
	size_t ram_mapped;   /* bytes, where it is a mapping of all addresses; 0: it is RAM alone */
	uint32_t *registers; /* of devices, DEVICE_REGISTERS, by address */
	const struct model_device *touched;
	uint32_t touched_address, touched_pc;
	uint32_t regs[32];
	struct csrs csr;
	struct pmp pmp;
	struct uart uart;
	struct clint clint;
	struct trace trace;
	bool irq_ext;
	uint64_t cycle, order;
	bool bus_wait;       /* the input of this cycle */
	bool intr;           /* the next retirement is the first of a handler */
	uint8_t *sink_ring;  /* memory of the sink alone */
	uint64_t trace_held; /* the program does not reach the unit */
	uint32_t hidden;     /* retirements that the trace unit does not see any more; HIDDEN_ALL: none */

	uint32_t words[3];   /* A, B, R, the valid ones first */
	uint8_t word_errors; /* bit i: the access of words[i] failed; 0 where there is no word */
	unsigned word_count;
	bool inflight;
	struct response response;
	uint32_t d_pc, f_pc;
	struct stage_x x;
	struct stage_w w;

	struct decoded decoded[1 << DECODED_BITS];
	uint32_t entry; /* of the loaded program; 0: none is loaded */
	bool has_tohost, has_signature, has_run_config, has_stack;
	uint32_t stack, tohost, signature_begin, signature_end, run_config, run_config_size;
};

/* run.c: a run, cycle by cycle. */
struct receiver { /* of the UART's line; bit is 0 while idle */
	unsigned bit, timer;
	uint8_t byte;
};
struct runner {
	struct model *model;
	const struct run_hooks *hooks;
	struct receiver receiver;
	struct run_result *result;
};
/* One cycle with its hooks; true if the program ended in it or is stuck: result->end and code say how. */
bool run_cycle(struct runner *runner, struct model_out *out);

/* csr.c */
uint32_t csr_pending(const struct model *model);                            /* mip as the lines are now */
bool csr_irq_take(const struct model *model, unsigned *cause);              /* an interrupt is to be taken */
bool csr_readable(const struct model *model, unsigned number, bool writes); /* legal in this mode */
uint32_t csr_read(const struct model *model, unsigned number);
/* Returns whether the write hit minstret or minstreth. */
bool csr_write(struct model *model, unsigned number, uint32_t value, bool *cycle_written);
uint32_t csr_vector(const struct model *model, bool interrupt, unsigned cause);
void csr_trap(struct model *model, bool interrupt, unsigned cause, uint32_t pc, uint32_t tval);
void csr_mret(struct model *model);
static inline bool csr_is_trace(const struct model *model, unsigned number)
{
	return number >> 6 == (unsigned)model->config.trace_csr_base >> 6;
}

/* pmp.c */
#define CSR_PMPCFG 0x3A0u  /* to 0x3A3 */
#define CSR_PMPADDR 0x3B0u /* to 0x3BF */
static inline bool csr_is_pmp(unsigned number)
{
	return number >> 2 == CSR_PMPCFG >> 2 || number >> 4 == CSR_PMPADDR >> 4;
}
void pmp_reset(struct model *model);
uint32_t pmp_read(const struct model *model, unsigned number); /* csr_is_pmp(number) */
void pmp_write(struct model *model, unsigned number, uint32_t value);
/* May an access with the rights of M, or of U, do this to the word at address? */
bool pmp_allows(struct model *model, uint32_t address, bool machine, enum pmp_right right);

/* execute.c */
uint32_t execute_alu(uint8_t op, uint32_t a, uint32_t b);
bool execute_branch(uint8_t op, uint32_t a, uint32_t b);
unsigned execute_cycles(const struct model_config *config, uint8_t op, uint32_t a,
    uint32_t b); /* cycles in X of a multiply or divide; 0: it is neither */

/* The instruction in these bits. The slot stays as it is until the next call, and D calls it only when X gives its
 * instruction away. */
const struct decoded *core_decode(struct model *model, uint32_t bits);
/* core.c: the core's part of a cycle. *out takes what it shows; *bus and *retire go to the trace unit. */
void core_cycle(struct model *model, struct model_out *out, struct request *request, struct trace_bus *bus,
    struct trace_retire *retire);
void core_init(struct model *model); /* once; ends with core_reset() */
void core_reset(struct model *model);

/* soc.c */
void soc_reset(struct model *model);
/* A word of the trace unit's sink; dropped where no memory is. */
void soc_sink(struct model *model, uint32_t address, uint32_t word);
/* Answers the request of this cycle in model->response. */
void soc_cycle(struct model *model, const struct request *request, const struct model_in *in, struct model_out *out);
#endif
