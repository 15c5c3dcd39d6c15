/* A vendor's program: its own start-up, own memory, an entry that is not its first byte. END: how it ends. */
volatile unsigned tohost;
static unsigned values[64];
static unsigned mix(unsigned x)
{
	switch (x % 7) {
	case 0:
		return x * 3;
	case 1:
		return x ^ 0x55;
	case 2:
		return x >> 3;
	case 3:
		return x + 7;
	case 4:
		return ~x;
	case 5:
		return x << 1;
	default:
		return x - 1;
	}
}
int work(void)
{
	unsigned sum = 1;
	for (int i = 0; i < 3000; i++) {
		values[i % 64] = mix(sum + (unsigned)i);
		sum += values[(i * 7) % 64];
	}
	return (int)sum;
}
__attribute__((naked, section(".text.reset"))) void _reset(void)
{
	__asm__ volatile(
	    "la sp, _estack\n .option push\n .option norelax\n la gp, __global_pointer$\n .option pop\n call work\n"
#if END == 0
	    "li t0, 1\n la t1, tohost\n sw t0, 0(t1)\n1: j 1b"
#elif END == 1
	    "1: wfi\n j 1b"
#elif END == 2
	    "1: j 1b"
#elif END == 3
	    "call work\n 1: addi t0, t0, 1\n call work\n j 1b"
#else
	    "li t0, 0x10010000\n sw zero, 4(t0)\n 1: j 1b"
#endif
	);
}
