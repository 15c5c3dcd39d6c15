// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Machine-mode CSRs, counters, trap entry and return (docs/core.md section 6). Cost: about 550 LUT4, 250 of them the counters.
`default_nettype none
module rivulet_csr #(
	parameter [0:0] WITH_C = 1,
	parameter [0:0] WITH_M = 1,
	parameter [0:0] WITH_COUNTERS = 1,   // mcycle and minstret; else they read 0
	parameter [0:0] WITH_TRACE_CSR = 1,  // 0x7C0 to 0x7FF are the trace unit's
	parameter [0:0] WITH_PMP = 0         // pmpcfg0..3 and pmpaddr0..15 exist, elsewhere
) (
	input  wire        clk_i,
	input  wire        rst_i,
	input  wire        irq_soft_i,
	input  wire        irq_timer_i,
	input  wire        irq_ext_i,
	input  wire        irq_trace_i,
	// access by the instruction in X: combinational read, write at the end of the cycle with write_i
	input  wire [11:0] addr_i,
	input  wire        read_i,           // 0: rdata_o is 0
	input  wire        wants_write_i,    // it writes, if legal: for the check alone
	input  wire        write_i,
	input  wire [1:0]  op_i,             // funct3[1:0]: 1 write, 2 set, 3 clear
	input  wire [31:0] src_i,
	input  wire [31:0] pmp_rdata_i,      // value if the register is one of the memory protection, else 0
	output wire        illegal_o,
	output wire        trace_sel_o,      // it is a register of the trace unit: rdata_o is 0
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
	output wire        user_o,           // the mode is U
	output wire        data_user_o,      // loads and stores have the rights of U
	output wire        tw_o,
	output wire        irq_take_o,       // an interrupt is to be taken
	output wire        irq_wake_o,       // an enabled interrupt is pending: ends WFI
	output wire [4:0]  irq_cause_o
);
	localparam [31:0] MIMPID = 32'h52495631; // "RIV1"

	reg        mie_q, mpie_q, mpp_q, mprv_q, tw_q, user_q;
	reg [3:0]  ie_q;                         // trace, external, timer, software
	reg        vectored_q, cause_irq_q, cy_q, ir_q;
	reg [31:2] tvec_q;
	reg [31:1] epc_q;
	reg [4:0]  cause_q;
	reg [31:0] tval_q, scratch_q;
	reg [63:0] cycle_q, instret_q;

	// Interrupts
	wire [3:0] pending = {irq_trace_i, irq_ext_i, irq_timer_i, irq_soft_i};
	wire [3:0] active = pending & ie_q;
	assign irq_wake_o = active != 4'b0;
	assign irq_take_o = irq_wake_o && (mie_q || user_q);
	assign irq_cause_o = active[2] ? 5'd11 : active[0] ? 5'd3 : active[1] ? 5'd7 : 5'd16;

	// Which register
	wire is_mstatus    = addr_i == 12'h300;
	wire is_misa       = addr_i == 12'h301;
	wire is_mie        = addr_i == 12'h304;
	wire is_mtvec      = addr_i == 12'h305;
	wire is_mcounteren = addr_i == 12'h306;
	wire is_mscratch   = addr_i == 12'h340;
	wire is_mepc       = addr_i == 12'h341;
	wire is_mcause     = addr_i == 12'h342;
	wire is_mtval      = addr_i == 12'h343;
	wire is_mip        = addr_i == 12'h344;
	wire is_mimpid     = addr_i == 12'hF13;
	// mcycle B00, mcycleh B80, minstret B02, minstreth B82 and their user views C00...
	wire is_m_counter  = addr_i[11:8] == 4'hB;
	wire is_u_counter  = addr_i[11:8] == 4'hC;
	wire high          = addr_i[7];
	wire n0            = addr_i[6:0] == 7'd0;
	wire n2            = addr_i[6:0] == 7'd2;
	wire n3_31         = addr_i[6:5] == 2'b00 && addr_i[4:0] > 5'd2;
	wire is_cycle      = (is_m_counter || is_u_counter) && n0;
	wire is_instret    = (is_m_counter || is_u_counter) && n2;
	wire is_hpmcounter = is_m_counter && n3_31;
	wire is_zero       = addr_i == 12'h30A || addr_i == 12'h31A || addr_i == 12'h310 || addr_i == 12'h320 ||
		(addr_i[11:5] == 7'h19 && addr_i[4:0] > 5'd2);           // mhpmevent3..31
	wire is_info       = addr_i == 12'hF11 || addr_i == 12'hF12 || is_mimpid || addr_i == 12'hF14 || addr_i == 12'hF15;
	wire is_pmp         = WITH_PMP && (addr_i[11:2] == 10'h0E8 || addr_i[11:4] == 8'h3B);
	assign trace_sel_o = WITH_TRACE_CSR && addr_i[11:6] == 6'h1F;
	wire exists = is_mstatus || is_misa || is_mie || is_mtvec || is_mcounteren || is_mscratch || is_mepc || is_mcause || is_mtval ||
		is_mip || is_cycle || is_instret || is_hpmcounter || is_zero || is_info || trace_sel_o || is_pmp;
	wire counter_denied = user_q && is_u_counter && !(n0 ? cy_q : ir_q);
	assign illegal_o = !exists || counter_denied || (user_q && addr_i[9:8] != 2'b00) || (wants_write_i && addr_i[11:10] == 2'b11);

	// Read: at most one term is not 0.
	wire [31:0] v_mstatus = {10'b0, tw_q, 3'b0, mprv_q, 4'b0, {2{mpp_q}}, 3'b0, mpie_q, 3'b0, mie_q, 3'b0};
	wire [31:0] v_misa = {2'b01, 9'b0, 1'b1, 7'b0, WITH_M, 3'b0, 1'b1, 5'b0, WITH_C, 2'b0};
	wire [31:0] v_mie = {15'b0, ie_q[3], 4'b0, ie_q[2], 3'b0, ie_q[1], 3'b0, ie_q[0], 3'b0};
	wire [31:0] v_mip = {15'b0, pending[3], 4'b0, pending[2], 3'b0, pending[1], 3'b0, pending[0], 3'b0};
	wire [31:0] v_cycle = high ? cycle_q[63:32] : cycle_q[31:0];
	wire [31:0] v_instret = high ? instret_q[63:32] : instret_q[31:0];
	assign rdata_o =
		({32{read_i && is_mstatus}} & v_mstatus) | ({32{read_i && is_misa}} & v_misa) | ({32{read_i && is_mie}} & v_mie) | ({32{read_i && is_mip}} & v_mip) |
		({32{read_i && is_mtvec}} & {tvec_q, 1'b0, vectored_q}) | ({32{read_i && is_mcounteren}} & {29'b0, ir_q, 1'b0, cy_q}) |
		({32{read_i && is_mscratch}} & scratch_q) | ({32{read_i && is_mepc}} & {epc_q, 1'b0}) |
		({32{read_i && is_mcause}} & {cause_irq_q, 26'b0, cause_q}) | ({32{read_i && is_mtval}} & tval_q) |
		({32{read_i && is_cycle}} & v_cycle) | ({32{read_i && is_instret}} & v_instret) | ({32{read_i && is_mimpid}} & MIMPID) | ({32{WITH_PMP && read_i}} & pmp_rdata_i);

	assign wdata_o = op_i[1] ? (op_i[0] ? old_i & ~src_i : old_i | src_i) : src_i;
	wire [31:0] w = wdata_o;
	assign writes_instret_o = write_i && is_m_counter && n2;
	wire write_cycle = write_i && is_m_counter && n0;

	assign vector_o = {tvec_q[31:7], trap_irq_i && vectored_q ? trap_cause_i : tvec_q[6:2], 1'b0};
	assign mepc_o = epc_q;
	assign user_o = user_q;
	assign data_user_o = user_q || (mprv_q && !mpp_q);
	assign tw_o = tw_q;

	always @(posedge clk_i) begin
		if (write_i) begin
			if (is_mstatus) begin
				mie_q <= w[3];
				mpie_q <= w[7];
				if (w[12] == w[11])
					mpp_q <= w[11];
				mprv_q <= w[17];
				tw_q <= w[21];
			end
			if (is_mie)
				ie_q <= {w[16], w[11], w[7], w[3]};
			if (is_mtvec) begin
				vectored_q <= w[0];
				tvec_q <= {w[31:7], w[0] ? 5'b0 : w[6:2]};
			end
			if (is_mcounteren)
				{ir_q, cy_q} <= {w[2], w[0]};
		end
		if (write_i && is_mscratch)
			scratch_q <= w;
		if (trap_i || (write_i && is_mepc))
			epc_q <= trap_i ? trap_pc_i : {w[31:2], w[1] && WITH_C};
		if (trap_i || (write_i && is_mcause))
			{cause_irq_q, cause_q} <= trap_i ? {trap_irq_i, trap_cause_i} : {w[31], w[4:0]};
		if (trap_i || (write_i && is_mtval))
			tval_q <= trap_i ? trap_tval_i : w;
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
			tval_q <= 32'b0;
			scratch_q <= 32'b0;
		end
	end

	generate if (WITH_COUNTERS) begin : g_counters
		// What is written does not come from the sum, so the write itself may be the second operand: counter and load are one LUT4 a bit.
		wire cycle_hi = write_cycle && high, cycle_lo = write_cycle && !high;
		wire instret_hi = writes_instret_o && high, instret_lo = writes_instret_o && !high;
		wire [64:0] cycle_sum = {cycle_q, 1'b1} + {{32{cycle_hi}}, {32{cycle_lo}}, 1'b1};
		wire [64:0] instret_sum = {instret_q, 1'b1} + {{32{instret_hi}}, {32{instret_lo}}, retire_i};
		always @(posedge clk_i) begin
			// A half that is written does not count; the other keeps its value.
			if (!cycle_lo)
				cycle_q[63:32] <= cycle_hi ? w : cycle_sum[64:33];
			if (!cycle_hi)
				cycle_q[31:0] <= cycle_lo ? w : cycle_sum[32:1];
			if (!instret_lo)
				instret_q[63:32] <= instret_hi ? w : instret_sum[64:33];
			if (!instret_hi)
				instret_q[31:0] <= instret_lo ? w : instret_sum[32:1];
			if (rst_i) begin
				cycle_q <= 64'd0;
				instret_q <= 64'd0;
			end
		end
	end else begin : g_no_counters
		always @* begin
			cycle_q = 64'd0;
			instret_q = 64'd0;
		end
	end endgenerate
endmodule
`default_nettype wire
