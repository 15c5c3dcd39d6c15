// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Two cores on one bus with one RAM and UART, each core with its trace unit and timer; the units share a sink (docs/core.md section 9).
`default_nettype none
// verilator lint_save
// verilator lint_off UNUSED
`ifndef RIVULET_RAM
`define RIVULET_RAM rivulet_ram
`endif
module rivulet_duo #(
	parameter RAM_BYTES = 131072,            // Requires: a power of two
	parameter RAM_FILE = "",                 // its words at power-up, for $readmemh
	parameter [15:0] UART_DIV = 16'd7,       // cycles per bit - 1 after reset
	parameter [0:0] SIM = 0,                 // the simulation console and exit device answer
	parameter [0:0] WITH_C = 1,
	parameter [0:0] WITH_M = 1,
	parameter [0:0] MUL_FAST = 1,
	parameter [0:0] WITH_COUNTERS = 1,
	parameter PMP_REGIONS = 4,
	parameter PMP_GRAIN = 0,
	parameter TRACE_RANGES = 1,              // of each unit, which has all other options and LAST in place of a buffer, or
	parameter TRACE_FIFO_DEPTH = 16,         // a buffer that software reads, beside the sink
	parameter TRACE_DEPTH = 16,              // records of each unit that wait for the sink
	parameter TRACE_TIME_BITS = 32,          // 0: records have no time
	parameter TRACE_TABLE_ENTRIES = 0        // of a hot-trace table for both; then records have no time
) (
	input  wire clk_i,
	input  wire rst_i,
	input  wire [1:0] irq_ext_i,             // external interrupt of each hart, level, of this clock; hart 0 has that of the UART too
	input  wire bus_wait_i,                  // the bus accepts no request in this cycle; for benches, else 0
	input  wire uart_rx_i,
	output wire uart_tx_o
);
	wire [1:0]  bus_valid, bus_fetch, bus_ready, irq_soft, irq_timer, irq_trace, reg_write;
	wire [63:0] bus_addr, bus_data_addr, bus_wdata, reg_wdata, reg_rdata;
	wire [7:0]  bus_wstrb;
	wire [31:0] bus_rdata;
	wire        bus_err;
	reg  [1:0]  irq_ext_q;
	wire [11:0] reg_index, retire_cause;
	wire [1:0]  retire_valid, retire_trap, retire_intr;
	wire [63:0] retire_insn, retire_pc, retire_next_pc;
	wire [3:0]  retire_mode;
	wire [1:0]  rec_valid;
	wire [63:0] rec_start, rec_hist, rec_repeat, rec_cycles;
	wire [7:0]  rec_reason;
	wire [31:0] rec_insns;
	wire        sink_valid, irq_sink;
	wire [31:0] sink_addr, sink_wdata;

	// A word of the sink has the bus before the harts. Of these it is one's alone in a cycle, whatever it does, so that no hart waits for what the
	// other decides in the same cycle; then it is the other one's, if that wants it.
	reg         owner_q;
	wire        bus_wait = bus_wait_i || sink_valid;
	wire        other = owner_q;             // the bus is that of hart 1
	assign bus_ready = bus_wait ? 2'b00 : other ? 2'b10 : 2'b01;
	always @(posedge clk_i)
		if (rst_i)
			owner_q <= 1'b0;
		else if (!bus_wait && bus_valid[!owner_q])
			owner_q <= !owner_q;
	wire        valid = bus_valid[other], fetch = bus_fetch[other];
	wire [31:0] addr = other ? bus_addr[63:32] : bus_addr[31:0];
	wire [31:0] data_addr = other ? bus_data_addr[63:32] : bus_data_addr[31:0];
	wire [31:0] wdata = other ? bus_wdata[63:32] : bus_wdata[31:0];
	wire [3:0]  wstrb = !valid ? 4'b0000 : other ? bus_wstrb[7:4] : bus_wstrb[3:0];
	wire        writes = wstrb != 4'b0000;
	wire        accepted = valid && !bus_wait;
	wire        write = writes && !bus_wait;

	// Address decode: exact windows; what hits none of them, or is fetched from anything but RAM, fails.
	localparam RAM_W = $clog2(RAM_BYTES);
	localparam [31:RAM_W] RAM_BASE = {1'b1, {31-RAM_W{1'b0}}};
	wire hit_ram = addr[31:RAM_W] == RAM_BASE;
	wire hit_clint = data_addr[31:16] == 16'h0200 && !fetch;
	wire hit_uart = data_addr[31:4] == 28'h1000000 && !fetch;
	wire hit_sim = SIM && data_addr[31:4] == 28'h1001000 && !fetch;
	wire hit_hub = data_addr[31:6] == 26'h0401000 && !fetch;          // 0x1004_0000
	wire write_ram = write && data_addr[31:RAM_W] == RAM_BASE;
	wire sink_ram = !bus_wait_i && sink_addr[31:RAM_W] == RAM_BASE;  // what the sink writes beside RAM is dropped
	reg  ram_q, err_q, hub_q;
	reg  [31:0] hub_rdata_q;
	wire [31:0] ram_rdata, uart_rdata, hub_rdata;
	wire [63:0] clint_rdata;
	wire irq_uart;
	always @(posedge clk_i) begin
		ram_q <= hit_ram;
		err_q <= !(hit_ram || hit_clint || hit_uart || hit_sim || hit_hub);
		hub_rdata_q <= hub_rdata & {32{hit_hub}};
		irq_ext_q <= rst_i ? 2'b00 : irq_ext_i | {1'b0, irq_uart || irq_sink};
	end
	assign bus_err = err_q;
	assign bus_rdata = ({32{ram_q}} & ram_rdata) | clint_rdata[31:0] | clint_rdata[63:32] | uart_rdata | hub_rdata_q;

	// The resets up to the first cycle without one are those of power.
	reg up_q = 1'b0;
	always @(posedge clk_i)
		up_q <= up_q || !rst_i;
	genvar h;
	generate for (h = 0; h < 2; h = h + 1) begin : g_hart
		rivulet_core #(
			.RESET_PC(32'h8000_0000),
			.WITH_C(WITH_C),
			.WITH_M(WITH_M),
			.MUL_FAST(MUL_FAST),
			.WITH_COUNTERS(WITH_COUNTERS),
			.PMP_REGIONS(PMP_REGIONS),
			.PMP_GRAIN(PMP_GRAIN),
			.HARTID(h)
		) core (
			.clk_i(clk_i),
			.rst_i(rst_i),
			.bus_valid_o(bus_valid[h]),
			.bus_fetch_o(bus_fetch[h]),
			.bus_addr_o(bus_addr[32*h +: 32]),
			.bus_data_addr_o(bus_data_addr[32*h +: 32]),
			.bus_wstrb_o(bus_wstrb[4*h +: 4]),
			.bus_wdata_o(bus_wdata[32*h +: 32]),
			.bus_ready_i(bus_ready[h]),
			.bus_rdata_i(bus_rdata),
			.bus_err_i(bus_err),
			.irq_soft_i(irq_soft[h]),
			.irq_timer_i(irq_timer[h]),
			.irq_ext_i(irq_ext_q[h]),
			.irq_trace_i(irq_trace[h]),
			.reg_read_o(),
			.reg_write_o(reg_write[h]),
			.reg_index_o(reg_index[6*h +: 6]),
			.reg_wdata_o(reg_wdata[32*h +: 32]),
			.reg_rdata_i(reg_rdata[32*h +: 32]),
			.retire_valid_o(retire_valid[h]),
			.retire_insn_o(retire_insn[32*h +: 32]),
			.retire_pc_o(retire_pc[32*h +: 32]),
			.retire_next_pc_o(retire_next_pc[32*h +: 32]),
			.retire_trap_o(retire_trap[h]),
			.retire_intr_o(retire_intr[h]),
			.retire_mode_o(retire_mode[2*h +: 2]),
			.retire_cause_o(retire_cause[6*h +: 6]),
			.rvfi_order_o(),
			.rvfi_rs1_addr_o(),
			.rvfi_rs2_addr_o(),
			.rvfi_rd_addr_o(),
			.rvfi_rs1_rdata_o(),
			.rvfi_rs2_rdata_o(),
			.rvfi_rd_wdata_o(),
			.rvfi_mem_addr_o(),
			.rvfi_mem_rmask_o(),
			.rvfi_mem_wmask_o(),
			.rvfi_mem_rdata_o(),
			.rvfi_mem_wdata_o(),
			.rvfi_csr_o(),
			.rvfi_csr_write_o(),
			.rvfi_csr_rdata_o(),
			.rvfi_csr_wdata_o()
		);
		rivulet_trace #(
			.XLEN(32),
			.HIST(32),
			.FIFO_DEPTH(TRACE_FIFO_DEPTH),
			.RANGES(TRACE_RANGES),
			.WITH_REASON(1),
			.WITH_CYCLES(1),
			.WITH_INSNS(1),
			.WITH_REPEAT(1),
			.WITH_SAMPLE(1),
			.WITH_DITHER(1),
			.WITH_MODE(1),
			.WITH_FREEZE(1),
			.WITH_HEAL(1),
			.WITH_LOST(1),
			.WITH_LIFO(TRACE_FIFO_DEPTH > 0),
			.WITH_CONTEXT(1),
			.WITH_TERM(1),
			.WITH_RANGE_START(TRACE_RANGES > 0)
		) trace (
			.clk_i(clk_i),
			.rst_i(rst_i),
			.retire_valid_i(retire_valid[h]),
			.retire_insn_i(retire_insn[32*h +: 32]),
			.retire_pc_i(retire_pc[32*h +: 32]),
			.retire_next_pc_i(retire_next_pc[32*h +: 32]),
			.retire_trap_i(retire_trap[h]),
			.retire_intr_i(retire_intr[h]),
			.retire_mode_i(retire_mode[2*h +: 2]),
			.retire_ready_o(),
			.retire_lost_o(),
			.retire_cause_i(retire_cause[6*h +: 6]),
			.stop_i(1'b0),
			.freeze_i(1'b0),
			.power_on_i(!up_q),
			.reg_write_i(reg_write[h]),
			.reg_index_i(reg_index[6*h +: 6]),
			.reg_wdata_i(reg_wdata[32*h +: 32]),
			.reg_rdata_o(reg_rdata[32*h +: 32]),
			.irq_o(irq_trace[h]),
			.tracing_o(),
			.rec_valid_o(rec_valid[h]),
			.rec_start_o(rec_start[32*h +: 32]),
			.rec_hist_o(rec_hist[32*h +: 32]),
			.rec_reason_o(rec_reason[4*h +: 4]),
			.rec_repeat_o(rec_repeat[32*h +: 32]),
			.rec_cycles_o(rec_cycles[32*h +: 32]),
			.rec_insns_o(rec_insns[16*h +: 16]),
			.sink_valid_o(),
			.sink_addr_o(),
			.sink_wdata_o(),
			.sink_ready_i(1'b0)
		);
		// Each hart has the timer and the software interrupt at the CLINT's place for itself.
		rivulet_clint clint (
			.clk_i(clk_i),
			.rst_i(rst_i),
			.sel_i(hit_clint && (other == h)),
			.write_i(write && hit_clint && (other == h)),
			.addr_i(data_addr[15:0]),
			.wdata_i(wdata),
			.rdata_o(clint_rdata[32*h +: 32]),
			.irq_soft_o(irq_soft[h]),
			.irq_timer_o(irq_timer[h])
		);
	end endgenerate

	wire rec_taken;
	rivulet_trace_hub #(
		.SOURCES(2),
		.XLEN(32),
		.HIST(32),
		.DEPTH(TRACE_DEPTH),
		.TIME_BITS(TRACE_TABLE_ENTRIES > 0 ? 0 : TRACE_TIME_BITS),
		.TABLE_ENTRIES(TRACE_TABLE_ENTRIES),
		.SINK_BITS(RAM_W < 8 ? 8 : RAM_W > 28 ? 28 : RAM_W)
	) hub (
		.clk_i(clk_i),
		.rst_i(rst_i),
		.rec_valid_i(rec_valid),
		.rec_start_i(rec_start),
		.rec_hist_i(rec_hist),
		.rec_reason_i(rec_reason),
		.rec_repeat_i(rec_repeat),
		.rec_cycles_i(rec_cycles),
		.rec_insns_i(rec_insns),
		.write_i(write && hit_hub),
		.index_i(data_addr[5:2]),
		.wdata_i(wdata),
		.rdata_o(hub_rdata),
		.irq_o(irq_sink),
		.mem_valid_o(sink_valid),
		.mem_addr_o(sink_addr),
		.mem_wdata_o(sink_wdata),
		.mem_ready_i(!bus_wait_i),
		.rec_taken_o(rec_taken)
	);
	`RIVULET_RAM #(.BYTES(RAM_BYTES), .FILE(RAM_FILE)) ram (
		.clk_i(clk_i),
		.word_i({{32-RAM_W{1'b0}}, sink_valid ? sink_addr[RAM_W-1:2] : addr[RAM_W-1:2]}),
		.wstrb_i(sink_valid ? {4{sink_ram}} : wstrb & {4{write_ram}}),
		.wdata_i(sink_valid ? sink_wdata : wdata),
		.rdata_o(ram_rdata)
	);
	rivulet_uart #(.DIV(UART_DIV)) uart (
		.clk_i(clk_i),
		.rst_i(rst_i),
		.sel_i(hit_uart),
		.read_i(accepted && hit_uart && !writes),
		.write_i(write && hit_uart),
		.addr_i(data_addr[3:0]),
		.wdata_i(wdata),
		.rdata_o(uart_rdata),
		.rx_i(uart_rx_i),
		.tx_o(uart_tx_o),
		.irq_o(irq_uart)
	);
endmodule
// verilator lint_restore
`default_nettype wire
