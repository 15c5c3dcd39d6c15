/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Where handlers of signals begin, by rt_sigaction(). A block that ends in a jump by a register may go anywhere: if it
 * goes to one, a fault may have ended it before its end. A call of a handler by a pointer looks the same, as where
 * handlers are chained: what ran of that block is told as not known, too. Behind more than HANDLERS all places do.
 */
#include "host/qemu/plugin.h"

enum { HANDLERS = 256, CALL_SIGACTION = 134, HANDLER_LEAST = 2 };
static _Atomic uint64_t handlers[HANDLERS]; /* addresses without their object */
static atomic_size_t handler_count;         /* those before it, at most HANDLERS, are there or 0 yet */

bool handler_begins(uint64_t address)
{
	size_t count = atomic_load(&handler_count);
	for (size_t i = 0; i < count && i < HANDLERS; i++) {
		if (atomic_load(&handlers[i]) == CAPTURE_ADDRESS(address))
			return true;
	}
	return count > HANDLERS; /* there are more of them than are known */
}

void handler_set(int64_t number, uint64_t action, bool wide)
{
	uint64_t address = 0;
	if (number != CALL_SIGACTION || action == 0 || exec_read_bytes(action, &address, wide ? 8 : 4) == 0 ||
	    address < HANDLER_LEAST)
		return;
	if (handler_begins(address))
		return;
	silent_handler(address);
	const size_t at = atomic_fetch_add(&handler_count, 1);
	if (at < HANDLERS)
		atomic_store(&handlers[at], CAPTURE_ADDRESS(address));
}
