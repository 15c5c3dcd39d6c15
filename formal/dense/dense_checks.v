// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Properties of the dense coder, for prove (docs/trace-unit.md section 15). CHECK chooses one: of the part that makes bytes, or of what stands
// before it. The sizes are smaller than a chip may have them: rivulet_trace_dense_legal is left out.
`default_nettype none
module dense_checks #(
	parameter CHECK = 0,
	parameter XLEN = 7,
	parameter HIST = 6,
	parameter ENTRIES = 16,
	parameter PLACES = 16,
	parameter REPEAT_BITS = 2,
	parameter INSN_BITS = 5,
	parameter QUEUE = 4,
	parameter CHECK_BITS = 3,
	parameter START_BITS = 4,
	parameter BUFFER = 4
) (
	input wire clk
);
	localparam HOLDS = 5, ENDED = 8;
	generate if (CHECK >= HOLDS && CHECK < ENDED) begin : g
		dense_pack_checks #(.CHECK(CHECK), .BUFFER(BUFFER)) bytes (.clk(clk));
	end else begin : g
		dense_coder_checks #(
			.CHECK(CHECK),
			.XLEN(XLEN),
			.HIST(HIST),
			.ENTRIES(ENTRIES),
			.PLACES(PLACES),
			.REPEAT_BITS(REPEAT_BITS),
			.INSN_BITS(INSN_BITS),
			.QUEUE(QUEUE),
			.CHECK_BITS(CHECK_BITS),
			.START_BITS(START_BITS)
		) codes (.clk(clk));
	end endgenerate
endmodule
module rivulet_trace_dense_legal #(
	parameter XLEN = 0,
	parameter HIST = 0,
	parameter ENTRIES = 0,
	parameter PLACES = 0,
	parameter REPEAT_BITS = 0,
	parameter INSN_BITS = 0,
	parameter QUEUE = 0,
	parameter BUFFER = 0,
	parameter CHECK_BITS = 0,
	parameter START_BITS = 0
) ();
endmodule
`default_nettype wire
