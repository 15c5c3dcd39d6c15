// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The RVFI port of rivulet_core as riscv-formal has it: data in the byte lanes of their word (RISCV_FORMAL_ALIGNED_MEM), a
// channel for each of some CSRs, halt and ixl. Combinational; for proofs and simulation.
`default_nettype none
module rivulet_rvfi (
	// rivulet_core with WITH_RVFI
	input  wire        valid_i,
	input  wire [31:0] insn_i,
	input  wire [31:0] mem_addr_i,
	input  wire [3:0]  mem_rmask_i,
	input  wire [3:0]  mem_wmask_i,
	input  wire [31:0] mem_rdata_i,
	input  wire [31:0] mem_wdata_i,
	input  wire        csr_i,
	input  wire        csr_write_i,
	input  wire [31:0] csr_rdata_i,
	input  wire [31:0] csr_wdata_i,
	// riscv-formal
	output wire        halt_o,                   // never: WFI goes on
	output wire [1:0]  ixl_o,                    // 1: XLEN is 32
	output wire [31:0] mem_addr_o,
	output wire [3:0]  mem_rmask_o,
	output wire [3:0]  mem_wmask_o,
	output wire [31:0] mem_rdata_o,
	output wire [31:0] mem_wdata_o,
	output wire [31:0] csr_mscratch_rmask_o,
	output wire [31:0] csr_mscratch_wmask_o,
	output wire [31:0] csr_mscratch_rdata_o,
	output wire [31:0] csr_mscratch_wdata_o,
	output wire [63:0] csr_mcycle_rmask_o,
	output wire [63:0] csr_mcycle_wmask_o,
	output wire [63:0] csr_mcycle_rdata_o,
	output wire [63:0] csr_mcycle_wdata_o,
	output wire [63:0] csr_minstret_rmask_o,
	output wire [63:0] csr_minstret_wmask_o,
	output wire [63:0] csr_minstret_rdata_o,
	output wire [63:0] csr_minstret_wdata_o
);
	assign halt_o = 1'b0;
	assign ixl_o = 2'd1;

	wire [1:0] lane = mem_addr_i[1:0];
	assign mem_addr_o = {mem_addr_i[31:2], 2'b00};
	assign mem_rmask_o = mem_rmask_i << lane;
	assign mem_wmask_o = mem_wmask_i << lane;
	assign mem_rdata_o = mem_rdata_i << {lane, 3'b000};
	assign mem_wdata_o = mem_wdata_i << {lane, 3'b000};

	// Which register the instruction names. The counters' user views are the same registers.
	wire        access = valid_i && csr_i;
	wire [11:0] number = insn_i[31:20];
	wire        unused = &{1'b0, insn_i[19:0]};
	wire        counter = number[11:8] == 4'hB || number[11:8] == 4'hC;
	wire [31:0] scratch = {32{access && number == 12'h340}};
	wire [63:0] cycle = {{32{access && counter && number[7:0] == 8'h80}}, {32{access && counter && number[7:0] == 8'h00}}};
	wire [63:0] instret = {{32{access && counter && number[7:0] == 8'h82}}, {32{access && counter && number[7:0] == 8'h02}}};
	wire [63:0] writes = {64{csr_write_i}};
	assign csr_mscratch_rmask_o = scratch;
	assign csr_mscratch_wmask_o = scratch & writes[31:0];
	assign csr_mscratch_rdata_o = scratch & csr_rdata_i;
	assign csr_mscratch_wdata_o = scratch & writes[31:0] & csr_wdata_i;
	assign csr_mcycle_rmask_o = cycle;
	assign csr_mcycle_wmask_o = cycle & writes;
	assign csr_mcycle_rdata_o = cycle & {2{csr_rdata_i}};
	assign csr_mcycle_wdata_o = cycle & writes & {2{csr_wdata_i}};
	assign csr_minstret_rmask_o = instret;
	assign csr_minstret_wmask_o = instret & writes;
	assign csr_minstret_rdata_o = instret & {2{csr_rdata_i}};
	assign csr_minstret_wdata_o = instret & writes & {2{csr_wdata_i}};
endmodule
`default_nettype wire
