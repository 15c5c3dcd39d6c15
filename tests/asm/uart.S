/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The UART's transmitter: STATUS while bytes leave, DIV, a write when it is not ready. The bench decodes the line: "UART" and a line feed. */
#include "test.h"
#define UART 0x10000000

.macro SEND byte
7:	lw	a2, 4(a1)
	andi	a2, a2, 1
	beqz	a2, 7b
	li	a2, \byte
	sw	a2, 0(a1)
.endm

TEST_START
	li	a1, UART
	CASE
	lw	a0, 4(a1)
	CHECK	a0, 9			/* ready, idle */
	CASE
	li	a0, 0x12345
	sw	a0, 8(a1)
	lw	a0, 8(a1)
	CHECK	a0, 0x2345
	li	a0, 4
	sw	a0, 8(a1)
	CASE
	SEND	'U'
	lw	a0, 4(a1)
	andi	a0, a0, 8
	CHECK	a0, 0			/* no longer idle */
	SEND	'A'
	lw	a0, 4(a1)
	lw	a0, 4(a1)
	andi	a0, a0, 9
	CHECK	a0, 0			/* one byte leaves, one waits */
	li	a0, 'x'
	sw	a0, 0(a1)		/* not ready: ignored */
	SEND	'R'
	SEND	'T'
	SEND	'\n'
	CASE
6:	lw	a0, 4(a1)
	andi	a0, a0, 8
	beqz	a0, 6b
	lw	a0, 4(a1)
	CHECK	a0, 9
TEST_END
