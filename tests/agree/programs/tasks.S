/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* task_switch(from, to): what a small kernel has, not edited. It tells the runtime of --cycles, where that is linked. */
	.text
	.globl task_switch
	.type task_switch, @function
	.weak rivulet_cycles_switch
task_switch:
	sw ra, 0(a0)
	sw sp, 4(a0)
	.irp n, 0,1,2,3,4,5,6,7,8,9,10,11
	sw s\n, 8 + 4 * \n(a0)
	.endr
	mv s0, a0
	mv s1, a1
	la t0, rivulet_cycles_switch
	beqz t0, 1f
	lw a0, 56(s1)   # 0: it has not run yet
	jalr t0
	sw a0, 56(s0)
1:	mv a1, s1
	lw ra, 0(a1)
	lw sp, 4(a1)
	.irp n, 0,1,2,3,4,5,6,7,8,9,10,11
	lw s\n, 8 + 4 * \n(a1)
	.endr
	ret
	.size task_switch, . - task_switch
