# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# A call of the host that nobody aligned, PAD bytes into its section.
	.option norelax
	.option norvc
	.text
	.balign 4
	.space	PAD
	.globl host_asks
	.type host_asks, @function
host_asks:
	ALIGN
	slli	x0, x0, 0x1f
	ebreak
	srai	x0, x0, 7
	ret
	.size host_asks, . - host_asks
