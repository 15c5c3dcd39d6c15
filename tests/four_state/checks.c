/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Writes the two Verilog parts of four_state.v: `checks ports rtl/soc/rivulet_sim.v` the wires and the instance, from
 * the port list; `checks rows` one test for each row of tb/signals.def.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "s->tr_end && written" as Verilog: the ports have the names of the members. */
static void condition(const char *when)
{
	for (const char *c = when; *c;) {
		if (strncmp(c, "s->", 3) == 0) {
			c += 3;
			size_t n = strspn(c, "abcdefghijklmnopqrstuvwxyz_0123456789");
			printf("(|%.*s_o)", (int)n, c);
			c += n;
		} else
			putchar(*c++);
	}
}

static void row(const char *name, const char *when)
{
	printf("\t\tif ((");
	condition(when);
	/* the slots of the FIFO have no port of their own: see the ports' word */
	printf(") === 1'b1) begin checked = checked + 1; if (^%s_o === 1'bx) unknown(\"%s\"); end\n", name, name);
}

static int rows(void)
{
#define SLOT(type, name, model, when)
#define SIGNAL(type, name, model, when) row(#name, #when);
#include "tb/signals.def"
	return 0;
}

static int ports(const char *path)
{
	char line[512], instance[16384] = "";
	FILE *file = fopen(path, "r");
	if (file == NULL) {
		fprintf(stderr, "checks: %s cannot be opened\n", path);
		return 2;
	}
	while (fgets(line, sizeof line, file) != NULL && strncmp(line, ");", 2) != 0) {
		char direction[16], range[32] = "", name[64];
		if (sscanf(line, " %15[a-z] wire [%31[0-9:]] %63[a-z0-9_]", direction, range, name) != 3) {
			range[0] = '\0';
			if (sscanf(line, " %15[a-z] wire %63[a-z0-9_]", direction, name) != 2)
				continue;
		}
		if (strcmp(direction, "output") == 0) {
			printf("\twire %s%s%s%s;\n", range[0] ? "[" : "", range, range[0] ? "] " : "", name);
			size_t used = strlen(instance);
			snprintf(instance + used, sizeof instance - used, ", .%s(%s)", name, name);
		}
	}
	fclose(file);
	printf("\trivulet_sim #(.RAM_BYTES(`RAM_BYTES)) dut (.clk_i(clk), .rst_i(rst), .irq_ext_i(1'b0), "
	       ".uart_rx_i(1'b1), "
	       ".tr_fifo_index_i(slot)%s);\n",
	    instance);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "rows") == 0)
		return rows();
	if (argc == 3 && strcmp(argv[1], "ports") == 0)
		return ports(argv[2]);
	fprintf(stderr, "Usage: checks rows | checks ports FILE\n");
	return 2;
}
