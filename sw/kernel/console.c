/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The console carries what processes print and the kernel's frames (docs/profile-format.md, "Text that is no frame"). A
 * process must not be able to make a frame, alone, with others, or with the kernel's own frames around its bytes:
 *
 *	00 frame 00 00 end 00 │ FF FF text of processes C0 80 text │ 00 frame ...
 *	                 mark ──┘                       └── a zero byte of theirs
 *
 * A frame stands between two zero bytes, so no zero byte of a process goes out. But the kernel's frames have zero bytes
 * too, and what stands between two of them would be a frame if it decodes: the mark, behind the last zero byte before
 * text, begins with a COBS code for 254 bytes, more than any frame has. What follows up to the next zero byte never
 * decodes. There are two of them, so that one byte of a frame that was damaged on its way is no mark.
 */
#include "common/frame.h"
#include "sw/kernel/kernel.h"

static const uint8_t zero_and_mark[] = {0, FRAME_TEXT_MARK, FRAME_TEXT_MARK};

void console_init(void)
{
	hal_uart_write(zero_and_mark, sizeof zero_and_mark);
}

static bool after_frame; /* the last bytes were a frame */

void console_frame(const void *bytes, size_t size)
{
	uint32_t before = work_quiet();
	hal_uart_write(bytes, size);
	after_frame = true;
	work_loud(before);
}

void console_text(void)
{
	if (after_frame)
		console_frames_end();
}

void console_frames_end(void)
{
	after_frame = false;
	hal_uart_write(zero_and_mark + 1, sizeof zero_and_mark - 1);
}

void console_write(const uint8_t *bytes, size_t size)
{
	console_text();
	for (size_t i = 0; i < size; i++) {
		if (bytes[i] != 0) {
			hal_uart_put(bytes[i]);
			continue;
		}
		hal_uart_put(FRAME_TEXT_ZERO_0);
		hal_uart_put(FRAME_TEXT_ZERO_1);
	}
}
