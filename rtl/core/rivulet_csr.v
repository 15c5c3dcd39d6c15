// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Machine-mode CSRs, counters, trap entry and return (docs/core.md section 6). Cost: about 550 LUT4, 235 of them the counters.
`default_nettype none
// verilator lint_save
// verilator lint_off UNUSED
`ifndef RIVULET_COUNTER
`define RIVULET_COUNTER rivulet_counter
`endif
module rivulet_csr #(
	parameter [0:0] WITH_C = 1,
	parameter [0:0] WITH_M = 1,
	parameter [0:0] WITH_COUNTERS = 1,   // mcycle and minstret; else they read 0
	parameter [0:0] WITH_TRACE_CSR = 1,  // TRACE_CSR_BASE and the 63 behind it are the trace unit's
	parameter [11:0] TRACE_CSR_BASE = 12'h7C0, // Requires: 0x7C0 or 0xBC0, the machine's custom read/write CSRs
	parameter [0:0] IN_RAM = 0,          // mscratch and mtval
	parameter [0:0] WITH_PMP = 0,        // pmpcfg0..3 and pmpaddr0..15 exist, elsewhere
	parameter [31:0] HARTID = 0          // mhartid; 0 costs nothing
) (
	input  wire        clk_i,
	input  wire        rst_i,
	input  wire        irq_soft_i,
	input  wire        irq_timer_i,
	input  wire        irq_ext_i,
	input  wire        irq_trace_i,
	// Access by the instruction in X. In the cycle with first_i it is found out which register it is and whether the access is legal; the
	// cycle behind it reads, and writes at its end with write_i. In other cycles rdata_o is 0 and illegal_o has no meaning.
	input  wire [11:0] addr_i,
	input  wire        first_i,
	input  wire        wants_write_i,    // it writes, if legal
	input  wire        write_i,          // writes_o, and nothing came between
	input  wire [1:0]  op_i,             // funct3[1:0]: 1 write, 2 set, 3 clear
	input  wire [31:0] src_i,
	input  wire [31:0] pmp_rdata_i,      // value if the register is one of the memory protection, else 0
	output wire        trace_first_o,    // first cycle: it is a register of the trace unit
	output reg         illegal_o,
	output reg         trace_sel_o,      // it is a register of the trace unit: rdata_o is 0
	output reg         writes_o,         // it is legal and writes
	output wire [31:0] rdata_o,
	input  wire [31:0] old_i,            // value that set and clear start from: rdata_o, or the trace unit's
	output wire [31:0] wdata_o,          // value to write
	output wire        writes_instret_o, // this write hits minstret or minstreth
	// trap entry (W) and return (X); never both
	input  wire        trap_i,
	input  wire        trap_irq_i,
	input  wire [4:0]  trap_cause_i,
	input  wire [31:0] trap_tval_i,
	input  wire [31:1] trap_pc_i,
	input  wire        mret_i,
	input  wire        retire_i,         // minstret counts
	output wire [31:1] vector_o,         // target of the trap, with trap_i
	output wire [31:1] mepc_o,
	// state
	output wire [5:0]  cause_o,          // mcause: its top bit, its low five
	output wire        user_o,           // the mode is U
	output wire        data_user_o,      // loads and stores have the rights of U
	output wire        tw_o,
	output wire        irq_take_o,       // an interrupt is to be taken
	output wire        irq_wake_o,       // an enabled interrupt is pending: ends WFI
	output wire [4:0]  irq_cause_o
);
	localparam [31:0] IMPLEMENTATION = 32'h52495631; // "RIV1"

	reg        mie_q, mpie_q, mpp_q, mprv_q, tw_q, user_q;
	reg [3:0]  ie_q;                         // trace, external, timer, software
	reg        vectored_q, cause_irq_q, cy_q, ir_q;
	reg [31:2] tvec_q;
	reg [31:1] epc_q;
	reg [4:0]  cause_q;
	wire [63:0] cycle, instret;

	// Interrupts
	wire [3:0] pending = {irq_trace_i, irq_ext_i, irq_timer_i, irq_soft_i};
	wire [3:0] active = pending & ie_q;
	assign irq_wake_o = active != 4'b0;
	assign irq_take_o = irq_wake_o && (mie_q || user_q);
	assign irq_cause_o = active[2] ? 5'd11 : active[0] ? 5'd3 : active[1] ? 5'd7 : 5'd16;

	// Which register
	localparam MSTATUS = 0, MISA = 1, MIE = 2, MTVEC = 3, MCOUNTEREN = 4, MSCRATCH = 5, MEPC = 6, MCAUSE = 7, MTVAL = 8, MIP = 9, MIMPID = 10,
		CYCLE = 11, CYCLEH = 12, INSTRET = 13, INSTRETH = 14, REGISTERS = 15;
	wire [REGISTERS-1:0] is;
	reg  [REGISTERS-1:0] is_q;
	assign is[MSTATUS]    = addr_i == 12'h300;
	assign is[MISA]       = addr_i == 12'h301;
	assign is[MIE]        = addr_i == 12'h304;
	assign is[MTVEC]      = addr_i == 12'h305;
	assign is[MCOUNTEREN] = addr_i == 12'h306;
	assign is[MSCRATCH]   = addr_i == 12'h340;
	assign is[MEPC]       = addr_i == 12'h341;
	assign is[MCAUSE]     = addr_i == 12'h342;
	assign is[MTVAL]      = addr_i == 12'h343;
	assign is[MIP]        = addr_i == 12'h344;
	assign is[MIMPID]     = addr_i == 12'hF13;
	// mcycle B00, mcycleh B80, minstret B02, minstreth B82 and their user views C00...
	wire is_m_counter  = addr_i[11:8] == 4'hB;
	wire is_u_counter  = addr_i[11:8] == 4'hC;
	wire high          = addr_i[7];
	wire n0            = addr_i[6:0] == 7'd0;
	wire n2            = addr_i[6:0] == 7'd2;
	wire n3_31         = addr_i[6:5] == 2'b00 && addr_i[4:0] > 5'd2;
	wire is_counter    = is_m_counter || is_u_counter;
	assign is[CYCLE]      = is_counter && n0 && !high;
	assign is[CYCLEH]     = is_counter && n0 && high;
	assign is[INSTRET]    = is_counter && n2 && !high;
	assign is[INSTRETH]   = is_counter && n2 && high;
	wire is_hpmcounter = is_m_counter && n3_31;
	wire is_zero       = addr_i == 12'h30A || addr_i == 12'h31A || addr_i == 12'h310 || addr_i == 12'h320 ||
		addr_i[11:1] == 11'h3D0 ||                              // tselect, tdata1: there is no trigger
		(addr_i[11:5] == 7'h19 && addr_i[4:0] > 5'd2);           // mhpmevent3..31
	wire is_info       = addr_i == 12'hF11 || addr_i == 12'hF12 || addr_i == 12'hF14 || addr_i == 12'hF15;
	wire is_pmp         = WITH_PMP && (addr_i[11:2] == 10'h0E8 || addr_i[11:4] == 8'h3B);
	assign trace_first_o = WITH_TRACE_CSR && addr_i[11:6] == TRACE_CSR_BASE[11:6];
	wire exists = is != {REGISTERS{1'b0}} || is_hpmcounter || is_zero || is_info || trace_first_o || is_pmp;
	wire counter_denied = user_q && is_u_counter && !(n0 ? cy_q : ir_q);
	wire illegal = !exists || counter_denied || (user_q && addr_i[9:8] != 2'b00) || (wants_write_i && addr_i[11:10] == 2'b11);
	always @(posedge clk_i) begin
		is_q <= is & {REGISTERS{first_i}};
		trace_sel_o <= trace_first_o && first_i;
		illegal_o <= illegal;
		writes_o <= first_i && !illegal && wants_write_i;
	end

	reg hartid_q;
	always @(posedge clk_i)
		hartid_q <= HARTID != 32'd0 && addr_i == 12'hF14 && first_i;

	// Read: at most one term is not 0.
	wire [31:0] v_mstatus = {10'b0, tw_q, 3'b0, mprv_q, 4'b0, {2{mpp_q}}, 3'b0, mpie_q, 3'b0, mie_q, 3'b0};
	wire [31:0] v_misa = {2'b01, 9'b0, 1'b1, 7'b0, WITH_M, 3'b0, 1'b1, 5'b0, WITH_C, 2'b0};
	wire [31:0] v_mie = {15'b0, ie_q[3], 4'b0, ie_q[2], 3'b0, ie_q[1], 3'b0, ie_q[0], 3'b0};
	wire [31:0] scratch_rdata, mscratch, mtval;
	rivulet_scratch #(.IN_RAM(IN_RAM)) scratch (
		.clk_i(clk_i),
		.rst_i(rst_i),
		.read_scratch_i(first_i && is[MSCRATCH]),
		.read_tval_i(first_i && is[MTVAL]),
		.rdata_o(scratch_rdata),
		.write_scratch_i(write_i && is_q[MSCRATCH]),
		.write_tval_i(trap_i || (write_i && is_q[MTVAL])),
		.wdata_i(trap_i ? trap_tval_i : wdata_o),
		.scratch_o(mscratch),
		.tval_o(mtval)
	);
	wire [31:0] v_mip = {15'b0, pending[3], 4'b0, pending[2], 3'b0, pending[1], 3'b0, pending[0], 3'b0};
	assign rdata_o =
		({32{is_q[MSTATUS]}} & v_mstatus) | ({32{is_q[MISA]}} & v_misa) | ({32{is_q[MIE]}} & v_mie) | ({32{is_q[MIP]}} & v_mip) |
		({32{is_q[MTVEC]}} & {tvec_q, 1'b0, vectored_q}) | ({32{is_q[MCOUNTEREN]}} & {29'b0, ir_q, 1'b0, cy_q}) |
		({32{is_q[MEPC]}} & {epc_q, 1'b0}) | ({32{is_q[MCAUSE]}} & {cause_irq_q, 26'b0, cause_q}) | scratch_rdata |
		({32{is_q[CYCLE]}} & cycle[31:0]) | ({32{is_q[CYCLEH]}} & cycle[63:32]) |
		({32{is_q[INSTRET]}} & instret[31:0]) | ({32{is_q[INSTRETH]}} & instret[63:32]) |
		({32{is_q[MIMPID]}} & IMPLEMENTATION) | ({32{hartid_q}} & HARTID) | pmp_rdata_i;

	assign wdata_o = op_i[1] ? (op_i[0] ? old_i & ~src_i : old_i | src_i) : src_i;
	wire [31:0] w = wdata_o;
	assign writes_instret_o = write_i && (is_q[INSTRET] || is_q[INSTRETH]);

	assign vector_o = {tvec_q[31:7], trap_irq_i && vectored_q ? trap_cause_i : tvec_q[6:2], 1'b0};
	assign mepc_o = epc_q;
	assign cause_o = {cause_irq_q, cause_q};
	assign user_o = user_q;
	assign data_user_o = user_q || (mprv_q && !mpp_q);
	assign tw_o = tw_q;

	always @(posedge clk_i) begin
		if (write_i) begin
			if (is_q[MSTATUS]) begin
				mie_q <= w[3];
				mpie_q <= w[7];
				if (w[12] == w[11])
					mpp_q <= w[11];
				mprv_q <= w[17];
				tw_q <= w[21];
			end
			if (is_q[MIE])
				ie_q <= {w[16], w[11], w[7], w[3]};
			if (is_q[MTVEC]) begin
				vectored_q <= w[0];
				tvec_q <= {w[31:7], w[0] ? 5'b0 : w[6:2]};
			end
			if (is_q[MCOUNTEREN])
				{ir_q, cy_q} <= {w[2], w[0]};
		end
		if (trap_i || (write_i && is_q[MEPC]))
			epc_q <= trap_i ? trap_pc_i : {w[31:2], w[1] && WITH_C};
		if (trap_i || (write_i && is_q[MCAUSE]))
			{cause_irq_q, cause_q} <= trap_i ? {trap_irq_i, trap_cause_i} : {w[31], w[4:0]};
		if (mret_i) begin
			mie_q <= mpie_q;
			mpie_q <= 1'b1;
			user_q <= !mpp_q;
			mpp_q <= 1'b0;
			if (!mpp_q)
				mprv_q <= 1'b0;
		end
		if (trap_i) begin
			mpie_q <= mie_q;
			mie_q <= 1'b0;
			mpp_q <= !user_q;
			user_q <= 1'b0;
		end
		if (rst_i) begin
			{mie_q, mpie_q, mpp_q, mprv_q, tw_q, user_q} <= 6'b0;
			ie_q <= 4'b0;
			{vectored_q, cause_irq_q, cy_q, ir_q} <= 4'b0;
			tvec_q <= 30'b0;
			epc_q <= 31'b0;
			cause_q <= 5'b0;
		end
	end

	// A counter does not count while one of its halves is written.
	generate if (WITH_COUNTERS) begin : g_counters
		wire cycle_hi = write_i && is_q[CYCLEH], cycle_lo = write_i && is_q[CYCLE];
		wire instret_hi = write_i && is_q[INSTRETH], instret_lo = write_i && is_q[INSTRET];
		`RIVULET_COUNTER count_cycle (
			.clk_i(clk_i),
			.rst_i(rst_i),
			.count_i(!cycle_hi),
			.write_lo_i(cycle_lo),
			.write_hi_i(cycle_hi),
			.wdata_i(w),
			.value_o(cycle)
		);
		`RIVULET_COUNTER count_instret (
			.clk_i(clk_i),
			.rst_i(rst_i),
			.count_i(retire_i && !instret_hi),
			.write_lo_i(instret_lo),
			.write_hi_i(instret_hi),
			.wdata_i(w),
			.value_o(instret)
		);
	end else begin : g_no_counters
		assign cycle = 64'd0;
		assign instret = 64'd0;
	end endgenerate
endmodule
// verilator lint_restore
`default_nettype wire
