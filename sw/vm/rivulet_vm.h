/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_VM_H
#define RIVULET_VM_H
/*
 * The trace unit in software, for interpreters (TSH [0082]): traces over the program counter of the machine that an
 * interpreter makes, by the rules of docs/trace-unit.md section 5, in the same records. docs/machines.md has the whole
 * way from a loop with a switch to a report. C99; no allocation; needs this repository as include folder.
 *
 *	#define RIVULET_VM 1			without it every macro here is nothing
 *	#define RIVULET_VM_LENGTH 4		if every bytecode has so many places
 *	#include "sw/vm/rivulet_vm.h"
 *
 * A place is the address of a bytecode: an even number, the same for the same bytecode as long as the program runs. A
 * machine whose bytecodes may stand at odd offsets takes twice the offset.
 *
 *   AT ──► bytecode ──► BRANCH ──► bytecode ──► JUMP ──► ... ──► INDIRECT     AT ──► ...
 *          start        shifts      counted      backward: ends   ends        the next start
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/record.h"

#ifndef RIVULET_VM_HIST
#define RIVULET_VM_HIST 64 /* H of docs/trace-unit.md: 8 to 64; 32 is cheaper on a machine of 32 bits */
#endif
#if RIVULET_VM_HIST > 32
typedef uint64_t rivulet_vm_hist;
#else
typedef uint32_t rivulet_vm_hist;
#endif

/* One for each machine that runs at the same time. Between traces (open is false) nothing is known of the next start.
 * Invariant while open: hist has a leading 1; insns are those of the trace that lie before the straight run from
 * `run` on, or, without RIVULET_VM_LENGTH, all that have begun. */
struct rivulet_vm {
	bool open;
	uint8_t context; /* which process of the machine, or 0; whoever changes it stops the trace first */
	uint32_t insns;
	uintptr_t start, run;
	rivulet_vm_hist hist;
	uint64_t bytecodes;                                       /* in the records so far */
	void (*record)(void *taker, const struct record *record); /* count is 1; cycles are not known */
	void *taker;
};

static inline void rivulet_vm_end(struct rivulet_vm *vm, enum trace_reason reason, uint32_t insns)
{
	const struct record record = {.start = vm->start,
	    .hist = vm->hist,
	    .count = 1,
	    .insns = insns,
	    .reason = (uint8_t)reason,
	    .context = vm->context};
	vm->open = false;
	vm->bytecodes += insns;
	vm->record(vm->taker, &record);
}

/* Bytecodes of the trace up to the one at place, which has begun. */
static inline uint32_t rivulet_vm_count(const struct rivulet_vm *vm, uintptr_t place)
{
#ifdef RIVULET_VM_LENGTH
	return vm->insns + (uint32_t)((place - vm->run) / (RIVULET_VM_LENGTH)) + 1;
#else
	(void)place;
	return vm->insns;
#endif
}

/* The machine is about to go on at place, and nothing that was traced led there: it begins, something was called or
 * returned from, or an interpreter within the interpreter has ended. */
static inline void rivulet_vm_at(struct rivulet_vm *vm, uintptr_t place)
{
	if (vm->open && place == vm->start && vm->insns == 0) /* said twice */
		return;
	if (vm->open) /* the traces before it were not ended: what ran of them since the last transfer is not known */
		rivulet_vm_end(vm, TRACE_OFF, vm->insns);
	vm->open = true;
	vm->start = vm->run = place;
	vm->hist = 1;
	vm->insns = 0;
}

/* A bytecode of a machine whose bytecodes have several lengths begins. */
static inline void rivulet_vm_step(struct rivulet_vm *vm)
{
	vm->insns++;
}

/* The bytecode at place jumps to target. */
static inline void rivulet_vm_jump(struct rivulet_vm *vm, uintptr_t place, uintptr_t target)
{
	if (!vm->open)
		return;
	vm->insns = rivulet_vm_count(vm, place);
	vm->run = target;
	if (target <= place) {
		rivulet_vm_end(vm, TRACE_BACKWARD, vm->insns);
		rivulet_vm_at(vm, target);
	}
}

/* The bytecode at place goes to target if taken, else to the one behind it. */
static inline void rivulet_vm_branch(
    struct rivulet_vm *vm, uintptr_t place, uintptr_t behind, uintptr_t target, bool taken)
{
	if (!vm->open)
		return;
	vm->hist = (rivulet_vm_hist)(vm->hist << 1 | taken);
	vm->insns = rivulet_vm_count(vm, place);
	vm->run = taken ? target : behind;
	if ((taken && target <= place) || (vm->hist >> (RIVULET_VM_HIST - 1)) != 0) {
		const uintptr_t next = vm->run;
		rivulet_vm_end(vm, taken && target <= place ? TRACE_BACKWARD : TRACE_FULL, vm->insns);
		rivulet_vm_at(vm, next);
	}
}

/* The bytecode at place goes to where a value says. AT says where. */
static inline void rivulet_vm_indirect(struct rivulet_vm *vm, uintptr_t place)
{
	if (vm->open)
		rivulet_vm_end(vm, TRACE_INDIRECT, rivulet_vm_count(vm, place));
}

/* The trace ends behind the bytecode at place, which has begun, or (done is false) before it: then it begins anew at
 * the next AT, or never. Whether there was a trace. */
static inline bool rivulet_vm_stop(struct rivulet_vm *vm, uintptr_t place, bool done, enum trace_reason reason)
{
	if (!vm->open)
		return false;
	const uint32_t insns = rivulet_vm_count(vm, place) - !done;
	if (insns > 0)
		rivulet_vm_end(vm, reason, insns);
	vm->open = false;
	return true;
}

#if defined(RIVULET_VM) && RIVULET_VM
#define RIVULET_VM_AT(vm, place) rivulet_vm_at(vm, place)
#define RIVULET_VM_STEP(vm) rivulet_vm_step(vm)
#define RIVULET_VM_BRANCH(vm, place, behind, target, taken) rivulet_vm_branch(vm, place, behind, target, taken)
#define RIVULET_VM_JUMP(vm, place, target) rivulet_vm_jump(vm, place, target)
#define RIVULET_VM_CALL(vm, place, target) rivulet_vm_jump(vm, place, target) /* to a place that the bytecode names */
#define RIVULET_VM_INDIRECT(vm, place) rivulet_vm_indirect(vm, place)         /* call or jump by a value */
#define RIVULET_VM_RETURN(vm, place) rivulet_vm_indirect(vm, place)
/* The machine halts behind the bytecode at place; it stops before it, because it failed. */
#define RIVULET_VM_HALT(vm, place) ((void)rivulet_vm_stop(vm, place, true, TRACE_OFF))
#define RIVULET_VM_FAIL(vm, place) ((void)rivulet_vm_stop(vm, place, false, TRACE_OFF))
/* Before the bytecode at place an interpreter within the interpreter begins, which the bytecode called: whether there
 * was a trace; then AT(place) behind it. */
#define RIVULET_VM_ENTER(vm, place) rivulet_vm_stop(vm, place, false, TRACE_TRAP)
#else
#define RIVULET_VM_AT(vm, place) ((void)0)
#define RIVULET_VM_STEP(vm) ((void)0)
#define RIVULET_VM_BRANCH(vm, place, behind, target, taken) ((void)0)
#define RIVULET_VM_JUMP(vm, place, target) ((void)0)
#define RIVULET_VM_CALL(vm, place, target) ((void)0)
#define RIVULET_VM_INDIRECT(vm, place) ((void)0)
#define RIVULET_VM_RETURN(vm, place) ((void)0)
#define RIVULET_VM_HALT(vm, place) ((void)0)
#define RIVULET_VM_FAIL(vm, place) ((void)0)
#define RIVULET_VM_ENTER(vm, place) false
#endif
#endif
