/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/object/host_call.h"

#include <string.h>

#define HOST_PAGE 4096

bool host_call_is_split(const uint8_t *bytes, size_t size, uint64_t address, uint64_t *at)
{
	static const uint8_t call[] = {0x13, 0x10, 0xF0, 0x01, 0x73, 0x00, 0x10, 0x00, 0x13, 0x50, 0x70, 0x40};
	/* only what reaches over a border needs to be looked at */
	for (uint64_t border = (address / HOST_PAGE + 1) * HOST_PAGE; border < address + size; border += HOST_PAGE) {
		for (unsigned before = 2; before < sizeof call; before += 2) {
			if (border - address < before || border - before + sizeof call > address + size)
				continue;
			*at = border - before;
			if (memcmp(bytes + (*at - address), call, sizeof call) == 0)
				return true;
		}
	}
	return false;
}
