/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * The boot ROM: copies the firmware from the SPI flash into RAM; takes it over the UART if the button is pressed or
 * the flash holds none. An answer over the UART for each image: '!' taken, '?' not.
 */
#include <stdbool.h>
#include "fpga/boot/flash_image.h"

#define UART_DATA (*(volatile uint32_t *)0x10000000u)
#define UART_STATUS (*(volatile uint32_t *)0x10000004u)
#define UART_NO_BYTE 0x80000000u
#define UART_TX_IDLE 8u
#define SPI_DATA (*(volatile uint32_t *)0x10020000u)
#define SPI_CTRL (*(volatile uint32_t *)0x10020004u)
#define SPI_BUSY 0x100u
#define SPI_STRAP 0x200u
#define FLASH_WAKE 0xABu /* the FPGA sends the flash to sleep after configuration */
#define FLASH_READ 0x03u
#define WAKE_LOOPS 500u /* 30 microseconds or more up to 48 MHz; the flash asks for 3 */

static uint32_t spi(uint32_t byte)
{
	uint32_t status;
	SPI_DATA = byte;
	do
		status = SPI_DATA;
	while ((status & SPI_BUSY) != 0);
	return status & 0xFF;
}

static uint32_t uart(void)
{
	uint32_t data;
	do
		data = UART_DATA;
	while ((data & UART_NO_BYTE) != 0);
	return data;
}

static uint32_t word(bool from_uart)
{
	uint32_t value = 0;
	for (int i = 0; i < 4; i++)
		value = value >> 8 | (from_uart ? uart() : spi(0)) << 24;
	return value;
}

/* Copies one image to RAM. room: below this program's stack. On the UART the image begins wherever its magic number
 * appears. */
static bool image(bool from_uart, uint32_t room)
{
	uint32_t magic = word(from_uart);
	while (from_uart && magic != FLASH_IMAGE_MAGIC)
		magic = magic >> 8 | uart() << 24;
	if (magic != FLASH_IMAGE_MAGIC)
		return false;
	uint32_t size = word(from_uart), expected = word(from_uart), sum = 0;
	if (size > room || size % 4 != 0)
		return false;
	volatile uint32_t *to = (volatile uint32_t *)FLASH_IMAGE_LOAD;
	for (; size != 0; size -= 4) {
		uint32_t value = word(from_uart);
		sum = flash_image_add(sum, value);
		*to++ = value;
	}
	return sum == expected;
}

extern uint8_t __stack[];
uint32_t boot(void);
uint32_t boot(void)
{
	uint32_t room = (uint32_t)__stack - FLASH_IMAGE_LOAD - 256;
	bool done = false;

	SPI_CTRL = 1;
	spi(FLASH_WAKE);
	SPI_CTRL = 0;
	for (unsigned i = 0; i < WAKE_LOOPS; i++)
		__asm__ volatile("" : : : "memory");
	if ((SPI_CTRL & SPI_STRAP) == 0) {
		SPI_CTRL = 1;
		spi(FLASH_READ);
		spi(FLASH_IMAGE_OFFSET >> 16 & 0xFF);
		spi(FLASH_IMAGE_OFFSET >> 8 & 0xFF);
		spi(FLASH_IMAGE_OFFSET & 0xFF);
		done = image(false, room);
		SPI_CTRL = 0;
	}
	while (!done) {
		done = image(true, room);
		UART_DATA = done ? '!' : '?';
	}
	while ((UART_STATUS & UART_TX_IDLE) == 0)
		;
	return FLASH_IMAGE_LOAD;
}
