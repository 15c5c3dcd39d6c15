// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// An encoder of RISC-V N-Trace 1.0 on the retire port of the trace unit, with the registers of the Trace Control Interface 1.0 and a RAM sink.
// docs/ntrace-encoder.md is its manual: what each parameter is and costs. With the defaults it is HTM with periodic synchronisation.
`default_nettype none
// verilator lint_save
// verilator lint_off UNUSED
module rivulet_ntrace #(
	parameter XLEN = 32,                     // 32, 64
	parameter QUEUE_DEPTH = 64,              // events: a power of two from 8 to 512
	parameter HIST = 31,                     // outcomes of a full history: 8 to 31
	parameter RETURNS = 0,                   // return stack: 0, or a power of two from 2 to 32
	parameter FILTERS = 0,                   // 0 to 4, each with a range of addresses
	parameter TIME_BITS = 0,                 // timestamps: 0, or 8 to 63
	parameter CONTEXT_BITS = 0,              // of context_i: 0 to 32. Requires: WITH_OWNER
	parameter SRC_BITS = 0,                  // trTeSrcBits: 0 to 12
	parameter SINK_WORDS = 1024,             // SRAM sink: a power of two from 16 to 16384, or 0: see WITH_SMEM
	// Options are 0 or 1. They have no type, so that rivulet_ntrace_legal sees a 2, which one bit would make a 0.
	parameter WITH_SMEM = 0,                 // SINK_WORDS 0: a sink that writes memory of the system; else the byte port alone
	parameter WITH_BTM = 0,                  // trTeInstMode 3 beside 6
	parameter WITH_REPEAT = 0,               // repeated history, RepeatBranch
	parameter WITH_EXTEND = 0,               // trTeInstExtendAddrMSB
	parameter WITH_OWNER = 0,                // Ownership messages
	parameter WITH_STALL = 0,                // stall_o
	parameter WITH_ZCMP = 0,                 // these three as of rivulet_trace
	parameter [31:0] RET_MATCH = 32'd0,
	parameter [31:0] RET_MASK = 32'd0,
	parameter CONTEXT_W = CONTEXT_BITS > 0 ? CONTEXT_BITS : 1
) (
	input  wire            clk_i,
	input  wire            rst_i,            // synchronous
	// Retire port: as of rivulet_trace. Registered here before anything else.
	input  wire            retire_valid_i,
	input  wire [31:0]     retire_insn_i,
	input  wire [XLEN-1:0] retire_pc_i,
	input  wire [XLEN-1:0] retire_next_pc_i,
	input  wire            retire_trap_i,
	input  wire            retire_intr_i,
	input  wire [1:0]      retire_mode_i,
	input  wire [CONTEXT_W-1:0] context_i,   // scontext, with the retirement; ignored with CONTEXT_BITS 0
	input  wire            debug_i,          // level: the hart is in debug mode; 0 if there is none
	// Level, registered: with trTeInstStallEna, the core stops retiring within QUEUE_DEPTH / 8 - 3 cycles; 0 otherwise
	output wire            stall_o,
	// Register bus: two blocks of 4 KiB, the encoder's first, then the sink's; index is the address in words. reg_rdata_o in a cycle is the register
	// of reg_index_i in the cycle before. reg_read_i: this is a read, which moves trRamRP on if it is one of trRamData.
	input  wire            reg_write_i,
	input  wire            reg_read_i,
	input  wire [10:0]     reg_index_i,
	input  wire [31:0]     reg_wdata_i,
	output reg  [31:0]     reg_rdata_o,
	// Bytes as they are made, first byte first; valid until ready. With a sink they are for observation, and byte_ready_i is ignored.
	output wire            byte_valid_o,
	output wire [7:0]      byte_o,
	input  wire            byte_ready_i,
	// WITH_SMEM: words for the system's memory; valid until ready
	output wire            mem_valid_o,
	output wire [31:0]     mem_addr_o,
	output wire [31:0]     mem_wdata_o,
	input  wire            mem_ready_i
);
	localparam ACC_BITS = 6, OWNER_BITS = 2 + CONTEXT_W, TIME_W = TIME_BITS > 0 ? TIME_BITS : 1;
	localparam [0:0] WITH_SINK = SINK_WORDS > 0 || WITH_SMEM != 0;
	rivulet_ntrace_legal #(
		.XLEN(XLEN),
		.QUEUE_DEPTH(QUEUE_DEPTH),
		.HIST(HIST),
		.RETURNS(RETURNS),
		.FILTERS(FILTERS),
		.TIME_BITS(TIME_BITS),
		.CONTEXT_BITS(CONTEXT_BITS),
		.SRC_BITS(SRC_BITS),
		.SINK_WORDS(SINK_WORDS),
		.WITH_SMEM(WITH_SMEM),
		.WITH_BTM(WITH_BTM),
		.WITH_REPEAT(WITH_REPEAT),
		.WITH_EXTEND(WITH_EXTEND),
		.WITH_OWNER(WITH_OWNER),
		.WITH_STALL(WITH_STALL),
		.WITH_ZCMP(WITH_ZCMP)
	) legal ();

	// ---------------------------------------------------------------- stage S
	reg            s_valid_q, s_trap_q, s_intr_q, s_debug_q;
	reg [1:0]      s_mode_q;
	reg [31:0]     s_insn_q;
	reg [XLEN-1:0] s_pc_q, s_next_pc_q;
	reg [CONTEXT_W-1:0] s_context_q;
	always @(posedge clk_i) begin
		s_valid_q <= retire_valid_i && !rst_i;
		s_debug_q <= debug_i && !rst_i;
		s_trap_q <= retire_trap_i;
		s_intr_q <= retire_intr_i;
		s_mode_q <= retire_mode_i;
		s_insn_q <= retire_insn_i;
		s_pc_q <= retire_pc_i;
		s_next_pc_q <= retire_next_pc_i;
		s_context_q <= context_i & {CONTEXT_W{CONTEXT_BITS > 0}};
	end
	wire       wide;
	wire [3:0] s_kind;
	rivulet_ntrace_class #(
		.XLEN(XLEN),
		.WITH_ZCMP(WITH_ZCMP),
		.RET_MATCH(RET_MATCH),
		.RET_MASK(RET_MASK)
	) classes (
		.insn_i(s_insn_q),
		.pc_i(s_pc_q),
		.next_pc_i(s_next_pc_q),
		.wide_o(wide),
		.kind_o(s_kind)
	);

	// ---------------------------------------------------------------- registers
	wire        active, on, history, extend, returns, repeats, owner, stall, time_on, match, drop, events_idle, encode_idle, queue_empty;
	wire [TIME_W-1:0] now;
	wire [1:0]  sync_mode;
	wire [3:0]  sync_max;
	wire [11:0] src;
	wire [31:0] read_encoder, read_sink;
	// An event that was pushed in the cycle before is in the queue already; one of stage S needs tracing to be on.
	wire        empty = events_idle && !on && queue_empty && encode_idle;
	wire        off = rst_i || !active;      // as after reset
	wire        stalled;
	rivulet_ntrace_regs #(
		.XLEN(XLEN),
		.RETURNS(RETURNS),
		.WITH_BTM(WITH_BTM),
		.WITH_REPEAT(WITH_REPEAT),
		.WITH_EXTEND(WITH_EXTEND),
		.WITH_OWNER(WITH_OWNER),
		.WITH_STALL(WITH_STALL),
		.FILTERS(FILTERS),
		.TIME_BITS(TIME_BITS),
		.SRC_BITS(SRC_BITS)
	) regs (
		.clk_i(clk_i),
		.rst_i(rst_i),
		.write_i(reg_write_i && !reg_index_i[10]),
		.index_i(reg_index_i[9:0]),
		.wdata_i(reg_wdata_i),
		.rdata_o(read_encoder),
		.empty_i(empty),
		.lost_i(drop || stalled),
		.s_pc_i(s_pc_q),
		.s_mode_i(s_mode_q),
		.s_match_o(match),
		.active_o(active),
		.on_o(on),
		.history_o(history),
		.extend_o(extend),
		.returns_o(returns),
		.repeat_o(repeats),
		.owner_o(owner),
		.stall_o(stall),
		.time_on_o(time_on),
		.time_o(now),
		.sync_mode_o(sync_mode),
		.sync_max_o(sync_max),
		.src_o(src)
	);
	always @(posedge clk_i)
		reg_rdata_o <= reg_index_i[10] ? read_sink : read_encoder;

	// ---------------------------------------------------------------- events
	wire       push, full, room, first, lost, debug, odd, own, valid, pop;
	wire [3:0] kind, ev_kind;
	wire [ACC_BITS-1:0] acc, ev_acc;
	wire       ev_first, ev_lost, ev_debug, ev_odd, ev_own, ev_wide;
	wire [XLEN-1:1] ev_pc, ev_next;
	wire [OWNER_BITS-1:0] ev_owner;
	wire [OWNER_BITS-1:0] s_owner = {s_context_q, s_mode_q};
	wire [TIME_W-1:0] ev_time;
	rivulet_ntrace_events #(.XLEN(XLEN), .ACC_BITS(ACC_BITS), .WITH_OWNER(WITH_OWNER), .OWNER_BITS(OWNER_BITS)) events (
		.clk_i(clk_i),
		.rst_i(off),
		.s_valid_i(s_valid_q),
		.s_trap_i(s_trap_q),
		.s_intr_i(s_intr_q),
		.s_debug_i(s_debug_q),
		.s_pc_i(s_pc_q[XLEN-1:1]),
		.s_next_pc_i(s_next_pc_q[XLEN-1:1]),
		.s_owner_i(s_owner),
		.s_wide_i(wide),
		.s_kind_i(s_kind),
		.s_match_i(match),
		.on_i(on),
		.history_i(history),
		.calls_i(returns),
		.owner_i(owner),
		.full_i(full),
		.room_i(room),
		.push_o(push),
		.kind_o(kind),
		.first_o(first),
		.lost_o(lost),
		.debug_o(debug),
		.odd_o(odd),
		.own_o(own),
		.acc_o(acc),
		.drop_o(drop),
		.idle_o(events_idle)
	);
	// What an option would need is not in the queue without it.
	localparam WIDTH = 10 + ACC_BITS + 2 * (XLEN - 1) + (WITH_OWNER ? OWNER_BITS : 0) + TIME_BITS;
	localparam BASE = 10 + ACC_BITS + 2 * (XLEN - 1);
	wire [WIDTH-1:0] event_in, event_out;
	assign event_in[BASE-1:0] = {kind, first, lost, debug, odd, own, wide, acc, s_pc_q[XLEN-1:1], s_next_pc_q[XLEN-1:1]};
	assign {ev_kind, ev_first, ev_lost, ev_debug, ev_odd, ev_own, ev_wide, ev_acc, ev_pc, ev_next} = event_out[BASE-1:0];
	generate if (WITH_OWNER) begin : g_owner
		assign event_in[BASE +: OWNER_BITS] = s_owner;
		assign ev_owner = event_out[BASE +: OWNER_BITS];
	end else begin : g_no_owner
		assign ev_owner = {OWNER_BITS{1'b0}};
	end endgenerate
	generate if (TIME_BITS > 0) begin : g_time
		assign event_in[WIDTH-1 -: TIME_BITS] = now;
		assign ev_time = event_out[WIDTH-1 -: TIME_BITS];
	end else begin : g_no_time
		assign ev_time = 1'b0;
	end endgenerate
	wire nearly_full;
	rivulet_ntrace_queue #(.WIDTH(WIDTH), .DEPTH(QUEUE_DEPTH)) queue (
		.clk_i(clk_i),
		.rst_i(off),
		.push_i(push),
		.data_i(event_in),
		.full_o(full),
		.room_o(room),
		.nearly_full_o(nearly_full),
		.empty_o(queue_empty),
		.valid_o(valid),
		.data_o(event_out),
		.pop_i(pop)
	);
	generate if (WITH_STALL) begin : g_stall
		reg stall_q;
		always @(posedge clk_i)
			stall_q <= stall && nearly_full && !off;
		assign stalled = stall_q;
	end else begin : g_no_stall
		assign stalled = 1'b0;
	end endgenerate
	assign stall_o = stalled;

	// ---------------------------------------------------------------- messages, bytes
	wire       byte_valid, byte_ready;
	wire [7:0] byte_data;
	rivulet_ntrace_encode #(
		.XLEN(XLEN),
		.ACC_BITS(ACC_BITS),
		.HIST(HIST),
		.RETURNS(RETURNS),
		.WITH_BTM(WITH_BTM),
		.WITH_REPEAT(WITH_REPEAT),
		.WITH_EXTEND(WITH_EXTEND),
		.WITH_OWNER(WITH_OWNER),
		.CONTEXT_BITS(CONTEXT_BITS),
		.TIME_BITS(TIME_BITS),
		.SRC_BITS(SRC_BITS)
	) encode (
		.clk_i(clk_i),
		.rst_i(off),
		.history_i(history),
		.extend_i(extend),
		.returns_i(returns),
		.repeat_i(repeats),
		.owner_i(owner),
		.time_i(time_on),
		.sync_mode_i(sync_mode),
		.sync_max_i(sync_max),
		.src_i(src),
		.ev_valid_i(valid),
		.ev_kind_i(ev_kind),
		.ev_first_i(ev_first),
		.ev_lost_i(ev_lost),
		.ev_debug_i(ev_debug),
		.ev_odd_i(ev_odd),
		.ev_own_i(ev_own),
		.ev_wide_i(ev_wide),
		.ev_acc_i(ev_acc),
		.ev_pc_i(ev_pc),
		.ev_next_i(ev_next),
		.ev_owner_i(ev_owner),
		.ev_time_i(ev_time),
		.ev_pop_o(pop),
		.idle_o(encode_idle),
		.byte_valid_o(byte_valid),
		.byte_o(byte_data),
		.byte_ready_i(byte_ready)
	);
	assign byte_valid_o = byte_valid;
	assign byte_o = byte_data;
	generate if (WITH_SINK) begin : g_sink
		rivulet_ntrace_sink #(.WORDS(SINK_WORDS)) sink (
			.clk_i(clk_i),
			.rst_i(rst_i),
			.write_i(reg_write_i && reg_index_i[10]),
			.read_i(reg_read_i && reg_index_i[10]),
			.index_i(reg_index_i[9:0]),
			.wdata_i(reg_wdata_i),
			.rdata_o(read_sink),
			.byte_valid_i(byte_valid),
			.byte_i(byte_data),
			.byte_ready_o(byte_ready),
			.mem_valid_o(mem_valid_o),
			.mem_addr_o(mem_addr_o),
			.mem_wdata_o(mem_wdata_o),
			.mem_ready_i(mem_ready_i)
		);
	end else begin : g_no_sink
		assign read_sink = 32'd0;
		assign byte_ready = byte_ready_i;
		assign mem_valid_o = 1'b0;
		assign mem_addr_o = 32'd0;
		assign mem_wdata_o = 32'd0;
	end endgenerate
endmodule
// verilator lint_restore
`default_nettype wire
