#include "sw/optimise/private.h"
void optimise_stack(struct optimise *o, struct optimise_trace *t){(void)o;(void)t;}
