/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_MODES_H
#define RIVULET_MODES_H
/*
 * Whether a bare-metal program stays in machine mode, as far as its code says. mcycle can be read there only, and a
 * program in another mode cannot try: the trap would be its own.
 *
 * It begins in machine mode if it uses a CSR of that mode. It can leave it by MRET, which goes to where mepc says in
 * the mode that mstatus says: not without that instruction, and not if nobody but traps sets these two.
 */
#include "host/object/edit.h"

struct modes {
	bool machine; /* a CSR of machine mode is used */
	bool returns; /* there is an MRET */
	bool sets;    /* mepc, or the mode in mstatus, is written */
	bool unknown; /* code that could not be read */
};
void modes_look(const struct edit *edit, struct modes *modes);
static inline bool modes_stay(const struct modes *m)
{
	return m->machine && !m->unknown && !(m->returns && m->sets);
}
#endif
