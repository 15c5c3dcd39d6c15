# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# A program whose functions begin and end by Zcmp and whose switch and far calls go by Zcmt. The assembler of Debian 12
# does not know them, so they are written as numbers; make puts their names into the attributes.
#   0xB802 | rlist << 4 | spimm << 2   cm.push      0xA002 | index << 2   cm.jt, from index 32 on cm.jalt
#   0xBE02 | ...                       cm.popret    0xBC02 | ...          cm.popretz
# rlist: 4 ra, 5 and s0, 6 and s1. Its result is in a0 at _end_of_run: 10! modulo 2^32, and 3 for each third of 0 to 8.
	.option norvc
	.globl _start, main, factorial, choose, far_call, _end_of_run
	.type _start, @function
_start:	li sp, 0x80010000
	la t0, table
	csrw 0x17, t0			# jvt
	jal main
_end_of_run:
	j _end_of_run
	.size _start, . - _start

	.type main, @function
main:	.hword 0xB862			# cm.push {ra, s0-s1}, -16
	.option rvc
	c.nop
	.option norvc
	li s0, 9
	li s1, 0
1:	addi s0, s0, -1
	mv a0, s0
	.hword 0xA002 | 33 << 2		# cm.jalt 33: choose
	add s1, s1, a0
	bnez s0, 1b
	li a0, 10
	.hword 0xA002 | 32 << 2		# cm.jalt 32: far_call
	add a0, a0, s1
	.hword 0xBE62			# cm.popret {ra, s0-s1}, 16
	.size main, . - main

	.option rvc
	.balign 4
	.option norvc
	.type far_call, @function
far_call: .hword 0xB842			# cm.push {ra}, -16
	.hword 0x0001			# c.nop
	jal factorial
	.hword 0xBE42			# cm.popret {ra}, 16
	.size far_call, . - far_call

	.type factorial, @function
	.hword 0x0001
factorial: .hword 0xB852		# cm.push {ra, s0}, -16
	.hword 0x0001
	mv s0, a0
	bnez a0, 1f
	li a0, 1
	.hword 0xBE52			# cm.popret {ra, s0}, 16
	.hword 0x0001
1:	addi a0, a0, -1
	jal factorial
	mul a0, a0, s0
	.hword 0xBE52
	.size factorial, . - factorial

	.type choose, @function
	.hword 0x0001
choose:	.hword 0xB842			# a0 % 3 chooses
	.hword 0x0001
	li t1, 3
	remu t0, a0, t1
	beqz t0, 2f
	.hword 0xA002 | 1 << 2		# cm.jt 1: other
	.hword 0x0001
2:	.hword 0xA002 | 0 << 2		# cm.jt 0: third
third:	li a0, 3
	.hword 0xBE42
other:	.hword 0xBC42			# cm.popretz: a0 = 0
	.size choose, . - choose
	.balign 64
table:	.word third, other
	.zero 4 * 30
	.word far_call, choose
