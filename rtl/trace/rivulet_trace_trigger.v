// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// External trigger: pulses that start and stop tracing, as the level that rivulet_trace takes at stop_i (docs/trace-unit.md
// section 12). Cost: one register, one LUT4.
`default_nettype none
module rivulet_trace_trigger #(
	parameter [0:0] STOPPED = 0              // 1: after reset tracing is held off until the first start_i
) (
	input  wire clk_i,
	input  wire rst_i,                       // synchronous
	input  wire start_i,                     // pulse or level; stop_i wins
	input  wire stop_i,
	output wire stop_o
);
	reg stopped_q;
	always @(posedge clk_i)
		stopped_q <= rst_i ? STOPPED : stop_i || (stopped_q && !start_i);
	assign stop_o = stopped_q;
endmodule
`default_nettype wire
