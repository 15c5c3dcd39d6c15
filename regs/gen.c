/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* gen KIND: writes one of the texts made from the register table to standard output. */
#include "regs/table.h"

#include <string.h>

int main(int argc, char **argv)
{
	static const struct {
		const char *kind;
		void (*write)(FILE *);
	} kinds[] = {{"verilog", regs_write_verilog}, {"bits", regs_write_bits}, {"values", regs_write_values},
	    {"lanes", regs_write_lanes}, {"model", regs_write_model}, {"c", regs_write_c}, {"svd", regs_write_svd},
	    {"manual", regs_write_manual}};
	if (argc == 2)
		for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
			if (!strcmp(argv[1], kinds[i].kind)) {
				kinds[i].write(stdout);
				return fflush(stdout) || ferror(stdout) ? 1 : 0;
			}
	fprintf(stderr, "usage: gen verilog|bits|values|lanes|model|c|svd|manual\n");
	return 2;
}
