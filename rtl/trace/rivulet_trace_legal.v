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
	parameter TABLE_ENTRIES = 0,
	parameter TABLE_WAYS = 4,
	parameter TABLE_COUNT_BITS = 24,
	parameter TABLE_CYCLE_BITS = 32,
	parameter TABLE_CONTEXT_BITS = 0,
	parameter TABLE_RATE = 0,
	parameter TABLE_INDEX = 0,
	// The options without a type: one bit would hide that a 2 is no 1.
	parameter WITH_REASON = 0,
	parameter WITH_CYCLES = 0,
	parameter WITH_INSNS = 0,
	parameter WITH_REPEAT = 0,
	parameter WITH_SAMPLE = 0,
	parameter WITH_DITHER = 0,
	parameter WITH_MODE = 0,
	parameter WITH_FREEZE = 0,
	parameter WITH_HEAL = 0,
	parameter WITH_LOST = 0,
	parameter WITH_LIFO = 0,
	parameter WITH_CONTEXT = 0,
	parameter WITH_TERM = 0,
	parameter WITH_RANGE_START = 0,
	parameter WITH_NEXT_PC = 0,
	parameter WITH_ZCMP = 0,
	parameter WITH_RECORDER = 0,
	parameter WITH_SINK = 0,
	parameter SINK_BITS = 20,
	parameter WITH_CHECK = 0,
	parameter RETIRE = 1
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
	if (TABLE_ENTRIES != 0 && (TABLE_ENTRIES < 64 || TABLE_ENTRIES > 4096 || (TABLE_ENTRIES & (TABLE_ENTRIES - 1)) != 0)) begin : g_table_entries
		rivulet_trace_TABLE_ENTRIES_is_0_or_a_power_of_two_from_64_to_4096 wrong ();
	end
	if (TABLE_WAYS != 1 && TABLE_WAYS != 2 && TABLE_WAYS != 4) begin : g_table_ways
		rivulet_trace_TABLE_WAYS_is_1_2_or_4 wrong ();
	end
	if (TABLE_COUNT_BITS < 8 || TABLE_COUNT_BITS > 32) begin : g_table_count_bits
		rivulet_trace_TABLE_COUNT_BITS_is_8_to_32 wrong ();
	end
	if ((CYCLE_BITS <= 32 && TABLE_CYCLE_BITS < CYCLE_BITS) || TABLE_CYCLE_BITS > 32) begin : g_table_cycle_bits
		rivulet_trace_TABLE_CYCLE_BITS_is_CYCLE_BITS_to_32 wrong ();
	end
	if (TABLE_ENTRIES != 0 && FIFO_DEPTH < 4) begin : g_table_fifo
		rivulet_trace_TABLE_ENTRIES_needs_FIFO_DEPTH_of_4_or_more wrong ();
	end
	if (TABLE_ENTRIES != 0 && !WITH_REASON) begin : g_table_reason
		rivulet_trace_TABLE_ENTRIES_needs_WITH_REASON wrong ();
	end
	if (TABLE_CONTEXT_BITS < 0 || TABLE_CONTEXT_BITS > 8) begin : g_table_context_bits
		rivulet_trace_TABLE_CONTEXT_BITS_is_0_to_8 wrong ();
	end
	if (TABLE_RATE != 0 && TABLE_RATE != 1) begin : g_table_rate
		rivulet_trace_TABLE_RATE_is_0_or_1 wrong ();
	end
	if (TABLE_INDEX != 0 && TABLE_INDEX != 1) begin : g_table_index
		rivulet_trace_TABLE_INDEX_is_0_or_1 wrong ();
	end
	if (TABLE_ENTRIES != 0 && TABLE_RATE != 0 && !WITH_DITHER) begin : g_table_rate_dither
		rivulet_trace_TABLE_RATE_needs_WITH_DITHER wrong ();
	end
	if (TABLE_ENTRIES != 0 && TABLE_RATE != 0 && TABLE_COUNT_BITS < (WITH_REPEAT ? REPEAT_BITS : 1) + 7) begin : g_table_rate_count
		rivulet_trace_TABLE_RATE_needs_TABLE_COUNT_BITS_7_above_those_of_a_record wrong ();
	end
	if (TABLE_ENTRIES != 0 && TABLE_RATE != 0 && WITH_CYCLES && TABLE_CYCLE_BITS < CYCLE_BITS + 7) begin : g_table_rate_cycles
		rivulet_trace_TABLE_RATE_needs_TABLE_CYCLE_BITS_7_above_CYCLE_BITS wrong ();
	end
	if (WITH_REPEAT && !WITH_REASON) begin : g_repeat_alone
		rivulet_trace_WITH_REPEAT_needs_WITH_REASON wrong ();
	end
	if (WITH_DITHER && !WITH_SAMPLE) begin : g_dither_alone
		rivulet_trace_WITH_DITHER_needs_WITH_SAMPLE wrong ();
	end
	if (WITH_LIFO && FIFO_DEPTH == 0) begin : g_lifo_alone
		rivulet_trace_WITH_LIFO_needs_FIFO_DEPTH_above_0 wrong ();
	end
	if (WITH_RECORDER && FIFO_DEPTH == 0) begin : g_recorder_alone
		rivulet_trace_WITH_RECORDER_needs_FIFO_DEPTH_above_0 wrong ();
	end
	if (WITH_SINK && FIFO_DEPTH == 0) begin : g_sink_alone
		rivulet_trace_WITH_SINK_needs_FIFO_DEPTH_above_0 wrong ();
	end
	if (WITH_SINK != 0 && WITH_RECORDER != 0) begin : g_sink_recorder
		rivulet_trace_WITH_SINK_excludes_WITH_RECORDER wrong ();
	end
	if (SINK_BITS < 8 || SINK_BITS > 28) begin : g_sink_bits
		rivulet_trace_SINK_BITS_is_8_to_28 wrong ();
	end
	if (WITH_HEAL && !WITH_FREEZE) begin : g_heal_alone
		rivulet_trace_WITH_HEAL_needs_WITH_FREEZE wrong ();
	end
	if (WITH_RANGE_START && RANGES == 0) begin : g_range_start_alone
		rivulet_trace_WITH_RANGE_START_needs_RANGES_above_0 wrong ();
	end
	// A context holds no pair that has a start and no instruction.
	if (WITH_NEXT_PC != 0 && WITH_CONTEXT != 0) begin : g_next_context
		rivulet_trace_WITH_NEXT_PC_excludes_WITH_CONTEXT wrong ();
	end
	if (WITH_NEXT_PC != 0 && WITH_NEXT_PC != 1) begin : g_next
		rivulet_trace_WITH_NEXT_PC_is_0_or_1 wrong ();
	end
	if (WITH_REASON != 0 && WITH_REASON != 1) begin : g_reason
		rivulet_trace_WITH_REASON_is_0_or_1 wrong ();
	end
	if (WITH_CYCLES != 0 && WITH_CYCLES != 1) begin : g_cycles
		rivulet_trace_WITH_CYCLES_is_0_or_1 wrong ();
	end
	if (WITH_INSNS != 0 && WITH_INSNS != 1) begin : g_insns
		rivulet_trace_WITH_INSNS_is_0_or_1 wrong ();
	end
	if (WITH_REPEAT != 0 && WITH_REPEAT != 1) begin : g_repeat
		rivulet_trace_WITH_REPEAT_is_0_or_1 wrong ();
	end
	if (WITH_SAMPLE != 0 && WITH_SAMPLE != 1) begin : g_sample
		rivulet_trace_WITH_SAMPLE_is_0_or_1 wrong ();
	end
	if (WITH_DITHER != 0 && WITH_DITHER != 1) begin : g_dither
		rivulet_trace_WITH_DITHER_is_0_or_1 wrong ();
	end
	if (WITH_MODE != 0 && WITH_MODE != 1) begin : g_mode
		rivulet_trace_WITH_MODE_is_0_or_1 wrong ();
	end
	if (WITH_FREEZE != 0 && WITH_FREEZE != 1) begin : g_freeze
		rivulet_trace_WITH_FREEZE_is_0_or_1 wrong ();
	end
	if (WITH_HEAL != 0 && WITH_HEAL != 1) begin : g_heal
		rivulet_trace_WITH_HEAL_is_0_or_1 wrong ();
	end
	if (WITH_LOST != 0 && WITH_LOST != 1) begin : g_lost
		rivulet_trace_WITH_LOST_is_0_or_1 wrong ();
	end
	if (WITH_LIFO != 0 && WITH_LIFO != 1) begin : g_lifo
		rivulet_trace_WITH_LIFO_is_0_or_1 wrong ();
	end
	if (WITH_CONTEXT != 0 && WITH_CONTEXT != 1) begin : g_context
		rivulet_trace_WITH_CONTEXT_is_0_or_1 wrong ();
	end
	if (WITH_TERM != 0 && WITH_TERM != 1) begin : g_term
		rivulet_trace_WITH_TERM_is_0_or_1 wrong ();
	end
	if (WITH_RANGE_START != 0 && WITH_RANGE_START != 1) begin : g_range_start
		rivulet_trace_WITH_RANGE_START_is_0_or_1 wrong ();
	end
	if (WITH_ZCMP != 0 && WITH_ZCMP != 1) begin : g_zcmp
		rivulet_trace_WITH_ZCMP_is_0_or_1 wrong ();
	end
	if (WITH_RECORDER != 0 && WITH_RECORDER != 1) begin : g_recorder
		rivulet_trace_WITH_RECORDER_is_0_or_1 wrong ();
	end
	if (WITH_SINK != 0 && WITH_SINK != 1) begin : g_sink
		rivulet_trace_WITH_SINK_is_0_or_1 wrong ();
	end
	if (WITH_CHECK != 0 && WITH_CHECK != 1) begin : g_check
		rivulet_trace_WITH_CHECK_is_0_or_1 wrong ();
	end
	if (RETIRE != 1 && RETIRE != 2) begin : g_retire
		rivulet_trace_RETIRE_is_1_or_2 wrong ();
	end
	if (RETIRE == 2 && RANGES != 0) begin : g_retire_ranges
		rivulet_trace_RETIRE_2_excludes_RANGES wrong ();
	end
	if (RETIRE == 2 && WITH_HEAL != 0) begin : g_retire_heal
		rivulet_trace_RETIRE_2_excludes_WITH_HEAL wrong ();
	end
	if (RETIRE == 2 && WITH_RECORDER != 0) begin : g_retire_recorder
		rivulet_trace_RETIRE_2_excludes_WITH_RECORDER wrong ();
	end
	if (RETIRE == 2 && WITH_CHECK != 0) begin : g_retire_check
		rivulet_trace_RETIRE_2_excludes_WITH_CHECK wrong ();
	end
	endgenerate
endmodule
`default_nettype wire
