// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// RV32IMC_Zicsr_Zifencei core with M and U mode: three stages (D, X, W) behind one bus port. docs/core.md is its manual.
`default_nettype none
// verilator lint_save
// verilator lint_off UNUSED
module rivulet_core #(
	parameter [31:0] RESET_PC = 32'h8000_0000, // Requires: bit 0 = 0, without C bit 1 = 0
	parameter [0:0] WITH_C = 1,                // 16-bit instructions; about 115 LUT4
	parameter [0:0] WITH_M = 1,                // multiply and divide; about 440 LUT4
	parameter [0:0] MUL_FAST = 1,              // 3-cycle MUL with four 16x16 multipliers; use it where they are DSP blocks
	parameter [0:0] WITH_COUNTERS = 1,         // mcycle, minstret; about 235 LUT4
	parameter PMP_REGIONS = 0,                 // memory protection: 0 none, at no cost, to 16; about 200 LUT4 a region
	parameter PMP_GRAIN = 0,                   // its regions are multiples of 2^(PMP_GRAIN + 2) bytes; 0 to 28
	parameter [0:0] WITH_TRACE_CSR = 1,        // 64 custom CSRs from TRACE_CSR_BASE on lead to the register bus
	parameter [11:0] TRACE_CSR_BASE = 12'h7C0, // Requires: 0x7C0 or 0xBC0
	parameter [0:0] STATE_IN_RAM = 0,          // 6 block RAMs in place of 159 flip-flops; mem[0] of one must be 0 at power-up
	parameter [31:0] HARTID = 0,               // what mhartid reads
	parameter [0:0] WITH_RVFI = 0              // operands and memory accesses on the rvfi port, else 0
) (
	input  wire        clk_i,
	input  wire        rst_i,                  // synchronous
	// Bus. A request is accepted in a cycle with bus_ready_i; its response is there in the next cycle, exactly then.
	// Until it is accepted the core may change or withdraw it.
	output wire        bus_valid_o,
	output wire        bus_fetch_o,
	output wire [31:0] bus_addr_o,             // word aligned
	output wire [31:0] bus_data_addr_o,        // bus_addr_o, if it is no fetch; earlier in the cycle, for decoders of devices
	output wire [3:0]  bus_wstrb_o,            // 0: no write; not 0 only with bus_valid_o
	output wire [31:0] bus_wdata_o,
	input  wire        bus_ready_i,
	input  wire [31:0] bus_rdata_i,
	input  wire        bus_err_i,              // the access of the response failed: nothing was read or written
	// Interrupt lines, levels, from registers of this clock
	input  wire        irq_soft_i,
	input  wire        irq_timer_i,
	input  wire        irq_ext_i,
	input  wire        irq_trace_i,
	// Register bus to the trace unit: read_o and index_o in one cycle, rdata_i in the next; write_o with index_o and wdata_o
	output wire        reg_read_o,
	output wire        reg_write_o,
	output wire [5:0]  reg_index_o,
	output wire [31:0] reg_wdata_o,
	input  wire [31:0] reg_rdata_i,
	// Retire port (RVFI meanings), then the rest of RVFI
	output wire        retire_valid_o,
	output wire [31:0] retire_insn_o,
	output wire [31:0] retire_pc_o,
	output wire [31:0] retire_next_pc_o,
	output wire        retire_trap_o,
	output wire        retire_intr_o,
	output wire [1:0]  retire_mode_o,
	output wire [5:0]  retire_cause_o,   // mcause, its top bit and its low five: with retire_intr_o, of the trap
	output wire [63:0] rvfi_order_o,
	output wire [4:0]  rvfi_rs1_addr_o,
	output wire [4:0]  rvfi_rs2_addr_o,
	output wire [4:0]  rvfi_rd_addr_o,
	output wire [31:0] rvfi_rs1_rdata_o,
	output wire [31:0] rvfi_rs2_rdata_o,
	output wire [31:0] rvfi_rd_wdata_o,
	output wire [31:0] rvfi_mem_addr_o,
	output wire [3:0]  rvfi_mem_rmask_o,
	output wire [3:0]  rvfi_mem_wmask_o,
	output wire [31:0] rvfi_mem_rdata_o,
	output wire [31:0] rvfi_mem_wdata_o,
	output wire        rvfi_csr_o,             // a CSR instruction that completed: insn names the register
	output wire        rvfi_csr_write_o,       // it wrote
	output wire [31:0] rvfi_csr_rdata_o,       // the value before
	output wire [31:0] rvfi_csr_wdata_o        // the value that was written, before WARL
);
	localparam [4:0] CAUSE_FETCH_MISALIGNED = 5'd0, CAUSE_FETCH = 5'd1, CAUSE_ILLEGAL = 5'd2, CAUSE_BREAK = 5'd3,
		CAUSE_LOAD_MISALIGNED = 5'd4, CAUSE_LOAD = 5'd5, CAUSE_STORE_MISALIGNED = 5'd6, CAUSE_STORE = 5'd7,
		CAUSE_ECALL_U = 5'd8, CAUSE_ECALL_M = 5'd11;

	wire redirect, redirect_early, x_goes, w_trap;
	wire [31:1] target_early;
	wire [31:0] x_target;
	wire [31:1] csr_mepc, csr_vector;
	wire csr_user, csr_data_user, csr_tw, irq_take, irq_wake;
	wire [4:0] irq_cause;
	wire pmp_fetch_deny, pmp_data_deny;
	wire [31:0] pmp_rdata;

	// ---------------------------------------------------------------- D: align, decompress, decode
	wire [31:1] d_pc;
	wire [31:0] d_raw;
	wire        d_avail, d_fault0, d_fault1, d_fire;
	wire [31:2] f_seq_addr;
	wire        f_seq_want, bus_take_fetch;

	rivulet_fetch #(.RESET_PC(RESET_PC)) fetch (
		.clk_i(clk_i),
		.rst_i(rst_i),
		.seq_addr_o(f_seq_addr),
		.seq_want_o(f_seq_want),
		.fetch_i(bus_take_fetch),
		.ready_i(bus_ready_i),
		.rdata_i(bus_rdata_i),
		.err_i(bus_err_i || pmp_fetch_deny),
		.early_i(redirect_early),
		.early_target_i(target_early),
		.late_i(x_goes),
		.late_target_i(x_target[31:1]),
		.pc_o(d_pc),
		.insn_o(d_raw),
		.avail_o(d_avail),
		.fault0_o(d_fault0),
		.fault1_o(d_fault1),
		.fire_i(d_fire)
	);

	wire [31:0] d_insn;
	wire        d_c_illegal;
	// The registers that it reads, x0 where it reads none but its first operand must be 0; known before the 16-bit instruction is expanded
	wire [4:0]  d_rs1, d_rs2;
	wire        d_wide = !WITH_C || d_raw[1:0] == 2'b11;
	wire        d_zero = d_raw[6:2] == 5'b01101 || (d_raw[6:2] == 5'b11100 && d_raw[14]);    // LUI, and Zicsr with an immediate
	wire [4:0]  c_rs1, c_rs2;
	assign d_rs1 = d_wide ? d_raw[19:15] & {5{!d_zero}} : c_rs1;
	assign d_rs2 = d_wide ? d_raw[24:20] : c_rs2;
	generate if (WITH_C) begin : g_c
		rivulet_expand expand (
			.insn_i(d_raw),
			.insn_o(d_insn),
			.rs1_o(c_rs1),
			.rs2_o(c_rs2),
			.illegal_o(d_c_illegal)
		);
	end else begin : g_no_c
		assign d_insn = d_raw;
		assign d_c_illegal = d_raw[1:0] != 2'b11;
		assign c_rs1 = 5'd0;
		assign c_rs2 = 5'd0;
	end endgenerate

	wire        d_reads_rs1, d_reads_rs2, d_writes_rd, d_use_imm, d_sub, d_res_sum, d_res_slt, d_unsigned, d_res_shift, d_shift_left,
		d_shift_arith, d_res_target, d_res_link, d_csr, d_md, d_branch, d_jal, d_jalr, d_load, d_store, d_mret, d_wfi, d_fencei,
		d_plain, d_ecall, d_ebreak;
	wire [31:0] d_imm;
	wire [1:0]  d_logic;
	wire [2:0]  d_funct3;
	rivulet_decode #(.WITH_M(WITH_M)) decode (
		.insn_i(d_insn),
		.user_i(csr_user),
		.tw_i(csr_tw),
		.reads_rs1_o(d_reads_rs1),
		.reads_rs2_o(d_reads_rs2),
		.writes_rd_o(d_writes_rd),
		.imm_o(d_imm),
		.use_imm_o(d_use_imm),
		.sub_o(d_sub),
		.res_sum_o(d_res_sum),
		.res_slt_o(d_res_slt),
		.unsigned_o(d_unsigned),
		.logic_o(d_logic),
		.res_shift_o(d_res_shift),
		.shift_left_o(d_shift_left),
		.shift_arith_o(d_shift_arith),
		.res_target_o(d_res_target),
		.res_link_o(d_res_link),
		.csr_o(d_csr),
		.md_o(d_md),
		.funct3_o(d_funct3),
		.branch_o(d_branch),
		.jal_o(d_jal),
		.jalr_o(d_jalr),
		.load_o(d_load),
		.store_o(d_store),
		.mret_o(d_mret),
		.wfi_o(d_wfi),
		.fencei_o(d_fencei),
		.plain_o(d_plain),
		.ecall_o(d_ecall),
		.ebreak_o(d_ebreak)
	);

	wire       d_fault = d_fault0 || d_fault1;
	// D found a fetch fault or an illegal 16-bit instruction: it only traps. X finds illegal 32-bit instructions: they have no kind.
	wire       d_void = d_fault || d_c_illegal;
	wire       d_uses_rs1 = d_reads_rs1 && d_rs1 != 5'd0;
	wire       d_uses_rs2 = d_reads_rs2 && d_rs2 != 5'd0;

	// ---------------------------------------------------------------- X: registers
	reg        x_valid_q, x_first_q;
	reg [31:1] x_pc_q;
	reg [31:0] x_imm_q;
	reg [4:0]  x_rd_q;
	reg        x_we_q, x_use_imm_q, x_sub_q, x_res_sum_q, x_res_slt_q, x_unsigned_q, x_res_shift_q, x_shift_left_q, x_shift_arith_q,
		x_res_target_q, x_res_link_q, x_csr_q, x_md_q, x_branch_q, x_jal_q, x_jalr_q, x_load_q, x_store_q, x_mret_q, x_wfi_q, x_fencei_q,
		x_plain_q, x_bad_q;
	reg [1:0]  x_logic_q;
	reg [2:0]  x_f3_q;
	reg [4:0]  x_cause_q;
	reg        x_address_q;                  // of an exception that D has found: mtval is an address
	reg        x_rs1_w_q, x_rs2_w_q;    // the operand is the result of the instruction in W
	reg        x_ld1_q, x_ld2_q;        // the operand comes from the load just before: wait for it
	reg [31:0] x_kept1_q, x_kept2_q;

	// W: registers
	reg        w_valid_q, w_we_q, w_load_q, w_store_q, w_exc_q, w_irq_q, w_user_q, w_count_q, w_deny_q;
	wire [31:1] w_pc;
	wire [31:0] w_raw;
	reg [31:0] w_res_q;
	reg [4:0]  w_rd_q, w_cause_q;
	reg [2:0]  w_f3_q;
	reg        w_tval_q;

	// ---------------------------------------------------------------- X: execute
	// Forwarding: an operand is the result in W (never a load's), or comes from one of two places of which the other gives 0: the register file,
	// which is asked for x0 then, and what was written to it while it was read (kept; also what a load fetched).
	wire [31:0] rf_rs1, rf_rs2;
	wire [31:0] x_rs1 = x_rs1_w_q ? w_res_q : rf_rs1 | x_kept1_q;
	wire [31:0] x_rs2 = x_rs2_w_q ? w_res_q : rf_rs2 | x_kept2_q;
	wire [31:0] x_op2 = (x_use_imm_q ? x_imm_q : x_rs2) ^ {32{x_sub_q}};
	// "Less" from the difference: of unsigned operands if there is no carry; of signed ones too if their signs are equal, else the sign of the first decides.
	wire [32:0] x_sum = {1'b0, x_rs1} + {1'b0, x_op2} + {32'b0, x_sub_q};
	wire        x_carry = x_sum[32];
	wire        x_less0 = x_unsigned_q || x_rs1[31] != x_op2[31];      // what "less" is without the carry
	wire        x_eq = x_rs1 == x_rs2;
	wire        x_lt = x_less0 ^ x_carry;
	assign x_target = {x_pc_q, 1'b0} + x_imm_q;

	wire [31:0] x_shift, x_md_result, x_csr_rdata;
	wire        x_md_done;
	rivulet_shifter shifter (
		.a_i(x_rs1),
		.amount_i(x_op2[4:0]),
		.left_i(x_shift_left_q),
		.arithmetic_i(x_shift_arith_q),
		.result_o(x_shift)
	);
	wire x_live = x_valid_q && !w_trap;
	wire x_irq = x_live && irq_take && !x_wfi_q;
	wire stall_lduse;
	generate if (WITH_M) begin : g_m
		rivulet_muldiv #(.MUL_FAST(MUL_FAST)) muldiv (
			.clk_i(clk_i),
			.rst_i(rst_i),
			.run_i(x_valid_q && x_md_q && !w_trap && !irq_take && !stall_lduse),
			.op_i(x_f3_q),
			.a_i(x_rs1),
			.b_i(x_rs2),
			.done_o(x_md_done),
			.result_o(x_md_result)
		);
	end else begin : g_no_m
		assign x_md_done = 1'b1;
		assign x_md_result = 32'b0;
	end endgenerate

	// CSR: which register it is, whether the access is legal, and the trace unit's read are of the first cycle, everything else is of the second.
	wire        x_csr_illegal, csr_trace_first, csr_trace_sel, csr_writes, csr_writes_instret, x_fire, x_stall, x_exc;
	wire [31:0] x_csr_src = x_rs1 | {27'b0, x_imm_q[16:12] & {5{x_f3_q[2]}}};   // rs1 gives 0 where the immediate is the operand
	// CSRRS/CSRRC do not write with rs1 = x0 or immediate 0, which is the same field
	wire        x_csr_wants_write = !x_f3_q[1] || x_imm_q[16:12] != 5'b0;
	// In its second cycle W is empty: nothing traps, and what was killed in its first is not in X any more.
	wire        x_csr_commit = csr_writes && x_valid_q && !x_first_q && !irq_take;
	wire [31:0] x_csr_value = x_csr_rdata | ({32{csr_trace_sel}} & reg_rdata_i);
	assign reg_read_o = x_live && x_csr_q && x_first_q && csr_trace_first;
	assign reg_index_o = x_imm_q[5:0];
	assign reg_write_o = x_csr_commit && csr_trace_sel;

	// Exceptions that D found, an illegal instruction among them, and those of X
	wire x_exc_d = x_bad_q || !(x_plain_q || x_branch_q || x_jal_q || x_jalr_q || x_load_q || x_store_q || x_md_q || x_csr_q || x_mret_q || x_wfi_q);
	wire x_mem = x_load_q || x_store_q;
	wire x_misaligned = x_mem && ((x_f3_q[0] && x_sum[0]) || (x_f3_q[1] && x_sum[1:0] != 2'b00));
	wire x_cond = (x_f3_q[2] ? x_lt : x_eq) ^ x_f3_q[0];
	wire x_jump = x_jal_q || x_jalr_q || (x_branch_q && x_cond);
	wire x_bad_target = !WITH_C && x_jump && (x_jalr_q ? x_sum[1] : x_target[1]);
	assign x_exc = x_exc_d || x_misaligned || (x_csr_q && x_csr_illegal) || x_bad_target;
	wire [4:0] x_cause = x_exc_d ? x_cause_q : x_misaligned ? (x_store_q ? CAUSE_STORE_MISALIGNED : CAUSE_LOAD_MISALIGNED) :
		x_csr_q ? CAUSE_ILLEGAL : CAUSE_FETCH_MISALIGNED;
	wire x_mem_request = x_live && x_mem && !irq_take && !stall_lduse && !x_misaligned;

	// Every reason to stay in X
	assign stall_lduse = x_valid_q && !x_exc_d && (x_ld1_q || x_ld2_q);
	wire stall_csr = x_csr_q && x_first_q;
	wire stall_md = x_md_q && !x_md_done;
	wire stall_wfi = x_wfi_q && !irq_wake;
	wire stall_bus = x_mem && !x_misaligned && !bus_ready_i;
	assign x_stall = !x_irq && (stall_lduse || stall_csr || stall_md || stall_wfi || stall_bus);
	assign x_fire = x_live && !x_stall;
	// For D: a misaligned access leaves X without waiting for the bus. It traps, so D need not fire behind it.
	wire x_ready = !x_valid_q || (x_live && (x_irq || !(stall_lduse || stall_csr || stall_md || stall_wfi || (x_mem && !bus_ready_i))));

	wire [31:0] x_logic = x_logic_q == 2'd1 ? x_rs1 ^ x_op2 : x_logic_q == 2'd2 ? x_rs1 | x_op2 : x_logic_q == 2'd3 ? x_rs1 & x_op2 : 32'b0;
	// At an exception that D has found the target is the address for mtval.
	wire [31:0] x_result =
		({32{x_res_sum_q}} & x_sum[31:0]) | x_logic | ({32{x_res_shift_q}} & x_shift) |
		({32{x_res_target_q || x_exc_d || x_bad_target && !x_jalr_q}} & x_target) |
		({32{x_res_link_q && !x_bad_target}} & {d_pc, 1'b0}) |
		({32{x_bad_target && x_jalr_q}} & {x_sum[31:1], 1'b0}) |
		x_csr_value | ({32{x_md_q}} & x_md_result) | {31'b0, x_res_slt_q && x_lt};

	// ---------------------------------------------------------------- the port
	assign d_fire = d_avail && x_ready; // a redirect drops it: it is late, so it goes to the valid bits alone
	wire        x_can = x_live && !irq_take && !stall_lduse;
	wire        x_maybe = x_can && x_branch_q && !x_bad_target;
	wire        x_return = x_can && x_mret_q;
	wire        x_to_sum = x_can && x_jalr_q && !x_bad_target;
	wire        x_relative = x_can && ((x_jal_q && !x_bad_target) || x_fencei_q);
	// Whether X goes to its target is the latest signal of the cycle. It is worked out for both values of the carry, which then chooses.
	wire        x_goes0 = x_relative || (x_maybe && ((x_f3_q[2] ? x_less0 : x_eq) ^ x_f3_q[0]));
	wire        x_goes1 = x_relative || (x_maybe && ((x_f3_q[2] ? !x_less0 : x_eq) ^ x_f3_q[0]));
	assign x_goes = x_carry ? x_goes1 : x_goes0;       // none of these stalls
	assign redirect_early = w_trap || x_return || x_to_sum;
	assign redirect = redirect_early || x_goes;
	// One of five addresses, no two at once
	wire        at_sum = x_mem_request || x_to_sum, other = w_trap || x_return || at_sum;
	assign target_early = ({31{w_trap}} & csr_vector) | ({31{x_return}} & csr_mepc) | ({31{at_sum}} & x_sum[31:1]);
	wire [31:1] bus_target = target_early | (x_goes ? x_target[31:1] : {31{!other}} & {f_seq_addr, 1'b0});
	assign bus_take_fetch = redirect || (!x_mem_request && f_seq_want);
	// A refused access keeps its place on the port, but makes no request.
	assign bus_valid_o = !rst_i && (redirect || (x_mem_request ? !pmp_data_deny : f_seq_want));
	assign bus_fetch_o = !x_mem_request;
	assign bus_addr_o = {bus_target[31:2], 2'b00};
	assign bus_data_addr_o = {x_sum[31:2], 2'b00};
	assign bus_wdata_o = x_f3_q[1] ? x_rs2 : x_f3_q[0] ? {2{x_rs2[15:0]}} : {4{x_rs2[7:0]}};
	assign bus_wstrb_o = !(x_mem_request && x_store_q) || pmp_data_deny || rst_i ? 4'b0000 : x_f3_q[1] ? 4'b1111 :
		x_f3_q[0] ? {{2{x_sum[1]}}, {2{!x_sum[1]}}} :
		{x_sum[1] && x_sum[0], x_sum[1] && !x_sum[0], !x_sum[1] && x_sum[0], !x_sum[1] && !x_sum[0]};

	// ---------------------------------------------------------------- W: load data, register write, trap
	wire        w_mem_err = (w_load_q || w_store_q) && (bus_err_i || w_deny_q);
	assign w_trap = w_valid_q && (w_exc_q || w_irq_q || w_mem_err);
	wire [15:0] w_half = w_res_q[1] ? bus_rdata_i[31:16] : bus_rdata_i[15:0];
	wire [7:0]  w_byte = w_res_q[0] ? w_half[15:8] : w_half[7:0];
	wire [31:0] w_load_data = w_f3_q[1] ? bus_rdata_i : w_f3_q[0] ? {{16{w_half[15] && !w_f3_q[2]}}, w_half} : {{24{w_byte[7] && !w_f3_q[2]}}, w_byte};
	wire [31:0] w_data = w_load_q ? w_load_data : w_res_q;
	wire        w_write = w_valid_q && w_we_q && !w_trap;

	// Reset writes x0.
	wire d_rs1_in_x, d_rs2_in_x, d_rs1_in_w, d_rs2_in_w;
	rivulet_regfile regfile (
		.clk_i(clk_i),
		.read_i(x_ready),
		.rs1_i(d_rs1 & {5{!d_rs1_in_x && !d_rs1_in_w}}),
		.rs2_i(d_rs2 & {5{!d_rs2_in_x && !d_rs2_in_w}}),
		.rdata1_o(rf_rs1),
		.rdata2_o(rf_rs2),
		.write_i(w_write || rst_i),
		.rd_i(w_rd_q & {5{!rst_i}}),
		.wdata_i(w_data & {32{!rst_i}})
	);

	rivulet_csr #(
		.WITH_C(WITH_C),
		.WITH_M(WITH_M),
		.WITH_COUNTERS(WITH_COUNTERS),
		.WITH_TRACE_CSR(WITH_TRACE_CSR),
		.TRACE_CSR_BASE(TRACE_CSR_BASE),
		.IN_RAM(STATE_IN_RAM),
		.WITH_PMP(PMP_REGIONS != 0),
		.HARTID(HARTID)
	) csr (
		.clk_i(clk_i),
		.rst_i(rst_i),
		.irq_soft_i(irq_soft_i),
		.irq_timer_i(irq_timer_i),
		.irq_ext_i(irq_ext_i),
		.irq_trace_i(irq_trace_i),
		.addr_i(x_imm_q[11:0]),
		.first_i(x_valid_q && x_csr_q && x_first_q && !stall_lduse),
		.wants_write_i(x_csr_wants_write),
		.write_i(x_csr_commit),
		.op_i(x_f3_q[1:0]),
		.src_i(x_csr_src),
		.pmp_rdata_i({32{x_csr_q}} & pmp_rdata),
		.trace_first_o(csr_trace_first),
		.illegal_o(x_csr_illegal),
		.trace_sel_o(csr_trace_sel),
		.writes_o(csr_writes),
		.rdata_o(x_csr_rdata),
		.old_i(x_csr_value),
		.wdata_o(reg_wdata_o),
		.writes_instret_o(csr_writes_instret),
		.trap_i(w_trap),
		.trap_irq_i(w_irq_q),
		.trap_cause_i(w_exc_q || w_irq_q ? w_cause_q : w_store_q ? CAUSE_STORE : CAUSE_LOAD),
		.trap_tval_i(w_tval_q ? w_res_q : 32'b0),
		.trap_pc_i(w_pc),
		.mret_i(x_live && !irq_take && x_mret_q),
		.retire_i(w_count_q && !w_mem_err),
		.vector_o(csr_vector),
		.mepc_o(csr_mepc),
		.user_o(csr_user),
		.data_user_o(csr_data_user),
		.tw_o(csr_tw),
		.irq_take_o(irq_take),
		.irq_wake_o(irq_wake),
		.irq_cause_o(irq_cause),
		.cause_o(retire_cause_o)
	);

	// Memory protection. A word is checked in the cycle in which it comes, by the address that was asked for: no redirect changes the
	// mode in between. A load or store is checked behind the address adder; the answer goes to the request line and to a register.
	generate if (PMP_REGIONS != 0) begin : g_pmp
		reg [31:2] fetched_q;
		always @(posedge clk_i)
			if (bus_take_fetch)
				fetched_q <= bus_target[31:2];
		rivulet_pmp #(.REGIONS(PMP_REGIONS), .GRAIN(PMP_GRAIN)) pmp (
			.clk_i(clk_i),
			.rst_i(rst_i),
			.addr_i(x_imm_q[11:0]),
			.write_i(x_csr_commit && !csr_trace_sel),
			.wdata_i(reg_wdata_o),
			.rdata_o(pmp_rdata),
			.fetch_addr_i(fetched_q),
			.fetch_user_i(csr_user),
			.fetch_deny_o(pmp_fetch_deny),
			.data_addr_i(x_sum[31:2]),
			.data_user_i(csr_data_user),
			.data_store_i(x_store_q),
			.data_deny_o(pmp_data_deny)
		);
	end else begin : g_no_pmp
		assign pmp_rdata = 32'b0;
		assign pmp_fetch_deny = 1'b0;
		assign pmp_data_deny = 1'b0;
	end endgenerate

	// ---------------------------------------------------------------- pipeline registers
	wire [31:0] d_shown = d_fault ? 32'b0 : d_raw[1:0] == 2'b11 ? d_raw : {16'b0, d_raw[15:0]};
	rivulet_beside #(.WIDTH(63), .IN_RAM(STATE_IN_RAM)) beside (
		.clk_i(clk_i),
		.rst_i(rst_i),
		.to_x_i(x_ready),
		.data_i({d_pc, d_shown}),
		.to_w_i(x_fire),
		.data_o({w_pc, w_raw})
	);
	// Where the operands of the instruction in D will be, when it goes to X. What kills the instructions in X or W kills it too.
	assign d_rs1_in_x = x_valid_q && x_we_q && x_rd_q == d_rs1;
	assign d_rs2_in_x = x_valid_q && x_we_q && x_rd_q == d_rs2;
	assign d_rs1_in_w = w_valid_q && w_we_q && w_rd_q == d_rs1;
	assign d_rs2_in_w = w_valid_q && w_we_q && w_rd_q == d_rs2;

	always @(posedge clk_i) begin
		if (x_ready) begin
			x_valid_q <= d_fire && !redirect;
			x_pc_q <= d_pc;
			x_rd_q <= d_insn[11:7];
			x_we_q <= d_writes_rd && !d_void;
			x_imm_q <= d_fault ? {30'b0, !d_fault0, 1'b0} : {d_imm[31:1], d_imm[0] && !d_ebreak}; // of EBREAK 1: its target is the pc
			x_use_imm_q <= d_use_imm;
			x_sub_q <= d_sub;
			x_res_sum_q <= d_res_sum && !d_void;
			x_res_slt_q <= d_res_slt && !d_void;
			x_unsigned_q <= d_unsigned;
			x_logic_q <= d_void ? 2'd0 : d_logic;
			x_res_shift_q <= d_res_shift && !d_void;
			x_shift_left_q <= d_shift_left;
			x_shift_arith_q <= d_shift_arith;
			x_res_target_q <= d_res_target;
			x_res_link_q <= d_res_link && !d_void;
			x_csr_q <= d_csr && !d_void;
			x_md_q <= d_md && !d_void;
			x_f3_q <= d_funct3;
			x_branch_q <= d_branch && !d_void;
			x_jal_q <= d_jal && !d_void;
			x_jalr_q <= d_jalr && !d_void;
			x_load_q <= d_load && !d_void;
			x_store_q <= d_store && !d_void;
			x_mret_q <= d_mret && !d_void;
			x_wfi_q <= d_wfi && !d_void;
			x_fencei_q <= d_fencei && !d_void;
			x_plain_q <= d_plain;
			x_bad_q <= d_void || d_ecall || d_ebreak;
			x_address_q <= d_fault || (d_ebreak && !d_c_illegal);
			x_cause_q <= d_fault ? CAUSE_FETCH : d_ecall && !d_c_illegal ? (csr_user ? CAUSE_ECALL_U : CAUSE_ECALL_M) :
				d_ebreak && !d_c_illegal ? CAUSE_BREAK : CAUSE_ILLEGAL;
			x_rs1_w_q <= d_rs1_in_x;
			x_rs2_w_q <= d_rs2_in_x;
			x_ld1_q <= d_reads_rs1 && d_rs1_in_x && x_load_q;
			x_ld2_q <= d_reads_rs2 && d_rs2_in_x && x_load_q;
		end else if (stall_lduse)
			// The other operand is not the load's, and stays where it is.
			{x_ld1_q, x_ld2_q, x_rs1_w_q, x_rs2_w_q} <= 4'b0000;
		if (x_ready || x_ld1_q)
			x_kept1_q <= x_ready && !d_rs1_in_w ? 32'b0 : w_data;
		if (x_ready || x_ld2_q)
			x_kept2_q <= x_ready && !d_rs2_in_w ? 32'b0 : w_data;
		x_first_q <= x_ready || stall_lduse;
		if (w_trap || (x_fire && !x_ready))
			x_valid_q <= 1'b0;

		w_valid_q <= x_fire;
		w_count_q <= x_fire && !x_irq && !x_exc && !csr_writes_instret;
		if (x_fire) begin
			w_res_q <= x_result;
			w_rd_q <= x_rd_q;
			w_we_q <= x_we_q && !x_irq && !x_exc;
			w_load_q <= x_load_q && !x_irq && !x_exc;
			w_store_q <= x_store_q && !x_irq && !x_exc;
			w_f3_q <= x_f3_q;
			w_exc_q <= x_exc && !x_irq;
			w_irq_q <= x_irq;
			w_cause_q <= x_irq ? irq_cause : x_cause;
			w_tval_q <= !x_irq && (x_mem || (x_exc_d && x_address_q) || x_bad_target);
			w_user_q <= csr_user;
			w_deny_q <= pmp_data_deny;
		end
		if (rst_i) begin
			x_valid_q <= 1'b0;
			w_valid_q <= 1'b0;
			w_count_q <= 1'b0;
		end
	end

	// ---------------------------------------------------------------- retire port
	reg r_intr_q;
	always @(posedge clk_i)
		r_intr_q <= !rst_i && (w_trap || (r_intr_q && !retire_valid_o));
	assign retire_valid_o = w_valid_q && !w_irq_q;
	assign retire_insn_o = w_raw;
	assign retire_pc_o = {w_pc, 1'b0};
	// The next instruction is the first of those behind: in X, or the one that D waits for.
	assign retire_next_pc_o = {w_trap ? csr_vector : x_valid_q ? x_pc_q : d_pc, 1'b0};
	assign retire_trap_o = w_trap;
	assign retire_intr_o = r_intr_q;
	assign retire_mode_o = {2{!w_user_q}};

	generate if (WITH_RVFI) begin : g_rvfi
		reg [63:0] order_q;
		reg [4:0]  x_rs1_addr_q, x_rs2_addr_q, w_rs1_addr_q, w_rs2_addr_q;
		reg [31:0] w_rs1_q, w_rs2_q, w_csr_old_q, w_csr_new_q;
		reg        w_csr_q, w_csr_write_q;
		always @(posedge clk_i) begin
			order_q <= rst_i ? 64'd0 : order_q + {63'b0, retire_valid_o};
			if (x_ready) begin
				x_rs1_addr_q <= d_uses_rs1 && !d_fault ? d_rs1 : 5'd0;
				x_rs2_addr_q <= d_uses_rs2 && !d_fault ? d_rs2 : 5'd0;
			end
			if (x_fire) begin
				w_rs1_addr_q <= x_exc_d ? 5'd0 : x_rs1_addr_q;
				w_rs2_addr_q <= x_exc_d ? 5'd0 : x_rs2_addr_q;
				w_rs1_q <= x_rs1;
				w_rs2_q <= x_rs2;
				w_csr_q <= x_csr_q;
				w_csr_write_q <= csr_writes;
				w_csr_old_q <= x_csr_value;
				w_csr_new_q <= reg_wdata_o;
			end
		end
		wire [3:0] mask = w_f3_q[1] ? 4'b1111 : w_f3_q[0] ? 4'b0011 : 4'b0001;
		wire [31:0] bits = {{16{mask[3]}}, {8{mask[1]}}, 8'hFF};
		wire        ok = retire_valid_o && !w_trap;
		assign rvfi_order_o = order_q;
		assign rvfi_rs1_addr_o = w_rs1_addr_q;
		assign rvfi_rs2_addr_o = w_rs2_addr_q;
		assign rvfi_rs1_rdata_o = w_rs1_addr_q == 5'd0 ? 32'b0 : w_rs1_q;
		assign rvfi_rs2_rdata_o = w_rs2_addr_q == 5'd0 ? 32'b0 : w_rs2_q;
		assign rvfi_rd_addr_o = w_write ? w_rd_q : 5'd0;
		assign rvfi_rd_wdata_o = w_write ? w_data : 32'b0;
		assign rvfi_mem_addr_o = ok && (w_load_q || w_store_q) ? w_res_q : 32'b0;
		assign rvfi_mem_rmask_o = ok && w_load_q ? mask : 4'b0;
		assign rvfi_mem_wmask_o = ok && w_store_q ? mask : 4'b0;
		assign rvfi_mem_rdata_o = ok && w_load_q ? (w_f3_q[1] ? bus_rdata_i : w_f3_q[0] ? {16'b0, w_half} : {24'b0, w_byte}) : 32'b0;
		assign rvfi_mem_wdata_o = ok && w_store_q ? w_rs2_q & bits : 32'b0;
		assign rvfi_csr_o = ok && w_csr_q;
		assign rvfi_csr_write_o = rvfi_csr_o && w_csr_write_q;
		assign rvfi_csr_rdata_o = rvfi_csr_o ? w_csr_old_q : 32'b0;
		assign rvfi_csr_wdata_o = rvfi_csr_write_o ? w_csr_new_q : 32'b0;
	end else begin : g_no_rvfi
		assign rvfi_order_o = 64'b0;
		assign {rvfi_rs1_addr_o, rvfi_rs2_addr_o, rvfi_rd_addr_o} = 15'b0;
		assign {rvfi_rs1_rdata_o, rvfi_rs2_rdata_o, rvfi_rd_wdata_o} = 96'b0;
		assign {rvfi_mem_addr_o, rvfi_mem_rdata_o, rvfi_mem_wdata_o} = 96'b0;
		assign {rvfi_mem_rmask_o, rvfi_mem_wmask_o} = 8'b0;
		assign {rvfi_csr_o, rvfi_csr_write_o} = 2'b0;
		assign {rvfi_csr_rdata_o, rvfi_csr_wdata_o} = 64'b0;
	end endgenerate
endmodule
// verilator lint_restore
`default_nettype wire
