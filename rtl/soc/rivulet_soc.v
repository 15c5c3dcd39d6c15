// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Core, trace unit, RAM, UART and timer on one bus (docs/core.md section 7).
`default_nettype none
`ifndef RIVULET_RAM
`define RIVULET_RAM rivulet_ram
`endif
module rivulet_soc #(
	parameter RAM_BYTES = 131072,            // Requires: a multiple of 4; a power of two spares a comparator
	parameter RAM_FILE = "",                 // its words at power-up, for $readmemh
	parameter [15:0] UART_DIV = 16'd7,       // cycles per bit - 1 after reset
	parameter UART_DIV_BITS = 16,            // of the register with it
	parameter [0:0] SIM = 0,                 // the simulation console and exit device answer
	parameter [0:0] WITH_C = 1,
	parameter [0:0] WITH_M = 1,
	parameter [0:0] MUL_FAST = 1,
	parameter [0:0] WITH_COUNTERS = 1,
	parameter PMP_REGIONS = 4,               // memory protection: 0 to 16 regions
	parameter PMP_GRAIN = 0,
	parameter [0:0] STATE_IN_RAM = 0,        // see rivulet_core
	parameter [0:0] WITH_RVFI = 0,
	parameter [11:0] TRACE_CSR_BASE = 12'h7C0, // see rivulet_core
	parameter [0:0] WITH_TRACE = 1,          // the trace unit; the parameters below are its own
	parameter TRACE_HIST = 32,
	parameter TRACE_FIFO_DEPTH = 16,
	parameter TRACE_RANGES = 1,
	parameter TRACE_FULL = 1,                // all its options, else none; the parameters below choose one by one
	parameter TRACE_REASON = TRACE_FULL,
	parameter TRACE_CYCLES = TRACE_FULL,
	parameter TRACE_CYCLE_BITS = 16,
	parameter TRACE_INSNS = TRACE_FULL,
	parameter TRACE_INSN_BITS = 16,
	parameter TRACE_REPEAT = TRACE_FULL,
	parameter TRACE_REPEAT_BITS = 8,
	parameter TRACE_SAMPLE = TRACE_FULL,
	parameter TRACE_SAMPLE_BITS = 24,
	parameter TRACE_DITHER = TRACE_FULL,
	parameter TRACE_MODE = TRACE_FULL,
	parameter TRACE_FREEZE = TRACE_FULL,
	parameter TRACE_HEAL = TRACE_FREEZE,
	parameter TRACE_LOST = TRACE_FULL,
	parameter TRACE_LIFO = TRACE_FULL && TRACE_FIFO_DEPTH > 0,
	parameter TRACE_CONTEXT = TRACE_FULL,
	parameter TRACE_TERM = TRACE_FULL,
	parameter TRACE_RANGE_START = TRACE_FULL && TRACE_RANGES > 0,
	parameter TRACE_RECORDER = 0,            // the flight recorder: Requires TRACE_FIFO_DEPTH > 0
	parameter TRACE_SINK = 0,                // the sink: records go to RAM in cycles of the bus. Requires TRACE_FIFO_DEPTH > 0, no TRACE_RECORDER
	parameter TRACE_TABLE_ENTRIES = 0,
	parameter TRACE_TABLE_WAYS = 4,
	parameter TRACE_TABLE_COUNT_BITS = 24,
	parameter TRACE_TABLE_CYCLE_BITS = 32,
	parameter TRACE_TABLE_CONTEXT_BITS = 0,
	parameter TRACE_TABLE_RATE = 0,
	parameter TRACE_TABLE_INDEX = 0,
	// The dense coder at the record port, and its pins: the parameters below are those of rivulet_trace_dense_port
	parameter TRACE_DENSE = 0,               // PORT; 0: there is none; 4: rivulet_trace_dense_recorder, at 0x1003_0000. Requires: WITH_TRACE, TRACE_REASON
	parameter TRACE_DENSE_DIV = 8,
	parameter TRACE_DENSE_ENTRIES = 256,
	parameter TRACE_DENSE_PLACES = 1024,
	parameter TRACE_DENSE_QUEUE = 256,
	parameter TRACE_DENSE_BUFFER = 512,
	parameter TRACE_DENSE_CHECK_BITS = 10,
	parameter TRACE_DENSE_START_BITS = 16,
	// Boot: ROM of 1 KiB at 0x0001_0000, where the core starts, and SPI master at 0x1002_0000 (docs/fpga.md)
	parameter [0:0] WITH_BOOT = 0,
	parameter ROM_FILE = ""                  // its words, for $readmemh
) (
	input  wire clk_i,
	input  wire rst_i,
	input  wire irq_ext_i,                   // external interrupt, level, of this clock
	input  wire bus_wait_i,                  // the bus accepts no request in this cycle; for benches, else 0
	input  wire uart_rx_i,
	output wire uart_tx_o,
	// Boot only, else idle; strap_i is a pin that software can read
	output wire spi_cs_n_o,
	output wire spi_sck_o,
	output wire spi_mosi_o,
	input  wire spi_miso_i,
	input  wire strap_i,
	input  wire freeze_i,                    // of rivulet_trace: freezes the flight recorder, if RECORDER.PIN is set; registered, of this clock
	input  wire dense_i,                     // pin_i and pins_o of rivulet_trace_dense_port
	output wire [8:0] dense_o
);
	wire        bus_valid, bus_fetch;
	wire [31:0] bus_addr, bus_data_addr, bus_wdata;
	wire [3:0]  bus_wstrb;
	wire [31:0] bus_rdata;
	wire        bus_err;
	wire        irq_soft, irq_timer, irq_trace, irq_uart;
	reg         irq_ext_q;
	wire        reg_write;
	wire [5:0]  reg_index;
	wire [31:0] reg_wdata, reg_rdata;
	wire        retire_valid, retire_trap, retire_intr;
	wire [31:0] retire_insn, retire_pc, retire_next_pc;
	wire [1:0]  retire_mode;
	wire [5:0]  retire_cause;

	rivulet_core #(
		.RESET_PC(WITH_BOOT ? 32'h0001_0000 : 32'h8000_0000),
		.WITH_C(WITH_C),
		.WITH_M(WITH_M),
		.MUL_FAST(MUL_FAST),
		.WITH_COUNTERS(WITH_COUNTERS),
		.WITH_TRACE_CSR(WITH_TRACE),
		.TRACE_CSR_BASE(TRACE_CSR_BASE),
		.PMP_REGIONS(PMP_REGIONS),
		.PMP_GRAIN(PMP_GRAIN),
		.STATE_IN_RAM(STATE_IN_RAM),
		.WITH_RVFI(WITH_RVFI)
	) core (
		.clk_i(clk_i),
		.rst_i(rst_i),
		.bus_valid_o(bus_valid),
		.bus_fetch_o(bus_fetch),
		.bus_addr_o(bus_addr),
		.bus_data_addr_o(bus_data_addr),
		.bus_wstrb_o(bus_wstrb),
		.bus_wdata_o(bus_wdata),
		.bus_ready_i(!bus_wait),
		.bus_rdata_i(bus_rdata),
		.bus_err_i(bus_err),
		.irq_soft_i(irq_soft),
		.irq_timer_i(irq_timer),
		.irq_ext_i(irq_ext_q),
		.irq_trace_i(irq_trace),
		.reg_read_o(),
		.reg_write_o(reg_write),
		.reg_index_o(reg_index),
		.reg_wdata_o(reg_wdata),
		.reg_rdata_i(reg_rdata),
		.retire_valid_o(retire_valid),
		.retire_insn_o(retire_insn),
		.retire_pc_o(retire_pc),
		.retire_next_pc_o(retire_next_pc),
		.retire_trap_o(retire_trap),
		.retire_intr_o(retire_intr),
		.retire_mode_o(retire_mode),
		.retire_cause_o(retire_cause),
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

	// A word of the sink has the bus before the core.
	localparam SINK_BITS = $clog2(RAM_BYTES) < 8 ? 8 : $clog2(RAM_BYTES) > 28 ? 28 : $clog2(RAM_BYTES);
	wire        sink_valid;
	wire [31:0] sink_addr, sink_wdata;
	wire        bus_wait = bus_wait_i || sink_valid;
	wire        rec_valid, tracing;
	wire [31:0] rec_start, rec_repeat;
	wire [TRACE_HIST-1:0] rec_hist;
	wire [3:0]  rec_reason;
	wire [15:0] rec_insns;
	generate if (WITH_TRACE) begin : g_trace
		// The resets up to the first cycle without one are those of power.
		reg up_q = 1'b0;
		always @(posedge clk_i)
			up_q <= up_q || !rst_i;
		rivulet_trace #(
			.XLEN(32),
			.HIST(TRACE_HIST),
			.FIFO_DEPTH(TRACE_FIFO_DEPTH),
			.RANGES(TRACE_RANGES),
			.WITH_REASON(TRACE_REASON),
			.WITH_CYCLES(TRACE_CYCLES),
			.CYCLE_BITS(TRACE_CYCLE_BITS),
			.WITH_INSNS(TRACE_INSNS),
			.INSN_BITS(TRACE_INSN_BITS),
			.WITH_REPEAT(TRACE_REPEAT),
			.REPEAT_BITS(TRACE_REPEAT_BITS),
			.WITH_SAMPLE(TRACE_SAMPLE),
			.SAMPLE_BITS(TRACE_SAMPLE_BITS),
			.WITH_DITHER(TRACE_DITHER),
			.WITH_MODE(TRACE_MODE),
			.WITH_FREEZE(TRACE_FREEZE),
			.WITH_HEAL(TRACE_HEAL),
			.WITH_LOST(TRACE_LOST),
			.WITH_LIFO(TRACE_LIFO),
			.WITH_CONTEXT(TRACE_CONTEXT),
			.WITH_TERM(TRACE_TERM),
			.WITH_RANGE_START(TRACE_RANGE_START),
			.WITH_RECORDER(TRACE_RECORDER),
			.WITH_SINK(TRACE_SINK),
			.SINK_BITS(SINK_BITS),
			.TABLE_ENTRIES(TRACE_TABLE_ENTRIES),
			.TABLE_WAYS(TRACE_TABLE_WAYS),
			.TABLE_COUNT_BITS(TRACE_TABLE_COUNT_BITS),
			.TABLE_CYCLE_BITS(TRACE_TABLE_CYCLE_BITS),
			.TABLE_CONTEXT_BITS(TRACE_TABLE_CONTEXT_BITS),
			.TABLE_RATE(TRACE_TABLE_RATE),
			.TABLE_INDEX(TRACE_TABLE_INDEX)
		) trace (
			.clk_i(clk_i),
			.rst_i(rst_i),
			.retire_valid_i(retire_valid),
			.retire_insn_i(retire_insn),
			.retire_pc_i(retire_pc),
			.retire_next_pc_i(retire_next_pc),
			.retire_trap_i(retire_trap),
			.retire_intr_i(retire_intr),
			.retire_mode_i(retire_mode),
			.retire_ready_o(),
			.retire_lost_o(),
			.retire_cause_i(retire_cause),
			.stop_i(1'b0),
			.freeze_i(freeze_i),
			.power_on_i(!up_q),
			.reg_write_i(reg_write),
			.reg_index_i(reg_index),
			.reg_wdata_i(reg_wdata),
			.reg_rdata_o(reg_rdata),
			.irq_o(irq_trace),
			.tracing_o(tracing),
			.rec_valid_o(rec_valid),
			.rec_start_o(rec_start),
			.rec_hist_o(rec_hist),
			.rec_reason_o(rec_reason),
			.rec_repeat_o(rec_repeat),
			.rec_cycles_o(),
			.rec_insns_o(rec_insns),
			.sink_valid_o(sink_valid),
			.sink_addr_o(sink_addr),
			.sink_wdata_o(sink_wdata),
			.sink_ready_i(!bus_wait_i)
		);
	end else begin : g_no_trace
		assign {tracing, rec_valid, rec_start, rec_repeat, rec_hist, rec_reason, rec_insns} = {86+TRACE_HIST{1'b0}};
		assign sink_valid = 1'b0;
		assign sink_addr = 32'd0;
		assign sink_wdata = 32'd0;
		assign reg_rdata = 32'd0;
		assign irq_trace = 1'b0;
	end endgenerate

	// What a frame holds leaves when tracing is off.
	wire hit_dense;
	wire [31:0] dense_rdata;
	generate if (WITH_TRACE && TRACE_DENSE == 4) begin : g_dense_recorder
		reg up_q = 1'b0;
		always @(posedge clk_i)
			up_q <= up_q || !rst_i;
		rivulet_trace_dense_recorder #(
			.XLEN(32),
			.HIST(TRACE_HIST),
			.ENTRIES(TRACE_DENSE_ENTRIES),
			.PLACES(TRACE_DENSE_PLACES),
			.REPEAT_BITS(TRACE_REPEAT ? TRACE_REPEAT_BITS : 1),
			.INSN_BITS(TRACE_INSNS ? TRACE_INSN_BITS : 1),
			.QUEUE(TRACE_DENSE_QUEUE),
			.CHECK_BITS(TRACE_DENSE_CHECK_BITS)
		) recorder (
			.clk_i(clk_i),
			.rst_i(rst_i),
			.power_on_i(!up_q),
			.rec_valid_i(rec_valid),
			.rec_start_i(rec_start),
			.rec_hist_i(rec_hist),
			.rec_reason_i(rec_reason),
			.rec_repeat_i(rec_repeat),
			.rec_insns_i(rec_insns),
			.flush_i(!tracing),
			.sel_i(hit_dense),
			.write_i(write),
			.addr_i(bus_data_addr),
			.rdata_o(dense_rdata)
		);
		assign hit_dense = bus_data_addr[31:13] == 19'h08018 && !bus_fetch;
		assign dense_o = 9'd0;
	end else begin : g_no_dense_recorder
		assign hit_dense = 1'b0;
		assign dense_rdata = 32'd0;
	end
	if (WITH_TRACE && TRACE_DENSE != 0 && TRACE_DENSE != 4) begin : g_dense
		wire busy;
		rivulet_trace_dense_port #(
			.PORT(TRACE_DENSE),
			.DIV(TRACE_DENSE_DIV),
			.XLEN(32),
			.HIST(TRACE_HIST),
			.ENTRIES(TRACE_DENSE_ENTRIES),
			.PLACES(TRACE_DENSE_PLACES),
			.REPEAT_BITS(TRACE_REPEAT ? TRACE_REPEAT_BITS : 1),
			.INSN_BITS(TRACE_INSNS ? TRACE_INSN_BITS : 1),
			.QUEUE(TRACE_DENSE_QUEUE),
			.BUFFER(TRACE_DENSE_BUFFER),
			.CHECK_BITS(TRACE_DENSE_CHECK_BITS),
			.START_BITS(TRACE_DENSE_START_BITS)
		) dense (
			.clk_i(clk_i),
			.rst_i(rst_i),
			.rec_valid_i(rec_valid),
			.rec_start_i(rec_start),
			.rec_hist_i(rec_hist),
			.rec_reason_i(rec_reason),
			.rec_repeat_i(rec_repeat),
			.rec_insns_i(rec_insns),
			.flush_i(!tracing),
			.begin_i(1'b0),
			.pin_i(dense_i),
			.pins_o(dense_o),
			.busy_o(busy)
		);
	end else if (!WITH_TRACE || TRACE_DENSE == 0) begin : g_no_dense
		assign dense_o = 9'd0;
	end
	if (TRACE_DENSE != 0 && !(WITH_TRACE && TRACE_REASON != 0)) begin : g_dense_needs
		rivulet_soc_TRACE_DENSE_needs_WITH_TRACE_and_TRACE_REASON wrong ();
	end endgenerate

	// Address decode: exact windows; what hits none of them, or is fetched from anything but RAM, fails.
	localparam RAM_W = $clog2(RAM_BYTES);
	localparam [0:0] RAM_WHOLE = RAM_BYTES == 1 << RAM_W;
	localparam [RAM_W:0] RAM_SIZE = RAM_BYTES[RAM_W:0];
	localparam [31:RAM_W] RAM_BASE = {1'b1, {31-RAM_W{1'b0}}};
	wire hit_ram = bus_addr[31:RAM_W] == RAM_BASE && (RAM_WHOLE || {1'b0, bus_addr[RAM_W-1:0]} < RAM_SIZE);
	wire hit_clint = bus_data_addr[31:16] == 16'h0200 && !bus_fetch;
	wire hit_uart = bus_data_addr[31:4] == 28'h1000000 && !bus_fetch;
	wire hit_sim = SIM && bus_data_addr[31:4] == 28'h1001000 && !bus_fetch;
	wire hit_rom = WITH_BOOT && bus_addr[31:10] == 22'h000040;
	wire hit_spi = WITH_BOOT && bus_data_addr[31:4] == 28'h1002000 && !bus_fetch;
	reg  ram_q, rom_q, spi_q, err_q;
	wire writes = bus_wstrb != 4'b0000;
	wire accepted = bus_valid && !bus_wait;
	// A write is no fetch, and needs no look at what else the bus could carry.
	wire write = writes && !bus_wait;
	wire write_ram = write && bus_data_addr[31:RAM_W] == RAM_BASE && (RAM_WHOLE || {1'b0, bus_data_addr[RAM_W-1:0]} < RAM_SIZE);
	// What the sink writes beside RAM is dropped.
	wire sink_ram = !bus_wait_i && sink_addr[31:RAM_W] == RAM_BASE && (RAM_WHOLE || {1'b0, sink_addr[RAM_W-1:0]} < RAM_SIZE);
	wire [31:0] ram_rdata, clint_rdata, uart_rdata, rom_rdata, spi_rdata;
	always @(posedge clk_i) begin
		ram_q <= hit_ram;
		rom_q <= hit_rom;
		spi_q <= hit_spi;
		err_q <= !(hit_ram || hit_clint || hit_uart || hit_sim || (hit_rom && !writes) || hit_spi || hit_dense);
		irq_ext_q <= !rst_i && (irq_ext_i || irq_uart);
	end
	assign bus_err = err_q;
	assign bus_rdata = ({32{ram_q}} & ram_rdata) | clint_rdata | uart_rdata | dense_rdata |
		({32{rom_q}} & rom_rdata) | ({32{spi_q}} & spi_rdata);

	`RIVULET_RAM #(.BYTES(RAM_BYTES), .FILE(RAM_FILE)) ram (
		.clk_i(clk_i),
		.word_i({{32-RAM_W{1'b0}}, sink_valid ? sink_addr[RAM_W-1:2] : bus_addr[RAM_W-1:2]}),
		.wstrb_i(sink_valid ? {4{sink_ram}} : bus_wstrb & {4{write_ram}}),
		.wdata_i(sink_valid ? sink_wdata : bus_wdata),
		.rdata_o(ram_rdata)
	);
	rivulet_clint clint (
		.clk_i(clk_i),
		.rst_i(rst_i),
		.sel_i(hit_clint),
		.write_i(write && hit_clint),
		.addr_i(bus_data_addr[15:0]),
		.wdata_i(bus_wdata),
		.rdata_o(clint_rdata),
		.irq_soft_o(irq_soft),
		.irq_timer_o(irq_timer)
	);
	rivulet_uart #(.DIV(UART_DIV), .DIV_BITS(UART_DIV_BITS)) uart (
		.clk_i(clk_i),
		.rst_i(rst_i),
		.sel_i(hit_uart),
		.read_i(accepted && hit_uart && !writes),
		.write_i(write && hit_uart),
		.addr_i(bus_data_addr[3:0]),
		.wdata_i(bus_wdata),
		.rdata_o(uart_rdata),
		.rx_i(uart_rx_i),
		.tx_o(uart_tx_o),
		.irq_o(irq_uart)
	);

	generate if (WITH_BOOT) begin : g_boot
		rivulet_rom #(.FILE(ROM_FILE)) rom (
			.clk_i(clk_i),
			.word_i(bus_addr[9:2]),
			.rdata_o(rom_rdata)
		);
		rivulet_spi spi (
			.clk_i(clk_i),
			.rst_i(rst_i),
			.write_i(write && hit_spi),
			.addr_i(bus_data_addr[3:0]),
			.wdata_i(bus_wdata[8:0]),
			.rdata_o(spi_rdata),
			.strap_i(strap_i),
			.cs_n_o(spi_cs_n_o),
			.sck_o(spi_sck_o),
			.mosi_o(spi_mosi_o),
			.miso_i(spi_miso_i)
		);
	end else begin : g_no_boot
		assign rom_rdata = 32'd0;
		assign spi_rdata = 32'd0;
		assign {spi_cs_n_o, spi_sck_o, spi_mosi_o} = 3'b100;
	end endgenerate
endmodule
`default_nettype wire
