// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// A core for `make check-ports`, unlike the others: RV32I, two instructions a cycle, interrupts that come LATE instructions late, one return
// instruction of its own (0x0400000B, as PicoRV32's retirq), machine mode and user mode without CSRs, devices behind APB. It is a model of such a
// core for simulation. break_i makes it break a rule of rivulet_retire_check once, the rule's number plus one, on its port alone: the program runs on.
`default_nettype none
module twin_core #(
	parameter WORDS = 16384,
	parameter LATE = 5
) (
	input  wire        clk_i,
	input  wire        rst_i,
	input  wire        irq_i,
	input  wire        ready_i,                  // the retirements of this cycle are taken; else nothing is executed
	input  wire [3:0]  break_i,
	// APB
	output reg         psel_o,
	output reg         penable_o,
	output reg         pwrite_o,
	output reg  [31:0] paddr_o,
	output reg  [31:0] pwdata_o,
	input  wire [31:0] prdata_i,
	input  wire        pready_i,
	// two slots
	output reg  [1:0]  valid_o,
	output reg  [63:0] insn_o,
	output reg  [63:0] pc_o,
	output reg  [63:0] next_pc_o,
	output reg  [1:0]  trap_o,
	output reg  [1:0]  intr_o,
	output wire [3:0]  mode_o
);
	localparam [31:0] HANDLER = 32'h10, RETURN = 32'h0400_000B;
	reg [31:0] ram [0:WORDS-1];
	reg [31:0] x [0:31];
	reg [31:0] pc, back, insn, next, a, b, imm, value, address;
	reg        called;                           // the last instruction was ECALL
	reg        masked, first, stop, taken, waits;
	reg        mode_wrong;
	integer    late, slot, done, i;
	assign mode_o = {2'd3, mode_wrong ? 2'd0 : 2'd3};

	// One instruction at pc: its effect, and where it goes. waits: it is a device's, and not over; stop: no other in this cycle.
	task execute(input integer s);
		begin
			insn = ram[pc[31:2]];
			a = x[insn[19:15]];
			b = x[insn[24:20]];
			next = pc + 32'd4;
			value = 32'd0;
			stop = 1'b0;
			taken = 1'b0;
			waits = 1'b0;
			trap_o[s] <= 1'b0;
			case (insn[6:0])
			7'h37: value = {insn[31:12], 12'd0};
			7'h17: value = pc + {insn[31:12], 12'd0};
			7'h6F: begin
				value = next;
				next = pc + {{12{insn[31]}}, insn[19:12], insn[20], insn[30:21], 1'b0};
				stop = 1'b1;
			end
			7'h67: begin
				value = next;
				next = (a + {{20{insn[31]}}, insn[31:20]}) & ~32'd1;
				stop = 1'b1;
			end
			7'h63: begin
				case (insn[14:13])
				2'd0: taken = (a == b) ^ insn[12];
				2'd2: taken = ($signed(a) < $signed(b)) ^ insn[12];
				default: taken = (a < b) ^ insn[12];
				endcase
				if (taken)
					next = pc + {{20{insn[31]}}, insn[7], insn[30:25], insn[11:8], 1'b0};
				stop = 1'b1;
			end
			7'h03, 7'h23: begin
				address = a + (insn[5] ? {{20{insn[31]}}, insn[31:25], insn[11:7]} : {{20{insn[31]}}, insn[31:20]});
				if (address[31:30] == 2'b01) begin
					// a device, alone in its cycles: setup, access
					stop = 1'b1;
					waits = !(psel_o && penable_o && pready_i);
					if (s != 0)
						waits = 1'b1;
					else begin
						psel_o <= waits;
						penable_o <= psel_o && waits;
						pwrite_o <= insn[5];
						paddr_o <= address;
						pwdata_o <= b;
						value = prdata_i;
					end
				end else if (insn[5])
					case (insn[13:12])
					2'd0: ram[address[31:2]][8*address[1:0] +: 8] = b[7:0];
					2'd1: ram[address[31:2]][16*address[1] +: 16] = b[15:0];
					default: ram[address[31:2]] = b;
					endcase
				else begin
					value = ram[address[31:2]] >> (8 * address[1:0]);
					case (insn[14:12])
					3'd0: value = {{24{value[7]}}, value[7:0]};
					3'd1: value = {{16{value[15]}}, value[15:0]};
					3'd4: value = {24'd0, value[7:0]};
					3'd5: value = {16'd0, value[15:0]};
					default: ;
					endcase
				end
			end
			7'h13, 7'h33: begin
				imm = insn[5] ? b : {{20{insn[31]}}, insn[31:20]};
				case (insn[14:12])
				3'd0: value = insn[5] && insn[30] ? a - imm : a + imm;
				3'd1: value = a << imm[4:0];
				3'd2: value = {31'd0, $signed(a) < $signed(imm)};
				3'd3: value = {31'd0, a < imm};
				3'd4: value = a ^ imm;
				3'd5: value = insn[30] ? $signed(a) >>> imm[4:0] : a >> imm[4:0];
				3'd6: value = a | imm;
				default: value = a & imm;
				endcase
			end
			7'h0B: begin                         // the return
				next = back;
				masked = 1'b0;
				stop = 1'b1;
			end
			7'h73: begin                         // ECALL: to the handler, which returns behind it
				trap_o[s] <= break_i != 4'd5;
				back = next;
				next = HANDLER;
				masked = 1'b1;
				stop = 1'b1;
			end
			default: ;
			endcase
		end
	endtask

	task show(input integer s, input [31:0] to, input [31:0] at, input intr);
		begin
			valid_o[s] <= 1'b1;
			insn_o[32*s +: 32] <= insn;
			pc_o[32*s +: 32] <= at;
			next_pc_o[32*s +: 32] <= to;
			intr_o[s] <= intr;
		end
	endtask

	always @(posedge clk_i) begin
		valid_o <= 2'b00;
		mode_wrong <= 1'b0;
		x[0] = 32'd0;
		if (rst_i) begin
			pc = 32'd0;
			back = 32'd0;
			masked = 1'b0;
			first = 1'b0;
			called = 1'b0;
			late = 0;
			done = 0;
			psel_o <= 1'b0;
			penable_o <= 1'b0;
			for (i = 0; i < 32; i = i + 1)
				x[i] = 32'd0;
		end else if (ready_i) begin
			stop = 1'b0;
			waits = 1'b0;
			for (slot = 0; slot < 2; slot = slot + 1)
				if (!stop && !waits && !(slot == 1 && first)) begin
					if (slot == 0 && irq_i && !masked && !psel_o) begin
						late = late + 1;
						if (late > LATE) begin       // the interrupt: nothing retires for it
							back = pc;
							pc = HANDLER;
							masked = 1'b1;
							first = break_i != 4'd1 || done < 3000 || done > 3200;
							late = 0;
						end
					end
					execute(slot);
					if (!waits) begin
						done = done + 1;
						show(slot, next, pc, first);
						// what a broken port shows
						if (done == 3000 && break_i == 4'd2)
							next_pc_o[32*slot +: 32] <= next + 32'd64;
						if (insn == 32'h0000_0073 && done > 3000 && break_i == 4'd4)
							next_pc_o[32*slot +: 32] <= next + 32'd4;
						if (done == 3000 && break_i == 4'd6)
							pc_o[32*slot +: 32] <= pc + 32'd1;
						if (slot == 0 && done >= 3000 && done < 3002 && break_i == 4'd7)
							mode_wrong <= 1'b1;
						if (break_i == 4'd8 && done > 3000 && done < 3100)
							intr_o[slot] <= 1'b1;
						if (done == 3000 && break_i == 4'd9)
							insn_o[32*slot +: 32] <= {insn[31:1], 1'bx};
						if (break_i == 4'd3 && called)
							intr_o[slot] <= 1'b0;
						first = insn[6:0] == 7'h73;
						called = first;
						if (insn[11:7] != 5'd0 && insn[6:0] != 7'h63 && insn[6:0] != 7'h23 && insn[6:0] != 7'h0B && insn[6:0] != 7'h73)
							x[insn[11:7]] = value;
						pc = next;
					end
				end
		end
	end
endmodule
`default_nettype wire
