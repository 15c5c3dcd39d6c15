/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "sw/trace/private.h"

#define LEVEL_MAX 15u  /* cycles of a record, 16 bits, shifted by it do not pass 32 bits */
#define FILL_PERIOD 8u /* way fill: the smallest period, if hot_period is 0 */

const char *trace_strerror(int error)
{
	switch (error) {
	case TRACE_OK:
		return "no error";
	case TRACE_EABSENT:
		return "there is no trace unit";
	case TRACE_EHIST:
		return "the trace unit's history or addresses are longer than 32 bits";
	case TRACE_EWAY:
		return "the trace unit was not built for this way to collect";
	case TRACE_ECTRL:
		return "the trace unit does not have the CTRL bits asked for, or they do not go with the way to "
		       "collect";
	case TRACE_EPERIOD:
		return "period, dither or watermark is 0 or too large";
	case TRACE_ETIMER:
		return "a period of way timer is shorter than 512 cycles, so its handler would take all of them";
	case TRACE_EMEMORY:
		return "the memory for the trace table is too small";
	case TRACE_EVECTOR:
		return "the program's trap vector is more than 1 MiB away from the driver's, or the driver's cannot be "
		       "written";
	case TRACE_EWINDOW:
		return "a window of way fill is shorter than 4096 cycles, so its handler would take most of them";
	case TRACE_ERANGE:
		return "range_lo is not below range_hi";
	case TRACE_ERANGES:
		return "the trace unit has no ranges";
	case TRACE_ESTART:
		return "the trace unit has no range_start";
	default:
		return "unknown error";
	}
}

static int check_sampling(const struct run_config *config, uint32_t *bits)
{
	const struct trace_features *found = &trace_driver.found;
	if (!found->sample || (config->dither != 0 && !found->dither))
		return TRACE_EWAY;
	if (config->period == 0 || config->dither > 0xFFFF)
		return TRACE_EPERIOD;
	*bits |= TRACE_MASK(CTRL, SAMPLE);
	if (config->way == RUN_SAMPLE) {
		*bits |= TRACE_MASK(STATUS, NONEMPTY) << TRACE_LSB(CTRL, IE);
		return TRACE_OK;
	}
	if (found->fifo_depth == 0)
		return TRACE_EWAY;
	if (config->way == RUN_FILL)
		return TRACE_TIMER && found->fifo_depth >= 4 ? TRACE_OK : TRACE_EWAY;
	if (config->way == RUN_FULL) {
		*bits |= TRACE_MASK(STATUS, FULL) << TRACE_LSB(CTRL, IE);
		return TRACE_OK;
	}
	if (config->watermark == 0 || config->watermark > found->fifo_depth)
		return TRACE_EPERIOD;
	*bits |= TRACE_MASK(STATUS, WATERMARK) << TRACE_LSB(CTRL, IE);
	return config->way == RUN_ADAPT && !TRACE_TIMER ? TRACE_EWAY : TRACE_OK;
}

static int check_timer(const struct run_config *config, uint32_t *bits)
{
	const struct trace_features *found = &trace_driver.found;
	if (!TRACE_TIMER)
		return TRACE_EWAY;
	if (config->period < TRACE_PERIOD_MIN || (config->hot_period != 0 && config->hot_period < TRACE_PERIOD_MIN))
		return TRACE_ETIMER;
	/* A repeat record stays out of the buffer while it grows: the last trace would be an old one. */
	if ((*bits & TRACE_MASK(CTRL, REPEAT)) != 0)
		return TRACE_ECTRL;
	/* The trace that runs at the interrupt can be kept and weighed: it goes on behind the handler, a buffer holds
	 * it until the next interrupt, and its cycles are known. */
	trace_driver.first = false;
#ifdef __riscv_mul
	trace_driver.first = found->fifo_depth != 0 && found->freeze && found->cycles &&
			     (*bits & (TRACE_MASK(CTRL, HANDLERS) | TRACE_MASK(CTRL, LIFO))) == 0;
#endif
	if (trace_driver.first)
		return TRACE_OK;
	if (found->fifo_depth != 0 && !found->lifo)
		return TRACE_EWAY;
	if (found->fifo_depth != 0)
		*bits |= TRACE_MASK(CTRL, LIFO);
	return TRACE_OK;
}

bool trace_has_watermark(const struct run_config *config)
{
	return config->way == RUN_WATERMARK || config->way == RUN_ADAPT || config->way == RUN_TABLE;
}

static int check_table(const struct run_config *config, uint32_t *bits)
{
	const struct trace_features *found = &trace_driver.found;
	/* A handler that is traced fills the buffer while it empties it; newest first, nothing is counted in the
	 * table. */
	if (found->table == 0 || !found->freeze)
		return TRACE_EWAY;
	if ((*bits & (TRACE_MASK(CTRL, HANDLERS) | TRACE_MASK(CTRL, LIFO))) != 0)
		return TRACE_ECTRL;
#if TRACE_RATE
	if (config->rate != 0 && !found->table_rate)
		return TRACE_EWAY;
	if (config->rate > RUN_RATE_HOLD)
		return TRACE_EPERIOD;
#endif
	if (config->watermark == 0 || config->watermark > found->fifo_depth)
		return TRACE_EPERIOD;
	*bits |= TRACE_MASK(CTRL, TABLE) | TRACE_MASK(STATUS, WATERMARK) << TRACE_LSB(CTRL, IE);
	return TRACE_OK;
}

int trace_check(const struct run_config *config, uint32_t *ctrl)
{
	const uint32_t extra = TRACE_MASK(CTRL, NO_BACKWARD) | TRACE_MASK(CTRL, NO_INDIRECT) |
			       TRACE_MASK(CTRL, HANDLERS) | TRACE_MASK(CTRL, REPEAT) | TRACE_MASK(CTRL, LIFO) |
			       TRACE_MASK(CTRL, LIMIT);
	const struct trace_features *found = &trace_driver.found;
	uint32_t bits = config->ctrl;
	int error = TRACE_OK;

	trace_driver.first = false;
	if (found->hist > 32 || found->xlen64)
		return TRACE_EHIST;
	if ((bits & ~extra) != 0)
		return TRACE_ECTRL;
	if (config->sort != 0 && !TRACE_TIMER)
		return TRACE_EWAY;
	switch (config->way) {
	case RUN_EVERY:
		if (!found->freeze)
			return TRACE_EWAY;
		if ((bits & TRACE_MASK(CTRL, HANDLERS)) != 0)
			return TRACE_ECTRL;
		bits |= TRACE_MASK(STATUS, NONEMPTY) << TRACE_LSB(CTRL, IE);
		break;
	case RUN_TIMER:
		error = check_timer(config, &bits);
		break;
	case RUN_SAMPLE:
	case RUN_WATERMARK:
	case RUN_FULL:
	case RUN_ADAPT:
	case RUN_FILL:
		error = check_sampling(config, &bits);
		break;
	case RUN_TABLE:
		error = check_table(config, &bits);
		break;
	case RUN_STREAM:
		break;
	default:
		return TRACE_EWAY;
	}
	if (config->range_hi != 0) {
		if (found->ranges == 0)
			return TRACE_ERANGES;
		if (config->range_lo >= config->range_hi)
			return TRACE_ERANGE;
		if (config->range_start != 0 && !found->range_start)
			return TRACE_ESTART;
		bits |= 1u << TRACE_LSB(CTRL, RANGE_EN);
		if (config->range_start != 0)
			bits |= TRACE_MASK(CTRL, RANGE_START);
	}
	*ctrl = bits;
	return error;
}

/* The parts of the configuration that go together. */
int trace_check_rates(const struct run_config *config)
{
	struct trace_driver *d = &trace_driver;
	bool fill = config->way == RUN_FILL;
	uint32_t high = config->hot_period != 0 ? config->hot_period : fill ? FILL_PERIOD : config->period / 8;
	if (fill && config->window < TRACE_WINDOW_MIN)
		return TRACE_EWINDOW;
	if (high == 0 || (!fill && (config->period < high || config->threshold < 2)) || config->window == 0 ||
	    config->window > UINT32_MAX / 4 || config->share == 0 || config->share > 1000000)
		return TRACE_EPERIOD;
	trace_put(PERIOD, UINT32_MAX);
	uint32_t largest = trace_get(PERIOD) / 2;
	struct adapt_config c = {.window = config->window, .share = config->share};
	d->high_period = high;
	while (c.levels < LEVEL_MAX && high << (c.levels + 1) <= config->period)
		c.levels++;
	c.lowest = c.levels;
	while (c.lowest < LEVEL_MAX && trace_period_of(c.lowest + 1) < largest)
		c.lowest++;
	for (c.step_bits = c.levels; config->threshold >> (c.step_bits - c.levels + 1) != 0 && c.step_bits < 31;)
		c.step_bits++;
	adapt_init(&d->adapt, &c, csr_read(mcycle));
	return TRACE_OK;
}
