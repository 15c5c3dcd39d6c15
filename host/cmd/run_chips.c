/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/run_chips.h"

#include <string.h>

#define READY(bit) (1u << (bit))

/* FE310-G002 manual: chapters 4 (memory map), 6 (PRCI), 18 (UART: txdata reads full as 0). */
static const struct model_device fe310[] = {
    {.name = "UART0", .base = 0x10013000, .size = 0x1000, .data = 0, .status = 4, .ready = READY(31), .console = true},
    {.name = "UART1", .base = 0x10023000, .size = 0x1000, .data = 0, .status = 4, .ready = READY(31), .console = true},
    {.name = "PRCI (hfrosccfg)", .base = 0x10008000, .size = 4, .ready = READY(31)},
    {.name = "PRCI (hfxosccfg)", .base = 0x10008004, .size = 4, .ready = READY(31)},
    {.name = "PRCI (pllcfg)", .base = 0x10008008, .size = 4, .ready = READY(31)},
    {.name = "PRCI", .base = 0x1000800C, .size = 0xFF4}, {.name = "AON", .base = 0x10000000, .size = 0x8000},
    /* its first registers are where a run ends: the exit device of simulation */
    {.name = "OTP", .base = 0x10010010, .size = 0xFF0}, {.name = "GPIO", .base = 0x10012000, .size = 0x1000},
    {.name = "SPI0 (of the flash)", .base = 0x10014000, .size = 0x1000},
    {.name = "PWM0", .base = 0x10015000, .size = 0x1000}, {.name = "I2C", .base = 0x10016000, .size = 0x1000},
    {.name = "SPI or PWM", .base = 0x10024000, .size = 0x12000},
    {.name = "PLIC", .base = 0x0C000000, .size = 0x4000000}, {0}};

/* GD32VF103 user manual, chapters 1 (memory map), 5 (RCU), 16 (USART: STAT.TBE, TC; DATA); CH32V reference manual,
 * chapters 1, 3 (RCC), 14 (USART: STATR, DATAR): the same addresses and bits. */
#define RCC_READY (READY(1) | READY(17) | READY(25) | READY(27) | READY(29))
#define USART_READY (READY(7) | READY(6))
#define USART(n, at)                                                                                                   \
	{                                                                                                              \
		.name = n, .base = at, .size = 0x400, .data = 4, .status = 0, .ready = USART_READY, .console = true    \
	}
static const struct model_device cortex_like[] = {USART("USART0 (USART1)", 0x40013800),
    USART("USART1 (USART2)", 0x40004400), USART("USART2 (USART3)", 0x40004800),
    {.name = "RCU (RCC)", .base = 0x40021000, .size = 0x400, .status = 0, .ready = RCC_READY},
    {.name = "flash controller", .base = 0x40022000, .size = 0x400},
    {.name = "GPIO", .base = 0x40010800, .size = 0x1400}, {.name = "AFIO or EXTI", .base = 0x40010000, .size = 0x800},
    {.name = "power control", .base = 0x40007000, .size = 0x400}, {.name = "timer", .base = 0x40000000, .size = 0x2800},
    {.name = "peripheral of APB", .base = 0x40002800, .size = 0x1D800},
    {.name = "peripheral of AHB", .base = 0x40020000, .size = 0xFE0000},
    {.name = "core timer", .base = 0xD1000000, .size = 0x10000}, {.name = "ECLIC", .base = 0xD2000000, .size = 0x10000},
    {.name = "PFIC", .base = 0xE000E000, .size = 0x2000}, {0}};

/* ESP32-C3 technical reference manual: chapters 3 (memory map), 26 (UART: FIFO, STATUS.TXFIFO_CNT), 30 (USB serial:
 * EP1, EP1_CONF.SERIAL_IN_EP_DATA_FREE). */
static const struct model_device esp32c3[] = {{.name = "UART0",
						  .base = 0x60000000,
						  .size = 0x1000,
						  .data = 0,
						  .status = 0x1C,
						  .clear = 0x03FF0000,
						  .console = true},
    {.name = "UART1",
	.base = 0x60010000,
	.size = 0x1000,
	.data = 0,
	.status = 0x1C,
	.clear = 0x03FF0000,
	.console = true},
    {.name = "USB serial",
	.base = 0x60043000,
	.size = 0x1000,
	.data = 0,
	.status = 4,
	.ready = READY(1),
	.console = true},
    {.name = "RTC (watchdog, clocks)", .base = 0x60008000, .size = 0x1000},
    {.name = "timer group", .base = 0x6001F000, .size = 0x2000},
    {.name = "system registers", .base = 0x600C0000, .size = 0x1000},
    {.name = "interrupt matrix", .base = 0x600C2000, .size = 0x1000},
    {.name = "cache (EXTMEM)", .base = 0x600C4000, .size = 0x1000},
    {.name = "peripheral", .base = 0x60000000, .size = 0xD1000}, {0}};

static const struct chip chips[] = {
    {"fe310", "SiFive FE310", {0x80000000, 16u << 10}, {{0x20000000, 32u << 20}}, fe310},
    {"gd32vf103", "GigaDevice GD32VF103 (WCH CH32V has the same map)", {0x20000000, 32u << 10},
	{{0x08000000, 1u << 20}, {0x00000000, 1u << 20}}, cortex_like},
    {"ch32v", "WCH CH32V", {0x20000000, 64u << 10}, {{0x08000000, 1u << 20}, {0x00000000, 1u << 20}}, cortex_like},
    {"esp32-c3", "Espressif ESP32-C3", {0x3FC80000, 384u << 10},
	{{0x4037C000, 400u << 10}, {0x42000000, 8u << 20}, {0x3C000000, 8u << 20}, {0x50000000, 8u << 10}}, esp32c3},
};
#define CHIPS (sizeof chips / sizeof *chips)

const struct chip *chip_named(const char *name)
{
	for (size_t i = 0; i < CHIPS; i++) {
		if (strcmp(name, chips[i].name) == 0)
			return &chips[i];
	}
	return NULL;
}

const char *chip_names(void)
{
	return "fe310, gd32vf103, ch32v, esp32-c3";
}

static bool memory_holds(const struct model_memory *memory, uint64_t address, uint64_t size)
{
	return address >= memory->base && size <= memory->size && address - memory->base <= memory->size - size;
}

static bool chip_holds(const struct chip *chip, uint64_t address, uint64_t size)
{
	bool any = memory_holds(&chip->ram, address, size);
	for (size_t i = 0; i < MODEL_MEMORIES && !any; i++)
		any = memory_holds(&chip->others[i], address, size);
	return any;
}

const struct chip *chip_of(const struct image *image)
{
	size_t count;
	const struct elf_segment *segments = image_segments(image, &count);
	for (size_t i = 0; i < CHIPS; i++) {
		const struct chip *chip = &chips[i];
		bool fits = memory_holds(&chip->others[0], image_entry(image), 2) ||
			    memory_holds(&chip->others[1], image_entry(image), 2);
		for (size_t s = 0; s < count && fits; s++)
			fits =
			    chip_holds(chip, segments[s].address, segments[s].size) &&
			    chip_holds(chip, segments[s].physical,
				segments[s].physical == segments[s].address ? segments[s].size : segments[s].file_size);
		if (fits)
			return chip;
	}
	return NULL;
}
