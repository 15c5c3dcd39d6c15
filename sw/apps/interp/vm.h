/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef VM_H
#define VM_H
/* A stack machine with 32-bit words, and an assembler for it. */
#include <stddef.h>
#include <stdint.h>

/* OP(name, operand bytes): the operand is signed, little endian. */
/* clang-format off */
#define VM_OPS(OP) \
	OP(push, 4) \
	OP(load, 1) OP(store, 1) \
	OP(fetch, 0) OP(put, 0) \
	OP(add, 0) OP(sub, 0) OP(mul, 0) OP(div, 0) OP(mod, 0) \
	OP(and, 0) OP(or, 0) OP(xor, 0) OP(shl, 0) OP(sar, 0) OP(lt, 0) OP(eq, 0) OP(not, 0) \
	OP(dup, 0) OP(drop, 0) OP(swap, 0) OP(over, 0) \
	OP(jump, 2) OP(jz, 2) OP(call, 2) OP(ret, 0) OP(out, 0) OP(halt, 0)
/* clang-format on */

enum vm_op {
#define OP(name, bytes) VM_##name,
	VM_OPS(OP)
#undef OP
	    VM_OP_COUNT
};

enum { VM_CODE = 768, VM_MEMORY = 2048, VM_STACK = 128, VM_FRAMES = 64, VM_LOCALS = 8 };
enum vm_error { VM_OK = 0, VM_EOP = -1, VM_ESTACK = -2, VM_EMEMORY = -3, VM_EDIVIDE = -4, VM_ECODE = -5 };

struct vm {
	uint8_t code[VM_CODE];
	size_t code_size;
	int32_t memory[VM_MEMORY];
	int32_t out; /* check sum of what `out` was given */
	uint32_t steps;
};

/* One instruction a word: "loop: load 0 push 10 lt jz done". A word that ends in a colon is a label. Returns 0, or the
 * number of the first word that is wrong, counted from 1. */
int vm_assemble(struct vm *vm, const char *source);
/* Runs from the start until halt. Locals belong to a call; arguments and results are passed on the stack. Returns 0 or
 * a negative error. */
int vm_run(struct vm *vm);

/* Traces over the machine's own program counter (docs/machines.md): of whoever builds it so, tests/vm/interp.c. */
#include "sw/vm/rivulet_vm.h"
#if defined(RIVULET_VM)
extern struct rivulet_vm vm_unit;
extern uintptr_t vm_base; /* of the program: twice the offset in its code is added */
void vm_loaded(const struct vm *vm, const char *source);
#ifdef VM_LOG
void vm_log(uintptr_t place); /* a bytecode begins */
#else
#define vm_log(place) ((void)0)
#endif
int vm_failed(int error); /* the one that has begun did not end */
#define vm_place(pc) (vm_base + 2 * (uintptr_t)(pc))
#define VM_AT(pc) RIVULET_VM_AT(&vm_unit, vm_place(pc))
#define VM_STEP(pc) (RIVULET_VM_STEP(&vm_unit), vm_log(vm_place(pc)))
#else
#define VM_AT(pc) ((void)0)
#define VM_STEP(pc) ((void)0)
#define vm_loaded(vm, source) ((void)0)
#define vm_failed(error) (error)
#endif
#endif
