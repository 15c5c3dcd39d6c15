// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The parameters of rivulet_trace that are not legal (docs/trace-unit.md section 1). Each instantiates a module that does not exist, so every tool
// stops and prints its name, which is the sentence. Cost: none.
`default_nettype none
module rivulet_trace_legal #(
	parameter XLEN = 32,
	parameter HIST = 8,
	parameter FIFO_DEPTH = 0,
	parameter RANGES = 0,
	parameter CYCLE_BITS = 16,
	parameter INSN_BITS = 16,
	parameter REPEAT_BITS = 8,
	parameter SAMPLE_BITS = 24,
	parameter [0:0] REPEAT_ALONE = 0,
	parameter [0:0] DITHER_ALONE = 0,
	parameter [0:0] LIFO_ALONE = 0,
	parameter [0:0] RANGE_START_ALONE = 0
) ();
	generate
	if (XLEN != 32 && XLEN != 64) begin : g_xlen
		rivulet_trace_XLEN_is_32_or_64 wrong ();
	end
	if (HIST < 8 || HIST > 64) begin : g_hist
		rivulet_trace_HIST_is_8_to_64 wrong ();
	end
	if (FIFO_DEPTH != 0 && (FIFO_DEPTH < 2 || FIFO_DEPTH > 1024 || (FIFO_DEPTH & (FIFO_DEPTH - 1)) != 0)) begin : g_fifo_depth
		rivulet_trace_FIFO_DEPTH_is_0_or_a_power_of_two_from_2_to_1024 wrong ();
	end
	if (RANGES < 0 || RANGES > 4) begin : g_ranges
		rivulet_trace_RANGES_is_0_to_4 wrong ();
	end
	if (CYCLE_BITS < 8 || CYCLE_BITS > 32) begin : g_cycle_bits
		rivulet_trace_CYCLE_BITS_is_8_to_32 wrong ();
	end
	if (INSN_BITS < 8 || INSN_BITS > 16) begin : g_insn_bits
		rivulet_trace_INSN_BITS_is_8_to_16 wrong ();
	end
	if (REPEAT_BITS < 2 || REPEAT_BITS > 8) begin : g_repeat_bits
		rivulet_trace_REPEAT_BITS_is_2_to_8 wrong ();
	end
	if (SAMPLE_BITS < 8 || SAMPLE_BITS > 32) begin : g_sample_bits
		rivulet_trace_SAMPLE_BITS_is_8_to_32 wrong ();
	end
	if (REPEAT_ALONE) begin : g_with_repeat
		rivulet_trace_WITH_REPEAT_needs_WITH_REASON wrong ();
	end
	if (DITHER_ALONE) begin : g_with_dither
		rivulet_trace_WITH_DITHER_needs_WITH_SAMPLE wrong ();
	end
	if (LIFO_ALONE) begin : g_with_lifo
		rivulet_trace_WITH_LIFO_needs_FIFO_DEPTH_above_0 wrong ();
	end
	if (RANGE_START_ALONE) begin : g_with_range_start
		rivulet_trace_WITH_RANGE_START_needs_RANGES_above_0 wrong ();
	end
	endgenerate
endmodule
`default_nettype wire
