// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The board in fpga/sim/bench.v: clk and tx are the bench's.
	rivulet_hx8k_table `TOP_PARAMETERS top (.clk12_i(clk), .uart_rx_i(1'b1), .uart_tx_o(tx), .led_reset_o(), .led_uart_o());
