// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Debug transport over JTAG (RISC-V Debug Specification 0.13.2, section 6.1): IDCODE, dtmcs, dmi, BYPASS in 5-bit instructions.
//
// A request goes to the other clock by a level that changes once for each (request_o), the answer comes back the same way
// (answer_i): equal levels mean that nothing is under way. What belongs to a level stands still while the levels differ.
//
//   request_o  ____/------------\____      address_o, write_o, wdata_o stand still
//   answer_i   ________/------------\      rdata_i stands still from here until the next request
`default_nettype none
module rivulet_debug_jtag #(
	parameter [31:0] IDCODE = 32'h1000_0001   // Requires: bit 0 set
) (
	input  wire        tck_i,
	input  wire        tms_i,
	input  wire        tdi_i,
	output reg         tdo_o,
	input  wire        trst_i,                // of tck_i
	output wire        request_o,
	output wire        write_o,
	output wire [6:0]  address_o,
	output wire [31:0] wdata_o,
	input  wire        answer_i,              // of the other clock
	input  wire [31:0] rdata_i
);
	// IEEE 1149.1, figure 6-1
	localparam [3:0] RESET = 4'd0, IDLE = 4'd1, SELECT_DR = 4'd2, CAPTURE_DR = 4'd3, SHIFT_DR = 4'd4, EXIT1_DR = 4'd5, PAUSE_DR = 4'd6,
		EXIT2_DR = 4'd7, UPDATE_DR = 4'd8, SELECT_IR = 4'd9, CAPTURE_IR = 4'd10, SHIFT_IR = 4'd11, EXIT1_IR = 4'd12, PAUSE_IR = 4'd13,
		EXIT2_IR = 4'd14, UPDATE_IR = 4'd15;
	localparam [4:0] IR_IDCODE = 5'h01, IR_DTMCS = 5'h10, IR_DMI = 5'h11;
	localparam [1:0] OP_READ = 2'd1, OP_WRITE = 2'd2, STATUS_BUSY = 2'd3;
	localparam DMI_BITS = 41;                 // address 7, data 32, op 2

	reg  [3:0] state_q, state_d;
	always @* begin
		case (state_q)
		RESET: state_d = tms_i ? RESET : IDLE;
		IDLE: state_d = tms_i ? SELECT_DR : IDLE;
		SELECT_DR: state_d = tms_i ? SELECT_IR : CAPTURE_DR;
		CAPTURE_DR: state_d = tms_i ? EXIT1_DR : SHIFT_DR;
		SHIFT_DR: state_d = tms_i ? EXIT1_DR : SHIFT_DR;
		EXIT1_DR: state_d = tms_i ? UPDATE_DR : PAUSE_DR;
		PAUSE_DR: state_d = tms_i ? EXIT2_DR : PAUSE_DR;
		EXIT2_DR: state_d = tms_i ? UPDATE_DR : SHIFT_DR;
		UPDATE_DR: state_d = tms_i ? SELECT_DR : IDLE;
		SELECT_IR: state_d = tms_i ? RESET : CAPTURE_IR;
		CAPTURE_IR: state_d = tms_i ? EXIT1_IR : SHIFT_IR;
		SHIFT_IR: state_d = tms_i ? EXIT1_IR : SHIFT_IR;
		EXIT1_IR: state_d = tms_i ? UPDATE_IR : PAUSE_IR;
		PAUSE_IR: state_d = tms_i ? EXIT2_IR : PAUSE_IR;
		EXIT2_IR: state_d = tms_i ? UPDATE_IR : SHIFT_IR;
		UPDATE_IR: state_d = tms_i ? SELECT_DR : IDLE;
		default: state_d = RESET;
		endcase
		if (trst_i)
			state_d = RESET;
	end

	reg  [4:0] ir_q, ir_shift_q;
	reg  [DMI_BITS-1:0] shift_q;
	reg  [DMI_BITS-1:1] dmi_q;
	// No reset: whatever level it begins with, the other half takes it over when it is reset. The value is for simulators.
	reg  request_q = 1'b0;
	reg  answer1_q, answer2_q;                // answer_i through two flip-flops
	reg  busy_q;                              // dtmcs.dmistat: a scan came while a request was under way; until dmireset
	wire under_way = request_q != answer2_q;
	wire [1:0] status = busy_q || under_way ? STATUS_BUSY : 2'd0;
	// idle 5: a request takes two cycles of each clock, and those of the bus behind it
	wire [31:0] dtmcs = {14'd0, 1'b0, 1'b0, 1'b0, 3'd5, busy_q ? STATUS_BUSY : 2'd0, 6'd7, 4'd1};
	wire asks = state_q == UPDATE_DR && ir_q == IR_DMI && !busy_q && !under_way && (shift_q[1:0] == OP_READ || shift_q[1:0] == OP_WRITE);

	always @(posedge tck_i) begin
		state_q <= state_d;
		answer1_q <= answer_i;
		answer2_q <= answer1_q;
		case (state_q)
		CAPTURE_IR: ir_shift_q <= 5'b00001;
		SHIFT_IR: ir_shift_q <= {tdi_i, ir_shift_q[4:1]};
		UPDATE_IR: ir_q <= ir_shift_q;
		CAPTURE_DR: begin
			case (ir_q)
			IR_IDCODE: shift_q <= {9'd0, IDCODE};
			IR_DTMCS: shift_q <= {9'd0, dtmcs};
			IR_DMI: shift_q <= {dmi_q[40:34], rdata_i, status};
			default: shift_q <= {DMI_BITS{1'b0}};
			endcase
			if (ir_q == IR_DMI && under_way)
				busy_q <= 1'b1;
		end
		SHIFT_DR:
			case (ir_q)
			IR_DMI: shift_q <= {tdi_i, shift_q[DMI_BITS-1:1]};
			IR_IDCODE, IR_DTMCS: shift_q <= {9'd0, tdi_i, shift_q[31:1]};
			default: shift_q <= {40'd0, tdi_i};
			endcase
		UPDATE_DR:
			if (ir_q == IR_DTMCS && (shift_q[16] || shift_q[17]))
				busy_q <= 1'b0;
		default: ;
		endcase
		if (asks) begin
			dmi_q <= shift_q[DMI_BITS-1:1];
			request_q <= !request_q;
		end
		if (state_q == RESET) begin
			ir_q <= IR_IDCODE;
			busy_q <= 1'b0;
		end
	end
	always @(negedge tck_i)
		tdo_o <= state_q == SHIFT_IR ? ir_shift_q[0] : shift_q[0];
	assign request_o = request_q;
	assign write_o = dmi_q[1];
	assign address_o = dmi_q[40:34];
	assign wdata_o = dmi_q[33:2];
endmodule
`default_nettype wire
