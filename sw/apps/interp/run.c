/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include <stdbool.h>
#include <string.h>

#include "vm.h"

struct frame {
	uint16_t back;
	int32_t locals[VM_LOCALS];
};

static int32_t operand(const uint8_t *at, unsigned bytes)
{
	uint32_t value = 0;
	for (unsigned i = 0; i < bytes; i++)
		value |= (uint32_t)at[i] << 8 * i;
	return (int32_t)value;
}

/* Values that each operation takes from the stack, and the most that it adds. */
static const uint8_t takes[VM_OP_COUNT] = {[VM_store] = 1,
    [VM_fetch] = 1,
    [VM_put] = 2,
    [VM_add] = 2,
    [VM_sub] = 2,
    [VM_mul] = 2,
    [VM_div] = 2,
    [VM_mod] = 2,
    [VM_and] = 2,
    [VM_or] = 2,
    [VM_xor] = 2,
    [VM_shl] = 2,
    [VM_sar] = 2,
    [VM_lt] = 2,
    [VM_eq] = 2,
    [VM_not] = 1,
    [VM_dup] = 1,
    [VM_drop] = 1,
    [VM_swap] = 2,
    [VM_over] = 2,
    [VM_jz] = 1,
    [VM_out] = 1};

int vm_run(struct vm *vm)
{
	static int32_t stack[VM_STACK + 2];
	static struct frame frames[VM_FRAMES];
	struct frame *frame = frames;
	int32_t *top = stack; /* the next free place */
	size_t pc = 0;
	memset(frames[0].locals, 0, sizeof frames[0].locals);
	VM_AT(pc);
	for (;;) {
		if (pc >= vm->code_size) {
			RIVULET_VM_HALT(&vm_unit, vm_place(pc));
			return VM_ECODE;
		}
		uint8_t op = vm->code[pc++];
		const uint8_t *at = vm->code + pc;
		vm->steps++;
		VM_STEP(pc - 1);
		if (op >= VM_OP_COUNT)
			return vm_failed(VM_EOP);
		if (top - stack < takes[op] || top - stack >= VM_STACK)
			return vm_failed(VM_ESTACK);
		uint32_t a = 0, b = 0; /* b: on top, a: below it */
		if (takes[op])
			b = (uint32_t)top[-1];
		if (takes[op] == 2)
			a = (uint32_t)top[-2];
		switch (op) {
		case VM_push:
			*top++ = operand(at, 4);
			pc += 4;
			break;
		case VM_load:
			*top++ = frame->locals[*at % VM_LOCALS];
			pc++;
			break;
		case VM_store:
			frame->locals[*at % VM_LOCALS] = (int32_t)b;
			top--;
			pc++;
			break;
		case VM_fetch:
			if (b >= VM_MEMORY)
				return vm_failed(VM_EMEMORY);
			top[-1] = vm->memory[b];
			break;
		case VM_put:
			if (b >= VM_MEMORY)
				return vm_failed(VM_EMEMORY);
			vm->memory[b] = (int32_t)a;
			top -= 2;
			break;
		case VM_add:
			*(--top - 1) = (int32_t)(a + b);
			break;
		case VM_sub:
			*(--top - 1) = (int32_t)(a - b);
			break;
		case VM_mul:
			*(--top - 1) = (int32_t)(a * b);
			break;
		case VM_div:
		case VM_mod:
			if (b == 0 || (a == 0x80000000u && b == UINT32_MAX))
				return vm_failed(VM_EDIVIDE);
			*(--top - 1) = op == VM_div ? (int32_t)a / (int32_t)b : (int32_t)a % (int32_t)b;
			break;
		case VM_and:
			*(--top - 1) = (int32_t)(a & b);
			break;
		case VM_or:
			*(--top - 1) = (int32_t)(a | b);
			break;
		case VM_xor:
			*(--top - 1) = (int32_t)(a ^ b);
			break;
		case VM_shl:
			*(--top - 1) = (int32_t)(a << (b & 31));
			break;
		case VM_sar:
			*(--top - 1) = (int32_t)a >> (b & 31);
			break;
		case VM_lt:
			*(--top - 1) = (int32_t)a < (int32_t)b;
			break;
		case VM_eq:
			*(--top - 1) = a == b;
			break;
		case VM_not:
			top[-1] = b == 0;
			break;
		case VM_dup:
			*top++ = (int32_t)b;
			break;
		case VM_drop:
			top--;
			break;
		case VM_swap:
			top[-1] = (int32_t)a;
			top[-2] = (int32_t)b;
			break;
		case VM_over:
			*top++ = (int32_t)a;
			break;
		case VM_jump:
			RIVULET_VM_JUMP(&vm_unit, vm_place(pc - 1), vm_place((uint16_t)operand(at, 2)));
			pc = (uint16_t)operand(at, 2);
			break;
		case VM_jz:
			RIVULET_VM_BRANCH(
			    &vm_unit, vm_place(pc - 1), vm_place(pc + 2), vm_place((uint16_t)operand(at, 2)), b == 0);
			pc = b == 0 ? (uint16_t)operand(at, 2) : pc + 2;
			top--;
			break;
		case VM_call:
			if (frame == frames + VM_FRAMES - 1)
				return vm_failed(VM_ESTACK);
			RIVULET_VM_CALL(&vm_unit, vm_place(pc - 1), vm_place((uint16_t)operand(at, 2)));
			frame++;
			frame->back = (uint16_t)(pc + 2);
			pc = (uint16_t)operand(at, 2);
			break;
		case VM_ret:
			if (frame == frames)
				return vm_failed(VM_ESTACK);
			RIVULET_VM_RETURN(&vm_unit, vm_place(pc - 1));
			pc = frame->back;
			VM_AT(pc);
			frame--;
			break;
		case VM_out:
			vm->out = vm->out * 31 + (int32_t)b;
			top--;
			break;
		default: /* halt */
			RIVULET_VM_HALT(&vm_unit, vm_place(pc - 1));
			return VM_OK;
		}
	}
}
