/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "sw/kernel/kernel.h"
#include "sw/run/app.h"

struct process *kernel_current;
struct process kernel_processes[KERNEL_PROCESSES];
static uint32_t failures; /* processes that exited with a code that is not 0 */

/* In the data segment, where a loader finds it. */
struct run_config rivulet_config __attribute__((section(".data.rivulet_config"), used)) = {
#define RUN_WORD(name, value, text) value,
    RUN_CONFIG_WORDS(RUN_WORD)
#undef RUN_WORD
};

#define CAUSE_INTERRUPT 0x80000000u
#define CAUSE_ECALL_U 8u
#define MSTATUS_MPIE 0x80u
#define MIP_TIMER (1u << IRQ_TIMER)
#define EXIT_PANIC 121
#define EXIT_NO_PMP 123

/* Regions of the memory protection: 0 only begins region 1, the code; region 2 is the rest of the slot. */
#define PMP_TOR 0x08u
#define PMP_R 1u
#define PMP_W 2u
#define PMP_X 4u
#define PMP_CODE (PMP_TOR | PMP_R | PMP_X)
#define PMP_DATA (PMP_TOR | PMP_R | PMP_W)
#define PMP_CFG (PMP_CODE << 8 | PMP_DATA << 16)
/* With code that can be executed only: region 1; the rest of the code is region 2. */
#define PMP_CFG_PATCHED ((PMP_TOR | PMP_X) << 8 | PMP_CODE << 16 | (uint32_t)PMP_DATA << 24)

static void say(const struct process *process, const char *what)
{
	console_text();
	hal_print("kernel: ");
	hal_print(process->name);
	hal_print(" ");
	hal_print_decimal((uint64_t)(process - kernel_processes) + 1);
	hal_print(what);
}

static void start(struct process *process)
{
	const struct program *program = process->program;
	const volatile uint32_t *input = &rivulet_config.input;
	for (unsigned i = 0; i < 32; i++)
		process->area.frame.x[i] = 0;
	process->area.frame.x[2] = program->stack;
	process->area.frame.x[10] = *input == APP_TRAIN ? APP_TRAIN : APP_REF;
	process->area.frame.x[11] = process->round;
	process->area.frame.pc = program->entry;
	process->state = PROCESS_READY;
}

/* The process ends; if it has rounds left it begins again. */
static void finish(struct process *process)
{
	uint32_t before = work_quiet();
	if (process->exits) {
		say(process, ": exit ");
		hal_print_decimal(process->code);
		hal_print("\n");
		failures += process->code != 0;
		process->failures += process->code != 0;
	}
	process->exits = false;
	if (++process->round < process->slot->rounds)
		start(process);
	else
		process->state = PROCESS_ENDED;
	work_loud(before);
}

static void send_and_finish(struct process *process)
{
	collect_send(process);
	finish(process);
}

/* ... its profile is sent before. */
static void end(struct process *process)
{
	if (collect_stop(process))
		work_begin(process, send_and_finish);
	else
		finish(process);
}

static void wake(uint64_t now)
{
	for (uint32_t i = 0; i < kernel_slot_count; i++)
		if (kernel_processes[i].state == PROCESS_SLEEPS && kernel_processes[i].wakes <= now) {
			kernel_processes[i].state = PROCESS_READY;
			account_ready(
			    &kernel_processes[i], csr_read(mcycle) - (uint32_t)(now - kernel_processes[i].wakes));
		}
}

/* The next that can run, from the one behind the present one on; waits for it. Does not return if all have ended. */
static struct process *next(void)
{
	for (;;) {
		uint32_t at = (uint32_t)(kernel_current - kernel_processes);
		uint64_t first = UINT64_MAX;
		bool sleeping = false;
		wake(hal_time());
		for (uint32_t i = 0; i < kernel_slot_count; i++) {
			if (++at >= kernel_slot_count)
				at = 0;
			struct process *process = &kernel_processes[at];
			if (process->state == PROCESS_READY)
				return process;
			if (process->state == PROCESS_SLEEPS) {
				sleeping = true;
				if (process->wakes < first)
					first = process->wakes;
			}
		}
		if (!sleeping) {
			account_switch(kernel_current, (uint32_t)(kernel_current - kernel_processes));
			account_send(kernel_processes, kernel_slot_count);
			hal_print("kernel: all processes have ended, ");
			hal_print_decimal(failures);
			hal_print(" failed\n");
			hal_exit((int)failures);
		}
		hal_timer_at(first);
		account_wait();
		while ((csr_read(mip) & MIP_TIMER) == 0)
			__asm__ volatile("wfi");
		account_waited();
	}
}

/* The process that runs next reaches its own memory, and nothing else. */
void kernel_set_memory(const struct process *process)
{
	csr_write(pmpaddr0, process->slot->base >> 2);
#if KERNEL_OPTIMISE
	if (process->execute_only != 0) {
		csr_write(pmpaddr1, process->execute_only >> 2);
		csr_write(pmpaddr2, process->program->code_end >> 2);
		csr_write(pmpaddr3, process->program->memory_end >> 2);
		csr_write(pmpcfg0, PMP_CFG_PATCHED);
		return;
	}
	csr_write(pmpcfg0, PMP_CFG);
#endif
	csr_write(pmpaddr1, process->program->code_end >> 2);
	csr_write(pmpaddr2, process->program->memory_end >> 2);
}

/* Where the process goes on: in its own code, or in the kernel's work for it. */
static void *resume(struct process *process)
{
	account_leave();
	/* the trace interrupt is for the process's own code: its handler counts into the area */
	csr_write(mie, process->working != NULL ? MIP_TIMER : MIP_TIMER | 1u << IRQ_TRACE);
	if (process->working != NULL) {
		csr_set(mstatus, MSTATUS_MPP | MSTATUS_MPIE);
		return &process->work;
	}
	csr_clear(mstatus, MSTATUS_MPP);
	return &process->area;
}

/* A new time slice, for this process. Returns where it goes on. */
static void *dispatch(struct process *process)
{
	struct process *before = kernel_current;
	if (process != before) {
		account_switch(before, (uint32_t)(before - kernel_processes));
		if (before->collecting && before->working == NULL)
			collect_save(before);
		kernel_current = process;
		kernel_set_memory(process);
		if (process->collecting && process->working == NULL)
			collect_restore(process);
		account_run(process);
	}
	hal_timer_at(hal_time() + kernel_slice);
	return resume(process);
}

static const char *const causes[] = {"misaligned jump", "instruction access fault", "illegal instruction", "breakpoint",
    "misaligned load", "load access fault", "misaligned store", "store access fault"};

static void fault(struct process *process, uint32_t cause)
{
	say(process, ": ");
	if (cause < sizeof causes / sizeof *causes)
		hal_print(causes[cause]);
	else
		hal_print_hex(cause);
	hal_print(" at pc ");
	hal_print_hex(process->area.frame.pc);
	hal_print(", address ");
	hal_print_hex(csr_read(mtval));
	hal_print(": ended\n");
	process->failures++;
	end(process);
}

/* Long texts, and those in patched code: piece by piece. */
static void write_all(struct process *process)
{
	if (optimise_hides(process, process->text, process->text_left))
		optimise_release(process);
	while (process->text_left > 0) {
		uint32_t size = process->text_left < WORK_TEXT ? process->text_left : WORK_TEXT;
		uint32_t before = work_quiet();
		console_write((const void *)(uintptr_t)process->text, size);
		work_loud(before);
		process->text += size;
		process->text_left -= size;
	}
}

static int32_t write(struct process *process, uint32_t bytes, uint32_t size)
{
	uint32_t base = process->slot->base, length = process->program->memory_end - base;
	if (bytes - base > length || size > length - (bytes - base))
		return SYS_EBAD;
	if (size <= WORK_TEXT && !optimise_hides(process, bytes, size)) {
		console_write((const void *)bytes, size);
		return (int32_t)size;
	}
	process->text = bytes;
	process->text_left = size;
	if (process->collecting)
		collect_save(process);
	work_begin(process, write_all);
	return (int32_t)size;
}

/* Returns whether the process gives the core away. */
static bool system_call(struct process *process)
{
	uint32_t *x = process->area.frame.x;
	uint32_t first = x[10];
	process->area.frame.pc += 4;
	switch (x[17]) {
	case SYS_EXIT:
		process->exits = true;
		process->code = first;
		end(process);
		return process->working == NULL;
	case SYS_WRITE:
		x[10] = (uint32_t)write(process, first, x[11]);
		return false;
	case SYS_TIME: {
		uint64_t now = hal_time();
		x[10] = (uint32_t)now;
		x[11] = (uint32_t)(now >> 32);
		return false;
	}
	case SYS_SLEEP:
		process->wakes = hal_time() + first;
		process->state = PROCESS_SLEEPS;
		x[10] = 0;
		return true;
	case SYS_YIELD:
		x[10] = 0;
		return true;
	case SYS_PROFILE:
		x[10] = 0;
		if (first != 0)
			x[10] = (uint32_t)collect_on(process);
		else if (collect_stop(process))
			work_begin(process, collect_send);
		return false;
	default:
		x[10] = (uint32_t)SYS_EBAD;
		return false;
	}
}

/* At the end of a time slice of a process that is profiled. */
static void tick(struct process *process)
{
	collect_tick(process);
	if (process->optimising && optimise_due(process)) {
		collect_save(process);
		work_begin(process, optimise_look);
	}
}

/* The work of the process that runs has called. */
static void *work_call(struct process *process)
{
	uint32_t call = process->work.x[17];
	process->work.pc += 4;
	if (call == WORK_YIELD)
		return dispatch(next());
	if (call == WORK_CUT) {
		if (process->collecting)
			collect_cut(process);
		return resume(process);
	}
	process->working = NULL;
	if (process->collecting)
		collect_restore(process);
	return process->state == PROCESS_READY ? resume(process) : dispatch(next());
}

/* entry.S: a trap of the process that runs. Returns the area of the one that goes on. */
void *kernel_trap(void);
void *kernel_trap(void)
{
	struct process *process = kernel_current;
	uint32_t cause = csr_read(mcause);
	account_enter(process);
	if (cause == (CAUSE_INTERRUPT | IRQ_TIMER)) {
		process->preempted++;
		if (process->collecting && process->working == NULL)
			tick(process);
		return dispatch(next());
	}
	if (process->working != NULL)
		return work_call(process);
	if (cause == CAUSE_ECALL_U)
		return system_call(process) ? dispatch(next()) : resume(process);
	if (optimise_fault(process, cause, csr_read(mtval))) {
		collect_save(process);
		work_begin(process, optimise_release);
		return resume(process);
	}
	fault(process, cause);
	return process->working != NULL ? resume(process) : dispatch(next());
}

_Noreturn void kernel_report_panic(uint32_t cause, uint32_t pc, uint32_t value);
_Noreturn void kernel_report_panic(uint32_t cause, uint32_t pc, uint32_t value)
{
	hal_print("kernel: panic, mcause ");
	hal_print_hex(cause);
	hal_print(", mepc ");
	hal_print_hex(pc);
	hal_print(", mtval ");
	hal_print_hex(value);
	hal_print("\n");
	hal_exit(EXIT_PANIC);
}

/* A slot whose head is wrong is left out, and counts as one that failed: the others run. */
static void open_slot(struct process *process, const struct slot *slot)
{
	process->slot = slot;
	if (slot->rounds == 0)
		return;
	const char *wrong = image_open(process);
	if (wrong == NULL) {
		start(process);
		return;
	}
	process->program = NULL;
	process->state = PROCESS_ENDED;
	failures++;
	hal_print("kernel: slot ");
	hal_print_decimal((uint64_t)(process - kernel_processes) + 1);
	hal_print(": no program that can run: the head's ");
	hal_print(wrong);
	hal_print(" is none of this slot; left out\n");
}

/* entry.S: makes the processes and returns the area of the first. */
void *kernel_boot(void);
void *kernel_boot(void)
{
#ifdef KERNEL_CLOCK_FROM /* low halves of the clocks, so that they wrap soon: tests/kernel */
	hal_store(HAL_MTIME, KERNEL_CLOCK_FROM);
	csr_write(mcycle, KERNEL_CLOCK_FROM);
	csr_write(minstret, KERNEL_CLOCK_FROM);
#endif
	console_init();
	csr_write(pmpcfg0, PMP_CFG);
	if (csr_read(pmpcfg0) != PMP_CFG) {
		hal_print("kernel: the core has no memory protection, or less than three regions\n");
		hal_exit(EXIT_NO_PMP);
	}
	for (uint32_t i = 0; i < kernel_slot_count; i++)
		open_slot(&kernel_processes[i], &kernel_slots[i]);
	if (!collect_init())
		hal_print("kernel: no profiles: the trace unit cannot do what the configuration asks for\n");
	csr_write(mtvec, (uint32_t)collect_vectors() + 1);
	csr_write(mcounteren, 0);
	csr_clear(mstatus, MSTATUS_MPP);
	csr_write(mie, MIP_TIMER | 1u << IRQ_TRACE);
	account_init();
	kernel_current = &kernel_processes[kernel_slot_count - 1];
	kernel_current = next();
	kernel_set_memory(kernel_current);
	return dispatch(kernel_current);
}
