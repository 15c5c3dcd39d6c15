// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Made from regs/trace_regs.def by `make regs`. To be included inside rivulet_trace_front: what is read of each
// register, two at a time; all but one of the lanes are 0.
localparam RV_LANES = 34;
wire [32*RV_LANES-1:0] lanes;
generate if (FIFO_DEPTH > 0) begin : g_fifo
	rivulet_trace_read #(
		.A(RV_REG_CUR_START),
		.A_BITS(RV_BITS_CUR_START),
		.B(RV_REG_CUR_HIST),
		.B_BITS(RV_BITS_CUR_HIST)
	) read_cur_start (
		.clk_i(clk_i),
		.index_i(reg_index_i),
		.selected_i(selected),
		.a_there_i(1'b1),
		.a_i(values_i[32*RV_REG_CUR_START +: 32]),
		.b_i(values_i[32*RV_REG_CUR_HIST +: 32]),
		.data_o(lanes[32*0 +: 32])
	);
	rivulet_trace_read #(
		.A(RV_REG_CUR_START_HI),
		.A_BITS(RV_BITS_CUR_START_HI),
		.B(RV_REG_CUR_HIST_HI),
		.B_BITS(RV_BITS_CUR_HIST_HI)
	) read_cur_start_hi (
		.clk_i(clk_i),
		.index_i(reg_index_i),
		.selected_i(selected),
		.a_there_i(1'b1),
		.a_i(values_i[32*RV_REG_CUR_START_HI +: 32]),
		.b_i(values_i[32*RV_REG_CUR_HIST_HI +: 32]),
		.data_o(lanes[32*1 +: 32])
	);
	rivulet_trace_read #(
		.A(RV_REG_STATUS),
		.A_BITS(RV_BITS_STATUS),
		.B(RV_REG_COUNT),
		.B_BITS(RV_BITS_COUNT)
	) read_status (
		.clk_i(clk_i),
		.index_i(reg_index_i),
		.selected_i(selected),
		.a_there_i(1'b1),
		.a_i(values_i[32*RV_REG_STATUS +: 32]),
		.b_i(values_i[32*RV_REG_COUNT +: 32]),
		.data_o(lanes[32*2 +: 32])
	);
	rivulet_trace_read #(
		.A(RV_REG_CUR_CYCLES),
		.A_BITS(RV_BITS_CUR_CYCLES)
	) read_cur_cycles (
		.clk_i(clk_i),
		.index_i(reg_index_i),
		.selected_i(selected),
		.a_there_i(1'b1),
		.a_i(values_i[32*RV_REG_CUR_CYCLES +: 32]),
		.b_i(32'd0),
		.data_o(lanes[32*3 +: 32])
	);
	rivulet_trace_read #(
		.A(RV_REG_CUR_INFO),
		.A_BITS(RV_BITS_CUR_INFO)
	) read_cur_info (
		.clk_i(clk_i),
		.index_i(reg_index_i),
		.selected_i(selected),
		.a_there_i(1'b1),
		.a_i(values_i[32*RV_REG_CUR_INFO +: 32]),
		.b_i(32'd0),
		.data_o(lanes[32*4 +: 32])
	);
	rivulet_trace_read #(
		.A(RV_REG_CTRL),
		.A_BITS(RV_BITS_CTRL)
	) read_ctrl (
		.clk_i(clk_i),
		.index_i(reg_index_i),
		.selected_i(selected),
		.a_there_i(1'b1),
		.a_i(values_i[32*RV_REG_CTRL +: 32]),
		.b_i(32'd0),
		.data_o(lanes[32*5 +: 32])
	);
	rivulet_trace_read #(
		.A(RV_REG_WATERMARK),
		.A_BITS(RV_BITS_WATERMARK)
	) read_watermark (
		.clk_i(clk_i),
		.index_i(reg_index_i),
		.selected_i(selected),
		.a_there_i(1'b1),
		.a_i(values_i[32*RV_REG_WATERMARK +: 32]),
		.b_i(32'd0),
		.data_o(lanes[32*6 +: 32])
	);
	assign lanes[32*7 +: 32] = 32'd0;
	assign lanes[32*8 +: 32] = 32'd0;
	assign lanes[32*9 +: 32] = 32'd0;
end else begin : g_last
	rivulet_trace_read #(
		.A(RV_REG_CUR_START),
		.A_BITS(RV_BITS_CUR_START),
		.B(RV_REG_REC_START),
		.B_BITS(RV_BITS_REC_START)
	) read_cur_start (
		.clk_i(clk_i),
		.index_i(reg_index_i),
		.selected_i(selected),
		.a_there_i(1'b1),
		.a_i(values_i[32*RV_REG_CUR_START +: 32]),
		.b_i(values_i[32*RV_REG_REC_START +: 32]),
		.data_o(lanes[32*0 +: 32])
	);
	rivulet_trace_read #(
		.A(RV_REG_CUR_START_HI),
		.A_BITS(RV_BITS_CUR_START_HI),
		.B(RV_REG_REC_START_HI),
		.B_BITS(RV_BITS_REC_START_HI)
	) read_cur_start_hi (
		.clk_i(clk_i),
		.index_i(reg_index_i),
		.selected_i(selected),
		.a_there_i(1'b1),
		.a_i(values_i[32*RV_REG_CUR_START_HI +: 32]),
		.b_i(values_i[32*RV_REG_REC_START_HI +: 32]),
		.data_o(lanes[32*1 +: 32])
	);
	rivulet_trace_read #(
		.A(RV_REG_CUR_HIST),
		.A_BITS(RV_BITS_CUR_HIST),
		.B(RV_REG_REC_HIST),
		.B_BITS(RV_BITS_REC_HIST)
	) read_cur_hist (
		.clk_i(clk_i),
		.index_i(reg_index_i),
		.selected_i(selected),
		.a_there_i(1'b1),
		.a_i(values_i[32*RV_REG_CUR_HIST +: 32]),
		.b_i(values_i[32*RV_REG_REC_HIST +: 32]),
		.data_o(lanes[32*2 +: 32])
	);
	rivulet_trace_read #(
		.A(RV_REG_CUR_HIST_HI),
		.A_BITS(RV_BITS_CUR_HIST_HI),
		.B(RV_REG_REC_HIST_HI),
		.B_BITS(RV_BITS_REC_HIST_HI)
	) read_cur_hist_hi (
		.clk_i(clk_i),
		.index_i(reg_index_i),
		.selected_i(selected),
		.a_there_i(1'b1),
		.a_i(values_i[32*RV_REG_CUR_HIST_HI +: 32]),
		.b_i(values_i[32*RV_REG_REC_HIST_HI +: 32]),
		.data_o(lanes[32*3 +: 32])
	);
	rivulet_trace_read #(
		.A(RV_REG_CUR_CYCLES),
		.A_BITS(RV_BITS_CUR_CYCLES),
		.B(RV_REG_REC_CYCLES),
		.B_BITS(RV_BITS_REC_CYCLES)
	) read_cur_cycles (
		.clk_i(clk_i),
		.index_i(reg_index_i),
		.selected_i(selected),
		.a_there_i(1'b1),
		.a_i(values_i[32*RV_REG_CUR_CYCLES +: 32]),
		.b_i(values_i[32*RV_REG_REC_CYCLES +: 32]),
		.data_o(lanes[32*4 +: 32])
	);
	rivulet_trace_read #(
		.A(RV_REG_CUR_INFO),
		.A_BITS(RV_BITS_CUR_INFO),
		.B(RV_REG_REC_INFO),
		.B_BITS(RV_BITS_REC_INFO)
	) read_cur_info (
		.clk_i(clk_i),
		.index_i(reg_index_i),
		.selected_i(selected),
		.a_there_i(1'b1),
		.a_i(values_i[32*RV_REG_CUR_INFO +: 32]),
		.b_i(values_i[32*RV_REG_REC_INFO +: 32]),
		.data_o(lanes[32*5 +: 32])
	);
	rivulet_trace_read #(
		.A(RV_REG_CTRL),
		.A_BITS(RV_BITS_CTRL),
		.B(RV_REG_STATUS),
		.B_BITS(RV_BITS_STATUS)
	) read_ctrl (
		.clk_i(clk_i),
		.index_i(reg_index_i),
		.selected_i(selected),
		.a_there_i(1'b1),
		.a_i(values_i[32*RV_REG_CTRL +: 32]),
		.b_i(values_i[32*RV_REG_STATUS +: 32]),
		.data_o(lanes[32*6 +: 32])
	);
	rivulet_trace_read #(
		.A(RV_REG_COUNT),
		.A_BITS(RV_BITS_COUNT),
		.B(RV_REG_WATERMARK),
		.B_BITS(RV_BITS_WATERMARK)
	) read_count (
		.clk_i(clk_i),
		.index_i(reg_index_i),
		.selected_i(selected),
		.a_there_i(1'b1),
		.a_i(values_i[32*RV_REG_COUNT +: 32]),
		.b_i(values_i[32*RV_REG_WATERMARK +: 32]),
		.data_o(lanes[32*7 +: 32])
	);
	rivulet_trace_read #(
		.A(RV_REG_REC_COUNT),
		.A_BITS(RV_BITS_REC_COUNT)
	) read_rec_count (
		.clk_i(clk_i),
		.index_i(reg_index_i),
		.selected_i(selected),
		.a_there_i(1'b1),
		.a_i(values_i[32*RV_REG_REC_COUNT +: 32]),
		.b_i(32'd0),
		.data_o(lanes[32*8 +: 32])
	);
	rivulet_trace_read #(
		.A(RV_REG_REC_CONTEXT),
		.A_BITS(RV_BITS_REC_CONTEXT)
	) read_rec_context (
		.clk_i(clk_i),
		.index_i(reg_index_i),
		.selected_i(selected),
		.a_there_i(1'b1),
		.a_i(values_i[32*RV_REG_REC_CONTEXT +: 32]),
		.b_i(32'd0),
		.data_o(lanes[32*9 +: 32])
	);
end endgenerate
generate if (1) begin : g_any
	rivulet_trace_read #(
		.A(RV_REG_ID),
		.A_BITS(RV_BITS_ID),
		.B(RV_REG_CAPS),
		.B_BITS(RV_BITS_CAPS)
	) read_id (
		.clk_i(clk_i),
		.index_i(reg_index_i),
		.selected_i(selected),
		.a_there_i(1'b1),
		.a_i(values_i[32*RV_REG_ID +: 32]),
		.b_i(values_i[32*RV_REG_CAPS +: 32]),
		.data_o(lanes[32*10 +: 32])
	);
	rivulet_trace_read #(
		.A(RV_REG_RESUME),
		.A_BITS(RV_BITS_RESUME),
		.B(RV_REG_LOST),
		.B_BITS(RV_BITS_LOST)
	) read_resume (
		.clk_i(clk_i),
		.index_i(reg_index_i),
		.selected_i(selected),
		.a_there_i(1'b1),
		.a_i(values_i[32*RV_REG_RESUME +: 32]),
		.b_i(values_i[32*RV_REG_LOST +: 32]),
		.data_o(lanes[32*11 +: 32])
	);
	rivulet_trace_read #(
		.A(RV_REG_DEPTH),
		.A_BITS(RV_BITS_DEPTH),
		.B(RV_REG_RESUME_HI),
		.B_BITS(RV_BITS_RESUME_HI)
	) read_depth (
		.clk_i(clk_i),
		.index_i(reg_index_i),
		.selected_i(selected),
		.a_there_i(1'b1),
		.a_i(values_i[32*RV_REG_DEPTH +: 32]),
		.b_i(values_i[32*RV_REG_RESUME_HI +: 32]),
		.data_o(lanes[32*12 +: 32])
	);
	rivulet_trace_read #(
		.A(RV_REG_PERIOD),
		.A_BITS(RV_BITS_PERIOD),
		.B(RV_REG_COUNTER),
		.B_BITS(RV_BITS_COUNTER)
	) read_period (
		.clk_i(clk_i),
		.index_i(reg_index_i),
		.selected_i(selected),
		.a_there_i(1'b1),
		.a_i(values_i[32*RV_REG_PERIOD +: 32]),
		.b_i(values_i[32*RV_REG_COUNTER +: 32]),
		.data_o(lanes[32*13 +: 32])
	);
	rivulet_trace_read #(
		.A(RV_REG_DITHER),
		.A_BITS(RV_BITS_DITHER),
		.B(RV_REG_LFSR),
		.B_BITS(RV_BITS_LFSR)
	) read_dither (
		.clk_i(clk_i),
		.index_i(reg_index_i),
		.selected_i(selected),
		.a_there_i(1'b1),
		.a_i(values_i[32*RV_REG_DITHER +: 32]),
		.b_i(values_i[32*RV_REG_LFSR +: 32]),
		.data_o(lanes[32*14 +: 32])
	);
	rivulet_trace_read #(
		.A(RV_REG_PORT),
		.A_BITS(RV_BITS_PORT)
	) read_port (
		.clk_i(clk_i),
		.index_i(reg_index_i),
		.selected_i(selected),
		.a_there_i(1'b1),
		.a_i(values_i[32*RV_REG_PORT +: 32]),
		.b_i(32'd0),
		.data_o(lanes[32*15 +: 32])
	);
	rivulet_trace_read #(
		.A(RV_REG_TABLE),
		.A_BITS(RV_BITS_TABLE),
		.B(RV_REG_TABLE_CAPS),
		.B_BITS(RV_BITS_TABLE_CAPS)
	) read_table (
		.clk_i(clk_i),
		.index_i(reg_index_i),
		.selected_i(selected),
		.a_there_i(1'b1),
		.a_i(values_i[32*RV_REG_TABLE +: 32]),
		.b_i(values_i[32*RV_REG_TABLE_CAPS +: 32]),
		.data_o(lanes[32*16 +: 32])
	);
	rivulet_trace_read #(
		.A(RV_REG_TABLE_POLICY),
		.A_BITS(RV_BITS_TABLE_POLICY),
		.B(RV_REG_TABLE_CONTEXT),
		.B_BITS(RV_BITS_TABLE_CONTEXT)
	) read_table_policy (
		.clk_i(clk_i),
		.index_i(reg_index_i),
		.selected_i(selected),
		.a_there_i(1'b1),
		.a_i(values_i[32*RV_REG_TABLE_POLICY +: 32]),
		.b_i(values_i[32*RV_REG_TABLE_CONTEXT +: 32]),
		.data_o(lanes[32*17 +: 32])
	);
	rivulet_trace_read #(
		.A(RV_REG_TABLE_MISSED),
		.A_BITS(RV_BITS_TABLE_MISSED),
		.B(RV_REG_TABLE_ENTRY),
		.B_BITS(RV_BITS_TABLE_ENTRY)
	) read_table_missed (
		.clk_i(clk_i),
		.index_i(reg_index_i),
		.selected_i(selected),
		.a_there_i(1'b1),
		.a_i(values_i[32*RV_REG_TABLE_MISSED +: 32]),
		.b_i(values_i[32*RV_REG_TABLE_ENTRY +: 32]),
		.data_o(lanes[32*18 +: 32])
	);
	rivulet_trace_read #(
		.A(RV_REG_TABLE_TAKE),
		.A_BITS(RV_BITS_TABLE_TAKE)
	) read_table_take (
		.clk_i(clk_i),
		.index_i(reg_index_i),
		.selected_i(selected),
		.a_there_i(1'b1),
		.a_i(values_i[32*RV_REG_TABLE_TAKE +: 32]),
		.b_i(32'd0),
		.data_o(lanes[32*19 +: 32])
	);
	rivulet_trace_read #(
		.A(RV_REG_RANGE0_LO),
		.A_BITS(RV_BITS_RANGE0_LO),
		.B(RV_REG_RANGE0_HI),
		.B_BITS(RV_BITS_RANGE0_HI)
	) read_range0_lo (
		.clk_i(clk_i),
		.index_i(reg_index_i),
		.selected_i(selected),
		.a_there_i(1'b1),
		.a_i(values_i[32*RV_REG_RANGE0_LO +: 32]),
		.b_i(values_i[32*RV_REG_RANGE0_HI +: 32]),
		.data_o(lanes[32*20 +: 32])
	);
	rivulet_trace_read #(
		.A(RV_REG_RANGE1_LO),
		.A_BITS(RV_BITS_RANGE1_LO),
		.B(RV_REG_RANGE1_HI),
		.B_BITS(RV_BITS_RANGE1_HI)
	) read_range1_lo (
		.clk_i(clk_i),
		.index_i(reg_index_i),
		.selected_i(selected),
		.a_there_i(1'b1),
		.a_i(values_i[32*RV_REG_RANGE1_LO +: 32]),
		.b_i(values_i[32*RV_REG_RANGE1_HI +: 32]),
		.data_o(lanes[32*21 +: 32])
	);
	rivulet_trace_read #(
		.A(RV_REG_RANGE2_LO),
		.A_BITS(RV_BITS_RANGE2_LO),
		.B(RV_REG_RANGE2_HI),
		.B_BITS(RV_BITS_RANGE2_HI)
	) read_range2_lo (
		.clk_i(clk_i),
		.index_i(reg_index_i),
		.selected_i(selected),
		.a_there_i(1'b1),
		.a_i(values_i[32*RV_REG_RANGE2_LO +: 32]),
		.b_i(values_i[32*RV_REG_RANGE2_HI +: 32]),
		.data_o(lanes[32*22 +: 32])
	);
	rivulet_trace_read #(
		.A(RV_REG_RANGE3_LO),
		.A_BITS(RV_BITS_RANGE3_LO),
		.B(RV_REG_RANGE3_HI),
		.B_BITS(RV_BITS_RANGE3_HI)
	) read_range3_lo (
		.clk_i(clk_i),
		.index_i(reg_index_i),
		.selected_i(selected),
		.a_there_i(1'b1),
		.a_i(values_i[32*RV_REG_RANGE3_LO +: 32]),
		.b_i(values_i[32*RV_REG_RANGE3_HI +: 32]),
		.data_o(lanes[32*23 +: 32])
	);
	rivulet_trace_read #(
		.A(RV_REG_RANGE0_LO_HI),
		.A_BITS(RV_BITS_RANGE0_LO_HI),
		.B(RV_REG_RANGE0_HI_HI),
		.B_BITS(RV_BITS_RANGE0_HI_HI)
	) read_range0_lo_hi (
		.clk_i(clk_i),
		.index_i(reg_index_i),
		.selected_i(selected),
		.a_there_i(1'b1),
		.a_i(values_i[32*RV_REG_RANGE0_LO_HI +: 32]),
		.b_i(values_i[32*RV_REG_RANGE0_HI_HI +: 32]),
		.data_o(lanes[32*24 +: 32])
	);
	rivulet_trace_read #(
		.A(RV_REG_RANGE1_LO_HI),
		.A_BITS(RV_BITS_RANGE1_LO_HI),
		.B(RV_REG_RANGE1_HI_HI),
		.B_BITS(RV_BITS_RANGE1_HI_HI)
	) read_range1_lo_hi (
		.clk_i(clk_i),
		.index_i(reg_index_i),
		.selected_i(selected),
		.a_there_i(1'b1),
		.a_i(values_i[32*RV_REG_RANGE1_LO_HI +: 32]),
		.b_i(values_i[32*RV_REG_RANGE1_HI_HI +: 32]),
		.data_o(lanes[32*25 +: 32])
	);
	rivulet_trace_read #(
		.A(RV_REG_RANGE2_LO_HI),
		.A_BITS(RV_BITS_RANGE2_LO_HI),
		.B(RV_REG_RANGE2_HI_HI),
		.B_BITS(RV_BITS_RANGE2_HI_HI)
	) read_range2_lo_hi (
		.clk_i(clk_i),
		.index_i(reg_index_i),
		.selected_i(selected),
		.a_there_i(1'b1),
		.a_i(values_i[32*RV_REG_RANGE2_LO_HI +: 32]),
		.b_i(values_i[32*RV_REG_RANGE2_HI_HI +: 32]),
		.data_o(lanes[32*26 +: 32])
	);
	rivulet_trace_read #(
		.A(RV_REG_RANGE3_LO_HI),
		.A_BITS(RV_BITS_RANGE3_LO_HI),
		.B(RV_REG_RANGE3_HI_HI),
		.B_BITS(RV_BITS_RANGE3_HI_HI)
	) read_range3_lo_hi (
		.clk_i(clk_i),
		.index_i(reg_index_i),
		.selected_i(selected),
		.a_there_i(1'b1),
		.a_i(values_i[32*RV_REG_RANGE3_LO_HI +: 32]),
		.b_i(values_i[32*RV_REG_RANGE3_HI_HI +: 32]),
		.data_o(lanes[32*27 +: 32])
	);
	rivulet_trace_read #(
		.A(RV_REG_RECORDER),
		.A_BITS(RV_BITS_RECORDER),
		.B(RV_REG_RECORDER_TRAPS),
		.B_BITS(RV_BITS_RECORDER_TRAPS)
	) read_recorder (
		.clk_i(clk_i),
		.index_i(reg_index_i),
		.selected_i(selected),
		.a_there_i(1'b1),
		.a_i(values_i[32*RV_REG_RECORDER +: 32]),
		.b_i(values_i[32*RV_REG_RECORDER_TRAPS +: 32]),
		.data_o(lanes[32*28 +: 32])
	);
	rivulet_trace_read #(
		.A(RV_REG_RECORDER_FROM),
		.A_BITS(RV_BITS_RECORDER_FROM),
		.B(RV_REG_RECORDER_TO),
		.B_BITS(RV_BITS_RECORDER_TO)
	) read_recorder_from (
		.clk_i(clk_i),
		.index_i(reg_index_i),
		.selected_i(selected),
		.a_there_i(1'b1),
		.a_i(values_i[32*RV_REG_RECORDER_FROM +: 32]),
		.b_i(values_i[32*RV_REG_RECORDER_TO +: 32]),
		.data_o(lanes[32*29 +: 32])
	);
	rivulet_trace_read #(
		.A(RV_REG_RECORDER_FROM_HI),
		.A_BITS(RV_BITS_RECORDER_FROM_HI),
		.B(RV_REG_RECORDER_TO_HI),
		.B_BITS(RV_BITS_RECORDER_TO_HI)
	) read_recorder_from_hi (
		.clk_i(clk_i),
		.index_i(reg_index_i),
		.selected_i(selected),
		.a_there_i(1'b1),
		.a_i(values_i[32*RV_REG_RECORDER_FROM_HI +: 32]),
		.b_i(values_i[32*RV_REG_RECORDER_TO_HI +: 32]),
		.data_o(lanes[32*30 +: 32])
	);
	rivulet_trace_read #(
		.A(RV_REG_RECORDER_LIMIT),
		.A_BITS(RV_BITS_RECORDER_LIMIT),
		.B(RV_REG_RECORDER_PC),
		.B_BITS(RV_BITS_RECORDER_PC)
	) read_recorder_limit (
		.clk_i(clk_i),
		.index_i(reg_index_i),
		.selected_i(selected),
		.a_there_i(1'b1),
		.a_i(values_i[32*RV_REG_RECORDER_LIMIT +: 32]),
		.b_i(values_i[32*RV_REG_RECORDER_PC +: 32]),
		.data_o(lanes[32*31 +: 32])
	);
	rivulet_trace_read #(
		.A(RV_REG_RECORDER_PC_HI),
		.A_BITS(RV_BITS_RECORDER_PC_HI)
	) read_recorder_pc_hi (
		.clk_i(clk_i),
		.index_i(reg_index_i),
		.selected_i(selected),
		.a_there_i(1'b1),
		.a_i(values_i[32*RV_REG_RECORDER_PC_HI +: 32]),
		.b_i(32'd0),
		.data_o(lanes[32*32 +: 32])
	);
	rivulet_trace_read #(
		.A(RV_REG_SINK),
		.A_BITS(RV_BITS_SINK)
	) read_sink (
		.clk_i(clk_i),
		.index_i(reg_index_i),
		.selected_i(selected),
		.a_there_i(1'b1),
		.a_i(values_i[32*RV_REG_SINK +: 32]),
		.b_i(32'd0),
		.data_o(lanes[32*33 +: 32])
	);
end endgenerate
