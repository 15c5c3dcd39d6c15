// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The bus masters of the sink: words with random gaps go to slaves that wait as they like. Each slave has every word once, in order, at its address,
// and the rules of its bus hold: what is offered stays until it is taken, and APB's access follows a setup cycle.
`default_nettype none
module sink_masters;
	localparam WORDS = 3000;
	reg clk = 1'b0, rst = 1'b1;
	always #5 clk = !clk;
	integer failed = 0, passed = 0;
	wire [2:0] done;

	genvar m;
	generate for (m = 0; m < 3; m = m + 1) begin : g_bus      // Wishbone, APB, AXI4-Lite
		reg         valid = 1'b0;
		reg  [31:0] addr = 32'h1000, wdata = 32'd1;
		wire        ready;
		integer     sent = 0, taken = 0, seed = 17 + m;
		reg  [31:0] next_data = 32'd1;
		reg         busy_q = 1'b0;
		wire        slave_ready, offered, accepted;
		wire [31:0] seen_addr, seen_data;
		reg         random = 1'b0;
		assign done[m] = taken == WORDS;
		// the sink: a word stays until it is taken
		always @(negedge clk)
			random <= $random(seed);
		always @(posedge clk) begin
			if (!rst && valid && ready) begin
				sent <= sent + 1;
				addr <= 32'h1000 + ((sent + 1) * 4 & 32'hFFF);
				wdata <= wdata * 32'd1664525 + 32'd1013904223;
				valid <= sent + 1 < WORDS && random;
			end else if (!rst && sent < WORDS)
				valid <= valid || random;
		end
		always @(posedge clk) if (!rst && accepted) begin
			taken <= taken + 1;
			next_data <= next_data * 32'd1664525 + 32'd1013904223;
			if (seen_addr !== 32'h1000 + (taken * 4 & 32'hFFF) || seen_data !== next_data) begin
				$display("sink_masters: bus %0d, word %0d: %h at %h", m, taken, seen_data, seen_addr);
				failed = failed + 1;
			end else
				passed = passed + 1;
		end
		if (m == 0) begin : g_wb
			wire        cyc, stb, we;
			wire [31:2] adr;
			wire [3:0]  sel;
			rivulet_trace_sink_wb master (
				.valid_i(valid),
				.addr_i(addr),
				.wdata_i(wdata),
				.ready_o(ready),
				.wb_cyc_o(cyc),
				.wb_stb_o(stb),
				.wb_we_o(we),
				.wb_adr_o(adr),
				.wb_sel_o(sel),
				.wb_dat_o(seen_data),
				.wb_ack_i(slave_ready),
				.wb_err_i(1'b0)
			);
			assign slave_ready = cyc && stb && random;
			assign accepted = slave_ready && we && sel == 4'hF;
			assign seen_addr = {adr, 2'b00};
			assign offered = stb;
		end else if (m == 1) begin : g_apb
			wire        sel, enable, write;
			wire [3:0]  strobe;
			reg         setup_q = 1'b0;
			rivulet_trace_sink_apb master (
				.clk_i(clk),
				.rst_i(rst),
				.valid_i(valid),
				.addr_i(addr),
				.wdata_i(wdata),
				.ready_o(ready),
				.psel_o(sel),
				.penable_o(enable),
				.pwrite_o(write),
				.paddr_o(seen_addr),
				.pstrb_o(strobe),
				.pwdata_o(seen_data),
				.pready_i(slave_ready)
			);
			assign slave_ready = random;
			assign accepted = sel && enable && slave_ready && write && strobe == 4'hF;
			assign offered = sel;
			always @(posedge clk) begin
				setup_q <= sel && !(enable && slave_ready);
				if (!rst && sel && enable !== setup_q) begin
					$display("sink_masters: APB: an access without its setup cycle, or none behind it");
					failed = failed + 1;
				end
			end
		end else begin : g_axi
			wire        awvalid, wvalid, bready;
			wire [2:0]  prot;
			wire [3:0]  strobe;
			reg         have_address = 1'b0, have_data = 1'b0;
			reg  [31:0] kept_address = 32'd0, kept_data = 32'd0;
			wire [31:0] address, data;
			reg         other = 1'b0;
			always @(negedge clk) other <= $random(seed);
			rivulet_trace_sink_axi master (
				.clk_i(clk),
				.rst_i(rst),
				.valid_i(valid),
				.addr_i(addr),
				.wdata_i(wdata),
				.ready_o(ready),
				.awvalid_o(awvalid),
				.awready_i(random && !have_address),
				.awaddr_o(address),
				.awprot_o(prot),
				.wvalid_o(wvalid),
				.wready_i(other && !have_data),
				.wdata_o(data),
				.wstrb_o(strobe),
				.bvalid_i(have_address && have_data && other),
				.bready_o(bready)
			);
			assign accepted = have_address && have_data && other && bready;
			assign seen_addr = kept_address;
			assign seen_data = kept_data;
			assign offered = awvalid;
			always @(posedge clk) begin
				if (awvalid && random && !have_address)
					{have_address, kept_address} <= {1'b1, address};
				if (wvalid && other && !have_data && strobe == 4'hF)
					{have_data, kept_data} <= {1'b1, data};
				if (accepted)
					{have_address, have_data} <= 2'b00;
			end
		end
	end endgenerate
	integer cycles = 0;
	always @(posedge clk) begin
		rst <= 1'b0;
		cycles = cycles + 1;
		if (done == 3'b111 || cycles == 40 * WORDS) begin
			if (done != 3'b111)
				failed = failed + 1;
			$display("sink_masters: %0d words over three buses, %0d passed, %0d failed", 3 * WORDS, passed, failed);
			$finish;
		end
	end
endmodule
`default_nettype wire
