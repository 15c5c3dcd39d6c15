// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The core with a memory that answers anything, interrupts at any time, and one property at a time, chosen by CHECK.
// From any start (registers without a value), reset in the first cycle. docs/formal.md argues the depths.
`default_nettype none
module core_checks #(
	parameter CHECK = 0,
	parameter [0:0] WITH_C = 1
) (
	input wire clk_i
);
	localparam RD = 0, RS = 1, NEXT = 2, MEMORY = 3, TRAP = 4, REGISTERS = 5, PC = 6, ORDER = 7, LIVE = 8, FETCHED = 9, BUS = 10,
		CSR = 11, TRAP_CSR = 12, MODE = 13, USER = 14, INTR = 15, PORT = 16, COUNT = 17, VECTOR = 18, READ = 19, RVFI = 20;

	reg rst = 1'b1;
	always @(posedge clk_i)
		rst <= 1'b0;

	(* anyseq *) reg [31:0] rdata;
	(* anyseq *) reg [31:0] reg_rdata;
	(* anyseq *) reg        err, ready, soft, timer, ext, trace;
	wire        valid, fetch;
	wire [31:0] addr, wdata;
	wire [3:0]  wstrb;
	wire        reg_read, reg_write;
	wire [5:0]  reg_index;
	wire        r_valid, r_trap, r_intr;
	wire [31:0] r_insn, r_pc, r_next;
	wire [1:0]  r_mode;
	wire [63:0] order;
	wire [4:0]  rs1, rs2, rd;
	wire [31:0] rs1_value, rs2_value, rd_value, mem_addr, mem_rdata, mem_wdata;
	wire [3:0]  rmask, wmask;
	rivulet_core #(.RESET_PC(32'h8000_0000), .WITH_C(WITH_C), .WITH_RVFI(1)) core (
		.clk_i(clk_i),
		.rst_i(rst),
		.bus_valid_o(valid),
		.bus_fetch_o(fetch),
		.bus_addr_o(addr),
		.bus_data_addr_o(),
		.bus_wstrb_o(wstrb),
		.bus_wdata_o(wdata),
		.bus_ready_i(ready),
		.bus_rdata_i(rdata),
		.bus_err_i(err),
		.irq_soft_i(soft),
		.irq_timer_i(timer),
		.irq_ext_i(ext),
		.irq_trace_i(trace),
		.reg_read_o(reg_read),
		.reg_write_o(reg_write),
		.reg_index_o(reg_index),
		.reg_wdata_o(),
		.reg_rdata_i(reg_rdata),
		.retire_valid_o(r_valid),
		.retire_insn_o(r_insn),
		.retire_pc_o(r_pc),
		.retire_next_pc_o(r_next),
		.retire_trap_o(r_trap),
		.retire_intr_o(r_intr),
		.retire_mode_o(r_mode),
		.retire_cause_o(),
		.rvfi_order_o(order),
		.rvfi_rs1_addr_o(rs1),
		.rvfi_rs2_addr_o(rs2),
		.rvfi_rd_addr_o(rd),
		.rvfi_rs1_rdata_o(rs1_value),
		.rvfi_rs2_rdata_o(rs2_value),
		.rvfi_rd_wdata_o(rd_value),
		.rvfi_mem_addr_o(mem_addr),
		.rvfi_mem_rmask_o(rmask),
		.rvfi_mem_wmask_o(wmask),
		.rvfi_mem_rdata_o(mem_rdata),
		.rvfi_mem_wdata_o(mem_wdata),
		.rvfi_csr_o(csr),
		.rvfi_csr_write_o(csr_write),
		.rvfi_csr_rdata_o(csr_rdata),
		.rvfi_csr_wdata_o(csr_wdata)
	);
	wire        csr, csr_write;
	wire [31:0] csr_rdata, csr_wdata;

	wire        known, traps, is_csr, is_mret, is_wfi, is_load, is_store;
	wire [4:0]  e_cause, e_rs1, e_rs2, e_rd;
	wire [31:0] e_value, e_next, e_address, e_stored, wide;
	wire [2:0]  e_bytes;
	core_spec #(.WITH_C(WITH_C)) spec (
		.insn_i(r_insn),
		.pc_i(r_pc),
		.rs1_i(rs1_value),
		.rs2_i(rs2_value),
		.mem_i(mem_rdata),
		.user_i(r_mode == 2'd0),
		.known_o(known),
		.trap_o(traps),
		.cause_o(e_cause),
		.csr_o(is_csr),
		.mret_o(is_mret),
		.wfi_o(is_wfi),
		.rs1_o(e_rs1),
		.rs2_o(e_rs2),
		.rd_o(e_rd),
		.rd_value_o(e_value),
		.next_o(e_next),
		.load_o(is_load),
		.store_o(is_store),
		.address_o(e_address),
		.bytes_o(e_bytes),
		.stored_o(e_stored),
		.wide_o(wide)
	);
	wire completes = !rst && r_valid && !r_trap;
	wire [3:0] e_mask = e_bytes == 3'd1 ? 4'b0001 : e_bytes == 3'd2 ? 4'b0011 : 4'b1111;

	// What happened in the last cycle on the bus
	reg        p_accept, p_fetch;
	reg [31:0] p_addr, p_wdata;
	reg [3:0]  p_wstrb;
	reg        past;                         // a cycle of this run has passed
	always @(posedge clk_i) begin
		past <= !rst;
		p_accept <= !rst && valid && ready;
		p_fetch <= fetch;
		{p_addr, p_wdata, p_wstrb} <= {addr, wdata, wstrb};
	end
	initial past = 1'b0;

	// The retirement before
	reg        l_valid, l_trap, l_mret;
	reg [31:0] l_next;
	reg [1:0]  l_mode;
	reg [63:0] l_order;
	initial l_valid = 1'b0;
	always @(posedge clk_i)
		if (!rst && r_valid) begin
			l_valid <= 1'b1;
			l_trap <= r_trap;
			l_mret <= is_mret;
			l_next <= r_next;
			l_mode <= r_mode;
			l_order <= order;
		end

	generate
	case (CHECK)
	RD: always @* if (completes && !is_csr) assert (rd == e_rd && rd_value == e_value);
	RS: always @* if (completes) assert (rs1 == e_rs1 && rs2 == e_rs2 && (rs1 != 5'd0 || rs1_value == 32'd0) && (rs2 != 5'd0 || rs2_value == 32'd0));
	NEXT: always @* if (completes && !is_mret) assert (r_next == e_next && !r_next[0]);
	MEMORY: always @* if (!rst && r_valid) begin
		assert (rmask == (is_load && !r_trap ? e_mask : 4'd0));
		assert (wmask == (is_store && !r_trap ? e_mask : 4'd0));
		if (completes && (is_load || is_store))
			assert (mem_addr == e_address);
		if (completes && is_store)
			assert (mem_wdata == e_stored);
	end
	TRAP: always @* if (!rst && r_valid) begin
		if (traps)
			assert (r_trap);
		// else only for what is not in the instruction: a bus error, a CSR that is not there, WFI with TW
		else if (!is_csr && !is_load && !is_store && !is_wfi)
			assert (!r_trap);
		else if (is_load || is_store)
			assert (r_trap == err);
	end
	REGISTERS: begin : g
		// One register, any: what was written last is what is read.
		(* anyconst *) reg [4:0] which;
		reg        known_q;
		reg [31:0] value_q;
		initial known_q = 1'b0;
		always @(posedge clk_i) if (!rst && r_valid && rd == which && which != 5'd0) begin
			known_q <= 1'b1;
			value_q <= rd_value;
		end
		always @* if (!rst && r_valid && known_q) begin
			if (rs1 == which) assert (rs1_value == value_q);
			if (rs2 == which) assert (rs2_value == value_q);
		end
		always @* if (!rst && r_valid && r_trap) assert (rd == 5'd0);
	end
	PC: always @* if (!rst && r_valid) begin
		// forward and backward: nothing between two retirements but an interrupt
		if (l_valid && (l_trap || !r_intr))
			assert (r_pc == l_next);
		if (!l_valid && !r_intr)
			assert (r_pc == 32'h8000_0000);
	end
	ORDER: always @* if (!rst && r_valid) begin
		if (l_valid)
			assert (order == l_order + 64'd1);
		else
			assert (order == 64'd0);
	end
	LIVE: begin : g
		// With a bus that answers, no interrupt and no WFI something retires within 8 cycles, muldiv's 4 included.
		reg [3:0] waiting;
		initial waiting = 4'd0;
		always @(posedge clk_i)
			if (rst || r_valid)
				waiting <= 4'd0;
			else if (waiting != 4'd15)
				waiting <= waiting + 4'd1;
		always @* begin
			assume (ready && !soft && !timer && !ext && !trace);
			assume (rdata != 32'h1050_0073 && rdata[31:16] != 16'h0073);    // WFI, aligned or not
			assert (waiting < 4'd9);
		end
	end
	FETCHED: begin : g
		// One word of memory, any, that nobody writes: an instruction there is that one.
		(* anyconst *) reg [31:2] where;
		(* anyconst *) reg [31:0] what;
		always @* if (p_accept && p_fetch && p_addr[31:2] == where) assume (rdata == what);
		always @* if (completes && r_pc[31:2] == where) begin
			if (r_pc[1])
				assert (r_insn[15:0] == what[31:16]);
			else
				assert (r_insn[15:0] == what[15:0] && (what[1:0] != 2'b11 || r_insn == what));
		end
		always @* if (completes && r_pc[31:2] + 30'd1 == where && r_pc[1] && r_insn[1:0] == 2'b11)
			assert (r_insn[31:16] == what[15:0]);
		always @* if (completes && r_insn[1:0] != 2'b11) assert (r_insn[31:16] == 16'd0);
	end
	BUS: begin : g
		// What is on the bus is what retires in the next cycle, and nothing else: no store that did not happen.
		wire [3:0] lanes = wmask << mem_addr[1:0];
		always @* if (past && !rst) begin
			if (p_accept && !p_fetch)
				assert (r_valid && (is_load || is_store) && (r_trap == err));
			if (p_accept && !p_fetch && !err && p_wstrb != 4'd0) begin
				assert (wmask != 4'd0 && lanes == p_wstrb && p_addr == {mem_addr[31:2], 2'b00});
				if (lanes[0]) assert (p_wdata[7:0] == e_stored[7:0]);
				if (wmask == 4'b1111) assert (p_wdata == e_stored);
				if (wmask == 4'b0011) assert (p_wdata[15:0] == e_stored[15:0] && p_wdata[31:16] == e_stored[15:0]);
				if (wmask == 4'b0001) assert (p_wdata == {4{e_stored[7:0]}});
			end
			if (r_valid && !r_trap && (rmask != 4'd0 || wmask != 4'd0))
				assert (p_accept && !p_fetch && p_addr == {mem_addr[31:2], 2'b00});
			if (r_valid && rmask == 4'b1111) assert (mem_rdata == rdata);
			if (r_valid && rmask == 4'b0001) assert (mem_rdata[7:0] == rdata[{mem_addr[1:0], 3'd0} +: 8]);
			if (r_valid && rmask == 4'b0011) assert (mem_rdata[15:0] == rdata[{mem_addr[1], 4'd0} +: 16]);
		end
		always @* if (valid) assert (addr[1:0] == 2'd0 && (!fetch || wstrb == 4'd0));
	end
	CSR: begin : g
		// mscratch: what was written is what is read; no trap and no other CSR changes it.
		wire touches = completes && is_csr && wide[31:20] == 12'h340;
		wire [31:0] source = wide[14] ? {27'd0, wide[19:15]} : rs1_value;
		wire writes = wide[13:12] == 2'b01 || wide[19:15] != 5'd0;
		reg        known_q;
		reg [31:0] value_q;
		initial known_q = 1'b0;
		always @(posedge clk_i) if (touches && writes) begin
			if (wide[13:12] == 2'b01)
				{known_q, value_q} <= {1'b1, source};
			else
				value_q <= wide[13:12] == 2'b10 ? value_q | source : value_q & ~source;
		end
		always @* if (touches && known_q && rd != 5'd0) assert (rd_value == value_q);
		always @* if (completes && is_csr) assert (rd == e_rd);
	end
	TRAP_CSR: begin : g
		// The first instruction of a handler, where it reads mepc or mcause, reads those of the trap.
		reg [31:0] pc_q;
		reg [4:0]  cause_q;
		reg        exact_q, trapped_q;
		initial trapped_q = 1'b0;
		always @(posedge clk_i) if (!rst && r_valid) begin
			trapped_q <= r_trap;
			pc_q <= r_pc;
			cause_q <= traps ? e_cause : is_load ? 5'd5 : is_store ? 5'd7 : 5'd2;
			exact_q <= r_insn != 32'd0;          // 0 is also what a fetch that failed retires
		end
		wire first = completes && is_csr && r_intr && trapped_q && rd != 5'd0;
		always @* if (first && wide[31:20] == 12'h341) assert (rd_value == pc_q);
		always @* if (first && wide[31:20] == 12'h342) assert (exact_q ? rd_value == {27'd0, cause_q} : rd_value == 32'd1 || rd_value == 32'd2);
	end
	MODE: always @* if (!rst && r_valid) begin
		assert (r_mode == 2'd0 || r_mode == 2'd3);
		if (!l_valid)
			assert (r_mode == 2'd3);
		if (r_intr)
			assert (r_mode == 2'd3);                                     // handlers run in M
		else if (l_valid && !l_trap && !l_mret)
			assert (r_mode == l_mode);
		if (r_mode == 2'd0 && is_mret)
			assert (r_trap);
	end
	USER: begin : g
		// U-mode reaches no trace register: no write on the register bus, and every access traps.
		reg p_write;
		initial p_write = 1'b0;
		always @(posedge clk_i)
			p_write <= !rst && reg_write;
		always @* if (p_write && !rst) assert (r_valid && !r_trap && is_csr && r_mode == 2'd3 && wide[31:26] == 6'b011111);
		always @* if (!rst && r_valid && r_mode == 2'd0 && is_csr && wide[29:28] != 2'b00) assert (r_trap && rd == 5'd0);
	end
	INTR: begin : g
		// intr: after every trap, and else only if an interrupt line was up since; handlers start with interrupts off.
		reg line_q, off_q;
		initial {line_q, off_q} = 2'b00;
		wire line = soft || timer || ext || trace;
		always @(posedge clk_i) begin
			line_q <= !rst && (line || (line_q && !r_valid));
			if (!rst && r_valid)
				off_q <= r_trap || ((r_intr || off_q) && !is_mret && !(is_csr && wide[31:20] == 12'h300));
		end
		always @* if (!rst && r_valid) begin
			if (l_valid && l_trap)
				assert (r_intr);
			else if (r_intr)
				assert (line_q && !off_q);
		end
	end
	VECTOR: begin : g
		// mtvec: what was written is what is read, and where traps and interrupts go; low bits of a vectored interrupt are its cause's.
		wire touches = completes && is_csr && wide[31:20] == 12'h305;
		wire [31:0] source = wide[14] ? {27'd0, wide[19:15]} : rs1_value;
		wire writes = wide[13:12] == 2'b01 || wide[19:15] != 5'd0;
		reg        known_q;
		reg [31:0] value_q;
		initial known_q = 1'b0;
		wire [31:0] w = wide[13:12] == 2'b01 ? source : wide[13:12] == 2'b10 ? value_q | source : value_q & ~source;
		always @(posedge clk_i) if (touches && writes) begin
			if (wide[13:12] == 2'b01)
				known_q <= 1'b1;
			value_q <= {w[31:7], w[0] ? 5'd0 : w[6:2], 1'b0, w[0]};
		end
		always @* if (touches && known_q && rd != 5'd0) assert (rd_value == value_q);
		always @* if (!rst && r_valid && known_q) begin
			if (r_trap)
				assert (r_next == {value_q[31:2], 2'b00});
			if (r_intr && l_valid && !l_trap)
				assert (r_pc[31:7] == value_q[31:7] && r_pc[1:0] == 2'd0 && (value_q[0] || r_pc[6:2] == value_q[6:2]));
		end
	end
	RVFI: begin : g
		// The port as riscv-formal has it: lanes of the bus word, and the registers by rules of its own (rvfi_insn_check,
		// rvfi_csrw_check) for mscratch and the low half of minstret.
		wire [31:0] f_addr, f_rdata, f_wdata, s_rmask, s_wmask, s_rdata, s_wdata;
		wire [63:0] c_rmask, c_wmask, i_rmask, i_wmask, i_rdata, i_wdata;
		wire [3:0]  f_rmask, f_wmask;
		wire        halt;
		wire [1:0]  ixl;
		rivulet_rvfi rvfi (
			.valid_i(r_valid),
			.insn_i(r_insn),
			.mem_addr_i(mem_addr),
			.mem_rmask_i(rmask),
			.mem_wmask_i(wmask),
			.mem_rdata_i(mem_rdata),
			.mem_wdata_i(mem_wdata),
			.csr_i(csr),
			.csr_write_i(csr_write),
			.csr_rdata_i(csr_rdata),
			.csr_wdata_i(csr_wdata),
			.halt_o(halt),
			.ixl_o(ixl),
			.mem_addr_o(f_addr),
			.mem_rmask_o(f_rmask),
			.mem_wmask_o(f_wmask),
			.mem_rdata_o(f_rdata),
			.mem_wdata_o(f_wdata),
			.csr_mscratch_rmask_o(s_rmask),
			.csr_mscratch_wmask_o(s_wmask),
			.csr_mscratch_rdata_o(s_rdata),
			.csr_mscratch_wdata_o(s_wdata),
			.csr_mcycle_rmask_o(c_rmask),
			.csr_mcycle_wmask_o(c_wmask),
			.csr_mcycle_rdata_o(),
			.csr_mcycle_wdata_o(),
			.csr_minstret_rmask_o(i_rmask),
			.csr_minstret_wmask_o(i_wmask),
			.csr_minstret_rdata_o(i_rdata),
			.csr_minstret_wdata_o(i_wdata)
		);
		wire here = completes && is_csr, at_scratch = here && wide[31:20] == 12'h340, at_instret = here && wide[31:20] == 12'hB02;
		wire [31:0] arg = wide[14] ? {27'd0, wide[19:15]} : rs1_value;
		wire [31:0] ones = wide[13:12] != 2'd3 ? arg : 32'd0;
		wire [31:0] zeros = wide[13:12] == 2'd1 ? ~arg : wide[13:12] == 2'd3 ? arg : 32'd0;
		wire [31:0] s_now = (s_wdata & s_wmask) | (s_rdata & ~s_wmask), i_now = (i_wdata[31:0] & i_wmask[31:0]) | (i_rdata[31:0] & ~i_wmask[31:0]);
		reg        known_q;
		reg [31:0] value_q;
		initial known_q = 1'b0;
		always @(posedge clk_i) if (at_scratch) begin
			known_q <= 1'b1;
			value_q <= s_now;
		end
		integer i;
		always @* if (!rst) begin
			assert (!halt && ixl == 2'd1);
			if (completes && past && p_accept && !p_fetch) begin
				assert (f_addr == p_addr && f_wmask == p_wstrb);
				for (i = 0; i < 4; i = i + 1) begin
					if (f_wmask[i]) assert (f_wdata[8*i +: 8] == p_wdata[8*i +: 8]);
					if (f_rmask[i]) assert (f_rdata[8*i +: 8] == rdata[8*i +: 8]);
				end
				if (is_load || is_store)
					assert ((f_rmask | f_wmask) == e_mask << e_address[1:0]);
			end
			if (at_scratch) begin
				assert (s_rmask == 32'hFFFF_FFFF && (rd == 5'd0 || rd_value == s_rdata));
				assert ((ones & ~s_now) == 32'd0 && (zeros & s_now) == 32'd0);
				assert (!known_q || s_rdata == value_q);
			end else
				assert ((s_rmask | s_wmask) == 32'd0);
			if (at_instret) begin
				assert (i_rmask == 64'hFFFF_FFFF && (rd == 5'd0 || rd_value == i_rdata[31:0]));
				assert ((ones & ~i_now) == 32'd0 && (zeros & i_now) == 32'd0);
			end
			if (!here)
				assert ((c_rmask | c_wmask | i_rmask | i_wmask) == 64'd0);
		end
	end
	READ: begin : g
		// What a trace register gives was asked for by its number two cycles before it retires; nothing else asks.
		reg       read_q, p_read;
		reg [5:0] index_q, p_index;
		initial {read_q, p_read} = 2'b00;
		always @(posedge clk_i) begin
			{p_read, read_q} <= {!rst && read_q, !rst && reg_read};
			{p_index, index_q} <= {index_q, reg_index};
		end
		wire here = is_csr && wide[31:26] == 6'b011111;
		always @* if (completes && past && here) assert (p_read && p_index == wide[25:20]);
		always @* if (completes && past && !r_intr && p_read) assert (here);
	end
	PORT: begin : g
		// A request that is accepted gets its response whatever follows; one instruction at most retires in a cycle, and none in reset.
		always @* if (!rst && !past) assert (!r_valid);
	end
	COUNT: begin : g
		// minstret counts what completes, once.
		reg [63:0] count_q;
		reg        sure_q;
		initial sure_q = 1'b1;
		initial count_q = 64'd0;
		wire writes_csr = completes && is_csr && wide[31:20] >= 12'hB00 && wide[31:20] < 12'hC00;
		always @(posedge clk_i) begin
			if (completes)
				count_q <= count_q + 64'd1;
			if (writes_csr)
				sure_q <= 1'b0;
		end
		wire reads_instret = completes && is_csr && wide[31:20] == 12'hB02 && rd != 5'd0;
		always @* if (reads_instret && sure_q) assert (rd_value == count_q[31:0]);
	end
	endcase
	endgenerate
endmodule
`default_nettype wire
