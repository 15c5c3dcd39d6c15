// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The board in fpga/sim/bench.v: clk and tx are the bench's.
	wire cs_n, sck, mosi, miso;
	rivulet_icebreaker_table `TOP_PARAMETERS top (.clk12_i(clk), .uart_rx_i(1'b1), .uart_tx_o(tx), .flash_cs_n_o(cs_n), .flash_sck_o(sck), .flash_mosi_o(mosi),
		.flash_miso_i(miso), .button_n_i(1'b1), .led_red_n_o(), .led_green_n_o());
	flash flash (.cs_n_i(cs_n), .sck_i(sck), .mosi_i(mosi), .miso_o(miso));
