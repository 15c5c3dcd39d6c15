// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// A small multi-cycle RV32I core, the example of docs/integration.md: someone else's core that is to carry the trace unit.
// It shares nothing with rtl/core. Machine mode only, direct vector, one external interrupt (cause 11); one Wishbone port.
// An instruction takes 3 cycles and the waits of its fetch; a load or store 1 more and its waits.
`default_nettype none
module minimal_core #(
	parameter [31:0] RESET_PC = 32'h0
) (
	input  wire        clk_i,
	input  wire        rst_i,                // synchronous
	input  wire        irq_i,                // level
	// Wishbone B4 classic master: everything is held until ack or err, which last one cycle
	output wire        wb_cyc_o,
	output wire        wb_stb_o,
	output wire        wb_we_o,
	output wire [31:2] wb_adr_o,
	output wire [3:0]  wb_sel_o,
	output wire [31:0] wb_dat_o,
	input  wire [31:0] wb_dat_i,
	input  wire        wb_ack_i,
	input  wire        wb_err_i,
	// RVFI, as far as the trace unit looks at it
	output reg         rvfi_valid,
	output reg  [31:0] rvfi_insn,
	output reg  [31:0] rvfi_pc_rdata,
	output reg  [31:0] rvfi_pc_wdata,
	output reg         rvfi_trap,
	output reg         rvfi_intr,
	output wire [1:0]  rvfi_mode
);
	localparam [1:0] START = 2'd0, FETCH = 2'd1, EXECUTE = 2'd2, MEMORY = 2'd3;
	reg [1:0]  state_q;
	reg [31:0] pc_q, insn_q, addr_q, store_q;
	reg [3:0]  sel_q;
	reg        in_handler_q;                 // the next instruction is the first of a handler
	reg [31:0] x [0:31];

	// machine state
	reg        mie_q, mpie_q, meie_q;
	reg [31:0] mtvec_q, mepc_q, mcause_q, mtval_q, mscratch_q;
	reg [63:0] mcycle_q;

	// ---------------------------------------------------------------- fields
	wire [6:0] opcode = insn_q[6:0];
	wire [2:0] f3 = insn_q[14:12];
	wire [4:0] rd = insn_q[11:7];
	wire [31:0] a = insn_q[19:15] == 5'd0 ? 32'd0 : x[insn_q[19:15]];
	wire [31:0] b = insn_q[24:20] == 5'd0 ? 32'd0 : x[insn_q[24:20]];
	wire [31:0] imm_i = {{20{insn_q[31]}}, insn_q[31:20]};
	wire [31:0] imm_s = {{20{insn_q[31]}}, insn_q[31:25], insn_q[11:7]};
	wire [31:0] imm_b = {{20{insn_q[31]}}, insn_q[7], insn_q[30:25], insn_q[11:8], 1'b0};
	wire [31:0] imm_j = {{12{insn_q[31]}}, insn_q[19:12], insn_q[20], insn_q[30:21], 1'b0};
	wire is_lui = opcode == 7'h37, is_auipc = opcode == 7'h17, is_jal = opcode == 7'h6F, is_jalr = opcode == 7'h67 && f3 == 3'd0;
	wire is_branch = opcode == 7'h63 && f3[2:1] != 2'b01;
	wire is_load = opcode == 7'h03 && f3 != 3'd3 && f3 < 3'd6;
	wire is_store = opcode == 7'h23 && f3 < 3'd3;
	wire is_imm = opcode == 7'h13 && (f3[1:0] != 2'b01 || insn_q[31:25] == 7'h00 || (f3 == 3'd5 && insn_q[31:25] == 7'h20));
	wire is_reg = opcode == 7'h33 && (insn_q[31:25] == 7'h00 || (insn_q[31:25] == 7'h20 && (f3 == 3'd0 || f3 == 3'd5)));
	wire is_fence = opcode == 7'h0F && f3[2:1] == 2'b00;
	wire is_ecall = insn_q == 32'h0000_0073, is_ebreak = insn_q == 32'h0010_0073, is_mret = insn_q == 32'h3020_0073;
	wire is_wfi = insn_q == 32'h1050_0073;   // a nop here
	wire is_csr = opcode == 7'h73 && f3[1:0] != 2'b00 && csr_known;

	// ---------------------------------------------------------------- arithmetic
	wire [31:0] operand = is_reg ? b : imm_i;
	wire less = f3[0] ? a < operand : $signed(a) < $signed(operand);
	wire [31:0] sra = $signed(a) >>> operand[4:0];
	reg [31:0] alu;
	always @* begin
		case (f3)
		3'd0: alu = is_reg && insn_q[30] ? a - b : a + operand;
		3'd1: alu = a << operand[4:0];
		3'd2, 3'd3: alu = {31'd0, less};
		3'd4: alu = a ^ operand;
		3'd5: alu = insn_q[30] ? sra : a >> operand[4:0];
		3'd6: alu = a | operand;
		default: alu = a & operand;
		endcase
	end
	wire same = a == b, below = f3[1] ? a < b : $signed(a) < $signed(b);
	wire taken = is_branch && ((f3[2] ? below : same) ^ f3[0]);

	// ---------------------------------------------------------------- CSRs
	reg [31:0] csr_old;
	reg        csr_known;
	wire [11:0] csr = insn_q[31:20];
	wire csr_writes = f3[1:0] == 2'b01 || insn_q[19:15] != 5'd0;
	always @* begin
		csr_known = 1'b1;
		case (csr)
		12'h300: csr_old = {19'd0, 2'b11, 3'd0, mpie_q, 3'd0, mie_q, 3'd0};
		12'h304: csr_old = {20'd0, meie_q, 11'd0};
		12'h305: csr_old = mtvec_q;
		12'h340: csr_old = mscratch_q;
		12'h341: csr_old = mepc_q;
		12'h342: csr_old = mcause_q;
		12'h343: csr_old = mtval_q;
		12'h344: csr_old = {20'd0, irq_i, 11'd0};
		12'hB00: csr_old = mcycle_q[31:0];
		12'hB80: csr_old = mcycle_q[63:32];
		12'hF14: begin csr_old = 32'd0; csr_known = !csr_writes; end
		default: begin csr_old = 32'd0; csr_known = 1'b0; end
		endcase
	end
	wire [31:0] csr_source = f3[2] ? {27'd0, insn_q[19:15]} : a;
	wire [31:0] csr_new = f3[1:0] == 2'b01 ? csr_source : f3[1:0] == 2'b10 ? csr_old | csr_source : csr_old & ~csr_source;

	// ---------------------------------------------------------------- where it goes, and what may stop it
	wire [31:0] target = is_jalr ? (a + imm_i) & ~32'd1 : pc_q + (is_jal ? imm_j : imm_b);
	wire jumps = is_jal || is_jalr || taken;
	wire [31:0] next_pc = is_mret ? mepc_q : jumps ? target : pc_q + 32'd4;
	wire [31:0] address = a + (is_store ? imm_s : imm_i);
	wire misaligned = (is_load || is_store) && ((f3[1:0] == 2'b01 && address[0]) || (f3[1:0] == 2'b10 && address[1:0] != 2'b00));
	wire legal = is_lui || is_auipc || is_jal || is_jalr || is_branch || is_load || is_store || is_imm || is_reg || is_fence || is_ecall ||
		is_ebreak || is_mret || is_wfi || is_csr;
	reg        trap;
	reg [31:0] cause, tval;
	always @* begin
		trap = 1'b1;
		tval = 32'd0;
		cause = 32'd0;
		if (!legal)
			cause = 32'd2;
		else if (is_ecall)
			cause = 32'd11;
		else if (is_ebreak)
			cause = 32'd3;
		else if (jumps && target[1])
			tval = target;
		else if (misaligned) begin
			cause = is_load ? 32'd4 : 32'd6;
			tval = address;
		end else
			trap = 1'b0;
	end

	// ---------------------------------------------------------------- bus
	assign wb_cyc_o = state_q == FETCH || state_q == MEMORY;
	assign wb_stb_o = wb_cyc_o;
	assign wb_we_o = state_q == MEMORY && is_store;
	assign wb_adr_o = state_q == MEMORY ? addr_q[31:2] : pc_q[31:2];
	assign wb_sel_o = state_q == MEMORY ? sel_q : 4'b1111;
	assign wb_dat_o = store_q;
	wire [31:0] shifted = wb_dat_i >> {addr_q[1:0], 3'd0};
	wire [31:0] loaded = f3[1:0] == 2'b00 ? {{24{shifted[7] && !f3[2]}}, shifted[7:0]} :
		f3[1:0] == 2'b01 ? {{16{shifted[15] && !f3[2]}}, shifted[15:0]} : wb_dat_i;

	assign rvfi_mode = 2'b11;
	wire take_irq = irq_i && meie_q && mie_q;

	// An instruction is over: it retires, and the next one starts.
	task retire(input [31:0] insn, input [31:0] next, input trapped);
		begin
			rvfi_valid <= 1'b1;
			rvfi_insn <= insn;
			rvfi_pc_rdata <= pc_q;
			rvfi_pc_wdata <= next;
			rvfi_trap <= trapped;
			rvfi_intr <= in_handler_q;
			in_handler_q <= trapped;
			pc_q <= next;
			state_q <= START;
		end
	endtask
	task enter(input [31:0] why, input [31:0] value);
		begin
			mepc_q <= pc_q;
			mcause_q <= why;
			mtval_q <= value;
			mpie_q <= mie_q;
			mie_q <= 1'b0;
		end
	endtask
	wire [31:0] vector = {mtvec_q[31:2], 2'b00};

	always @(posedge clk_i) begin
		mcycle_q <= mcycle_q + 64'd1;
		rvfi_valid <= 1'b0;
		case (state_q)
		START: begin
			state_q <= FETCH;
			if (take_irq) begin
				enter(32'h8000_000B, 32'd0);
				in_handler_q <= 1'b1;
				pc_q <= vector;
			end
		end
		FETCH: begin
			insn_q <= wb_dat_i;
			if (wb_ack_i)
				state_q <= EXECUTE;
			else if (wb_err_i) begin
				enter(32'd1, pc_q);
				retire(32'd0, vector, 1'b1);
			end
		end
		EXECUTE: begin
			addr_q <= address;
			sel_q <= f3[1:0] == 2'b00 ? 4'b0001 << address[1:0] : f3[1:0] == 2'b01 ? 4'b0011 << address[1:0] : 4'b1111;
			store_q <= f3[1:0] == 2'b00 ? {4{b[7:0]}} : f3[1:0] == 2'b01 ? {2{b[15:0]}} : b;
			if (trap) begin
				enter(cause, tval);
				retire(insn_q, vector, 1'b1);
			end else if (is_load || is_store)
				state_q <= MEMORY;
			else begin
				retire(insn_q, next_pc, 1'b0);
				if (rd != 5'd0 && !is_branch && !is_fence)
					x[rd] <= is_lui ? {insn_q[31:12], 12'd0} : is_auipc ? pc_q + {insn_q[31:12], 12'd0} :
						is_jal || is_jalr ? pc_q + 32'd4 : is_csr ? csr_old : alu;
				if (is_mret) begin
					mie_q <= mpie_q;
					mpie_q <= 1'b1;
				end
				if (is_csr && csr_writes)
					case (csr)
					12'h300: {mpie_q, mie_q} <= {csr_new[7], csr_new[3]};
					12'h304: meie_q <= csr_new[11];
					12'h305: mtvec_q <= csr_new;
					12'h340: mscratch_q <= csr_new;
					12'h341: mepc_q <= {csr_new[31:2], 2'b00};
					12'h342: mcause_q <= csr_new;
					12'h343: mtval_q <= csr_new;
					12'hB00: mcycle_q[31:0] <= csr_new;
					12'hB80: mcycle_q[63:32] <= csr_new;
					default: ;
					endcase
			end
		end
		MEMORY: begin
			if (wb_ack_i) begin
				retire(insn_q, pc_q + 32'd4, 1'b0);
				if (is_load && rd != 5'd0)
					x[rd] <= loaded;
			end else if (wb_err_i) begin
				enter(is_load ? 32'd5 : 32'd7, addr_q);
				retire(insn_q, vector, 1'b1);
			end
		end
		endcase
		if (rst_i) begin
			state_q <= START;
			pc_q <= RESET_PC;
			in_handler_q <= 1'b0;
			rvfi_valid <= 1'b0;
			{mie_q, mpie_q, meie_q} <= 3'b000;
			mtvec_q <= 32'd0;
			mcycle_q <= 64'd0;
		end
	end
endmodule
`default_nettype wire
