// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The parameters of rivulet_trace_dense that are not legal (docs/trace-unit.md section 15). Each instantiates a module that does not exist, so every
// tool stops and prints its name, which is the sentence. Cost: none.
`default_nettype none
module rivulet_trace_dense_legal #(
	parameter XLEN = 32,
	parameter HIST = 32,
	parameter ENTRIES = 256,
	parameter PLACES = 1024,
	parameter REPEAT_BITS = 8,
	parameter INSN_BITS = 16,
	parameter QUEUE = 256,
	parameter BUFFER = 512,
	parameter CHECK_BITS = 10,
	parameter START_BITS = 16
) ();
	generate
	if (XLEN != 32 && XLEN != 64) begin : g_xlen
		rivulet_trace_dense_XLEN_is_32_or_64 wrong ();
	end
	if (HIST < 8 || HIST > 64) begin : g_hist
		rivulet_trace_dense_HIST_is_8_to_64 wrong ();
	end
	if (ENTRIES < 32 || ENTRIES > 1024 || (ENTRIES & (ENTRIES - 1)) != 0) begin : g_entries
		rivulet_trace_dense_ENTRIES_is_a_power_of_two_from_32_to_1024 wrong ();
	end
	if (PLACES < 32 || PLACES > 4096 || (PLACES & (PLACES - 1)) != 0) begin : g_places
		rivulet_trace_dense_PLACES_is_a_power_of_two_from_32_to_4096 wrong ();
	end
	if (REPEAT_BITS < 1 || REPEAT_BITS > 16) begin : g_repeat
		rivulet_trace_dense_REPEAT_BITS_is_1_to_16 wrong ();
	end
	if (INSN_BITS < 1 || INSN_BITS > 16) begin : g_insns
		rivulet_trace_dense_INSN_BITS_is_1_to_16 wrong ();
	end
	if (QUEUE < 4 || QUEUE > 1024 || (QUEUE & (QUEUE - 1)) != 0) begin : g_queue
		rivulet_trace_dense_QUEUE_is_a_power_of_two_from_4_to_1024 wrong ();
	end
	if (BUFFER < 16 || BUFFER > 4096 || (BUFFER & (BUFFER - 1)) != 0) begin : g_buffer
		rivulet_trace_dense_BUFFER_is_a_power_of_two_from_16_to_4096 wrong ();
	end
	if (CHECK_BITS < 3 || CHECK_BITS > 12) begin : g_check
		rivulet_trace_dense_CHECK_BITS_is_3_to_12 wrong ();
	end
	if (START_BITS < CHECK_BITS || START_BITS > 31) begin : g_start
		rivulet_trace_dense_START_BITS_is_CHECK_BITS_to_31 wrong ();
	end
	endgenerate
endmodule
`default_nettype wire
