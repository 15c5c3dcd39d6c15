// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The parameters of rivulet_ntrace that are not legal (docs/ntrace-encoder.md section 2). Each instantiates a module that does not exist, so every
// tool stops and prints its name, which is the sentence. Cost: none.
`default_nettype none
module rivulet_ntrace_legal #(
	parameter XLEN = 32,
	parameter QUEUE_DEPTH = 64,
	parameter HIST = 31,
	parameter RETURNS = 0,
	parameter FILTERS = 0,
	parameter TIME_BITS = 0,
	parameter CONTEXT_BITS = 0,
	parameter SRC_BITS = 0,
	parameter SINK_WORDS = 0,
	parameter WITH_SMEM = 0,
	parameter WITH_BTM = 0,
	parameter WITH_REPEAT = 0,
	parameter WITH_EXTEND = 0,
	parameter WITH_OWNER = 0,
	parameter WITH_STALL = 0,
	parameter WITH_ZCMP = 0
) ();
	generate
	if (XLEN != 32 && XLEN != 64) begin : g_xlen
		rivulet_ntrace_XLEN_is_32_or_64 wrong ();
	end
	if (QUEUE_DEPTH < 8 || QUEUE_DEPTH > 512 || (QUEUE_DEPTH & (QUEUE_DEPTH - 1)) != 0) begin : g_queue_depth
		rivulet_ntrace_QUEUE_DEPTH_is_a_power_of_two_from_8_to_512 wrong ();
	end
	if (HIST < 8 || HIST > 31) begin : g_hist
		rivulet_ntrace_HIST_is_8_to_31 wrong ();
	end
	if (RETURNS != 0 && (RETURNS < 2 || RETURNS > 32 || (RETURNS & (RETURNS - 1)) != 0)) begin : g_returns
		rivulet_ntrace_RETURNS_is_0_or_a_power_of_two_from_2_to_32 wrong ();
	end
	if (FILTERS < 0 || FILTERS > 4) begin : g_filters
		rivulet_ntrace_FILTERS_is_0_to_4 wrong ();
	end
	if (TIME_BITS != 0 && (TIME_BITS < 8 || TIME_BITS > 63)) begin : g_time_bits
		rivulet_ntrace_TIME_BITS_is_0_or_8_to_63 wrong ();
	end
	if (CONTEXT_BITS < 0 || CONTEXT_BITS > 32) begin : g_context_bits
		rivulet_ntrace_CONTEXT_BITS_is_0_to_32 wrong ();
	end
	if (CONTEXT_BITS > 0 && WITH_OWNER == 0) begin : g_context
		rivulet_ntrace_CONTEXT_BITS_need_WITH_OWNER wrong ();
	end
	if (SRC_BITS < 0 || SRC_BITS > 12) begin : g_src_bits
		rivulet_ntrace_SRC_BITS_is_0_to_12 wrong ();
	end
	if (SINK_WORDS != 0 && (SINK_WORDS < 16 || SINK_WORDS > 16384 || (SINK_WORDS & (SINK_WORDS - 1)) != 0)) begin : g_sink_words
		rivulet_ntrace_SINK_WORDS_is_0_or_a_power_of_two_from_16_to_16384 wrong ();
	end
	if (SINK_WORDS != 0 && WITH_SMEM != 0) begin : g_sinks
		rivulet_ntrace_WITH_SMEM_needs_SINK_WORDS_0 wrong ();
	end
	if ((WITH_SMEM != 0 && WITH_SMEM != 1) || (WITH_BTM != 0 && WITH_BTM != 1) || (WITH_REPEAT != 0 && WITH_REPEAT != 1) ||
	    (WITH_EXTEND != 0 && WITH_EXTEND != 1) || (WITH_OWNER != 0 && WITH_OWNER != 1) || (WITH_STALL != 0 && WITH_STALL != 1) ||
	    (WITH_ZCMP != 0 && WITH_ZCMP != 1)) begin : g_options
		rivulet_ntrace_options_are_0_or_1 wrong ();
	end
	endgenerate
endmodule
`default_nettype wire
