/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/run_show.h"

#include <unistd.h>
#include "host/cmd/cmd.h"
#include "host/cmd/progress.h"
#include "host/cmd/run_end.h"

void run_show_begin(struct run_show *show, bool progress, uint64_t most_cycles, uint64_t most_instructions)
{
	*show = (struct run_show){.progress = progress,
	    .terminal = isatty(STDERR_FILENO) != 0,
	    .most_cycles = most_cycles,
	    .most_instructions = most_instructions};
	clock_gettime(CLOCK_MONOTONIC, &show->start);
	show->last = show->start;
}

void run_show_clear(struct run_show *show)
{
	if (show->shown)
		fputs("\r\033[K", stderr);
	show->shown = false;
}

void run_show(struct run_show *show, uint64_t cycles, uint64_t instructions)
{
	struct timespec now;
	if (!show->progress)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (seconds_between(&show->last, &now) < (show->terminal ? 0.2 : 10))
		return;
	fputs(show->terminal ? "\r\033[K" : "rivulet: ", stderr);
	double share = 0;
	if (show->most_cycles != 0)
		share = (double)cycles / (double)show->most_cycles;
	if (show->most_instructions != 0 && (double)instructions / (double)show->most_instructions > share)
		share = (double)instructions / (double)show->most_instructions;
	if (share > 0) {
		progress_bar("run", share, show->terminal);
		fputs(", ", stderr);
	}
	fprintf(stderr, "%s cycles, %s instructions, %s cycles/s%s", with_unit((double)cycles),
	    with_unit((double)instructions), with_unit((double)cycles / seconds_between(&show->start, &now)),
	    show->terminal ? "" : "\n");
	fflush(stderr);
	show->last = now;
	show->shown = show->terminal;
}

void run_show_summary(const struct run_show *show, const struct run_result *result)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	double seconds = seconds_between(&show->start, &now);
	fprintf(stderr, "%s%s cycles, %s instructions, %.2f each; %.1f s, %s cycles/s\n", run_end_told(result),
	    with_commas(result->cycles), with_commas(result->instructions),
	    result->instructions > 0 ? (double)result->cycles / (double)result->instructions : 0, seconds,
	    with_unit((double)result->cycles / (seconds > 0 ? seconds : 1e-9)));
}
