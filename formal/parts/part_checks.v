// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Parts of the trace unit alone, with anything on their ports that the unit can give them: the hold record, the sampling counter with dither,
// the queue in front of the unit. Each beside a reference, chosen by CHECK. Reset is high in the first cycle.
`default_nettype none
module part_checks #(
	parameter CHECK = 0,
	parameter XLEN = 32,
	parameter HIST = 8,
	parameter [0:0] CYCLES = 0,
	parameter [0:0] INSNS = 0,
	parameter REPEAT_BITS = 2,
	parameter [0:0] DITHER = 1,
	parameter SAMPLE_BITS = 8,
	parameter BIT = 0,                       // of a retirement, of the 42 + 2 XLEN that the queue keeps in the same way
	parameter DEPTH_BITS = 3
) (
	input wire        clk_i,
	// the hold record
	input wire        merge,
	input wire        enable,
	input wire        latch,
	input wire [XLEN-1:0] start,
	input wire [HIST-1:0] hist,
	input wire [3:0]  reason,
	input wire        own_end,
	input wire [3:0]  end_reason,
	input wire [7:0]  cycles,
	input wire [7:0]  insns,
	// the counter
	input wire [3:0]  write,
	input wire [31:0] wdata,
	// the queue
	input wire [1:0]  valid,
	input wire [83+4*XLEN:0] slots
);
	localparam REPEAT = 0, DITHERED = 1, QUEUE = 2, ROOM = 3;
	reg rst = 1'b1, ready_q = 1'b0;
	always @(posedge clk_i)
		rst <= 1'b0;

	generate
	case (CHECK)
	REPEAT: begin : g
		// Section 7, "Repeat": what is pushed is what came, each once, and equal ones together only where the text allows it.
		wire        push, held;
		wire [XLEN-1:0] out_start;
		wire [HIST-1:0] out_hist;
		wire [3:0]  out_reason;
		wire [REPEAT_BITS-1:0] out_repeat;
		wire [7:0]  out_cycles, out_insns;
		rivulet_trace_repeat #(
			.XLEN(XLEN),
			.HIST(HIST),
			.WITH_CYCLES(CYCLES),
			.CYCLE_BITS(8),
			.WITH_INSNS(INSNS),
			.INSN_BITS(8),
			.REPEAT_BITS(REPEAT_BITS)
		) unit (
			.clk_i(clk_i),
			.rst_i(rst),
			.merge_i(merge),
			.enable_i(enable),
			.latch_i(latch),
			.start_i(start),
			.hist_i(hist),
			.reason_i(reason),
			.end_i(own_end),
			.end_reason_i(end_reason),
			.cycles_i(cycles),
			.insns_i(insns),
			.push_o(push),
			.valid_o(held),
			.start_o(out_start),
			.hist_o(out_hist),
			.reason_o(out_reason),
			.repeat_o(out_repeat),
			.cycles_o(out_cycles),
			.insns_o(out_insns)
		);
		// A reason is that of the trace's own end, or of a discontinuity.
		always @* assume (!latch || (own_end ? reason == end_reason && reason != 4'd0 : reason >= RV_REASON_TRAP));

		reg        have;
		reg [XLEN-1:0] h_start;
		reg [HIST-1:0] h_hist;
		reg [3:0]  h_reason;
		reg [7:0]  h_count, h_insns;
		reg [8:0]  h_cycles;
		reg [7:0]  came, went;                   // traces, modulo 2^8
		initial {have, came, went} = 17'd0;
		wire [8:0] together = h_cycles + {1'b0, cycles};
		wire       own = reason == RV_REASON_BACKWARD || reason == RV_REASON_INDIRECT || reason == RV_REASON_FULL;
		wire       merges = latch && merge && have && h_start == start && h_hist == hist && h_reason == reason && own &&
			h_count < (1 << REPEAT_BITS) - 1 && (!CYCLES || together <= 9'd255) && (!INSNS || h_insns == insns);
		wire       leaves = have && (latch ? !merges : !merge || !enable);
		always @(posedge clk_i) begin
			have <= !rst && (latch || (have && !leaves));
			if (merges) begin
				h_count <= h_count + 8'd1;
				h_cycles <= together;
			end else if (latch)
				{h_start, h_hist, h_reason, h_count, h_cycles, h_insns} <= {start, hist, reason, 8'd1, 1'b0, cycles, insns};
			came <= rst ? 8'd0 : came + {7'd0, latch};
			went <= rst ? 8'd0 : push ? went + out_repeat : went;
		end
		always @* if (!rst) begin
			assert (held == have && push == leaves);
			assert (!have || (out_start == h_start && out_hist == h_hist && out_reason == h_reason && out_repeat == h_count));
			assert (!have || !CYCLES || {1'b0, out_cycles} == h_cycles);
			assert (!have || !INSNS || out_insns == h_insns);
			assert (came - went == (have ? h_count : 8'd0));
		end
	end
	DITHERED: begin : g
		// Section 7: COUNTER, PERIOD and LFSR, step by step.
		wire        due, sample;
		wire [SAMPLE_BITS-1:0] out_period, out_counter;
		wire [15:0] out_dither, out_lfsr;
		rivulet_trace_sample #(.SAMPLE_BITS(SAMPLE_BITS), .WITH_DITHER(DITHER)) unit (
			.clk_i(clk_i),
			.rst_i(rst),
			.enable_i(enable),
			.latch_i(latch),
			.due_o(due),
			.sample_o(sample),
			.period_write_i(write[0]),
			.counter_write_i(write[1]),
			.dither_write_i(write[2]),
			.lfsr_write_i(write[3]),
			.wdata_i(wdata),
			.period_o(out_period),
			.counter_o(out_counter),
			.dither_o(out_dither),
			.lfsr_o(out_lfsr)
		);
		reg  [SAMPLE_BITS-1:0] period, counter;
		reg  [15:0] mask, lfsr, next;
		integer step;
		always @* begin
			next = lfsr;
			for (step = 0; step < 4; step = step + 1)
				next = next[0] ? next >> 1 ^ 16'hB400 : next >> 1;
		end
		wire [15:0] drawn = DITHER ? lfsr & mask : 16'd0;
		always @(posedge clk_i) begin
			if (write[0]) period <= wdata[SAMPLE_BITS-1:0];
			if (write[1]) counter <= wdata[SAMPLE_BITS-1:0];
			else if (enable && latch) counter <= counter <= 1 ? period + drawn : counter - 1;
			if (write[2]) mask <= wdata[15:0];
			if (write[3]) lfsr <= wdata[15:0] == 16'd0 ? 16'd1 : wdata[15:0];
			else if (latch) lfsr <= next;
			if (rst) {period, counter, mask, lfsr} <= {{2*SAMPLE_BITS+31{1'b0}}, 1'b1};
		end
		always @* if (!rst) begin
			assert (out_period == period && out_counter == counter);
			assert (!DITHER || (out_dither == mask && out_lfsr == lfsr && lfsr != 16'd0));
			assert (due == (counter <= 1) && sample == (enable && latch && counter <= 1));
		end
	end
	QUEUE, ROOM: begin : g
		localparam WIDTH = 42 + 2 * XLEN;
		wire        ready, lost, out_valid;
		wire [WIDTH-1:0] out;
		wire [WIDTH-1:0] slot0 = slots[WIDTH-1:0], slot1 = slots[2*WIDTH-1:WIDTH];
		rivulet_retire_queue #(.XLEN(XLEN), .DEPTH_BITS(DEPTH_BITS)) unit (
			.clk_i(clk_i),
			.rst_i(rst),
			.retire_valid_i(valid),
			.retire_insn_i({slot1[WIDTH-7 -: 32], slot0[WIDTH-7 -: 32]}),
			.retire_pc_i({slot1[2*XLEN+3 -: XLEN], slot0[2*XLEN+3 -: XLEN]}),
			.retire_next_pc_i({slot1[XLEN+3 -: XLEN], slot0[XLEN+3 -: XLEN]}),
			.retire_trap_i({slot1[3], slot0[3]}),
			.retire_intr_i({slot1[2], slot0[2]}),
			.retire_mode_i({slot1[1:0], slot0[1:0]}),
			.retire_cause_i({slot1[WIDTH-1 -: 6], slot0[WIDTH-1 -: 6]}),
			.ready_o(ready),
			.lost_o(lost),
			.retire_valid_o(out_valid),
			.retire_insn_o(out[WIDTH-7 -: 32]),
			.retire_pc_o(out[2*XLEN+3 -: XLEN]),
			.retire_next_pc_o(out[XLEN+3 -: XLEN]),
			.retire_trap_o(out[3]),
			.retire_intr_o(out[2]),
			.retire_mode_o(out[1:0]),
			.retire_cause_o(out[WIDTH-1 -: 6])
		);
		always @* assume (!valid[1] || valid[0]);
		// What is held, and how many are before the one that is followed, any one.
		(* anyseq *) reg follow0;
		(* anyseq *) reg follow1;
		reg [DEPTH_BITS:0] held, ahead;
		reg         have;
		reg [WIDTH-1:0] data;
		initial {held, have} = 0;
		wire        room = held <= (1 << DEPTH_BITS) - 2;
		wire [1:0]  come = room && !rst ? valid : 2'b00;
		always @(posedge clk_i) begin
			held <= rst ? 0 : held + come[0] + come[1] - (held != 0);
			if (!have && come[0] && follow0)
				{have, data, ahead} <= {1'b1, slot0, held - (held != 0)};
			else if (!have && come[1] && follow1)
				{have, data, ahead} <= {1'b1, slot1, held - (held != 0) + {{DEPTH_BITS{1'b0}}, 1'b1}};
			else if (have && ahead == 0)
				have <= 1'b0;
			else
				ahead <= ahead - 1;
			if (rst)
				have <= 1'b0;
			ready_q <= ready;
		end
		if (CHECK == QUEUE) begin : g_queue
			always @* if (!rst) assert (out_valid == (held != 0));
			always @* if (!rst) assert (lost == (valid != 2'b00 && !room));
			always @* if (!rst && have && ahead == 0) assert (out_valid && out[BIT] == data[BIT]);
		end else begin : g_room
			// A core that retires nothing in the cycle behind one in which ready was 0 loses nothing.
			always @* assume (ready_q || valid == 2'b00);
			always @* if (!rst) assert (!lost);
		end
	end
	endcase
	endgenerate
`include "rivulet_regs.vh"
endmodule
`default_nettype wire
