/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Children of fork(), beside each of which the parent runs much that is new: 40 times 100 calls of step(). */
#include <sys/wait.h>
#include <unistd.h>
static volatile int sum;
#define B1(n)                                                                                                          \
	if (x & (n + 1))                                                                                               \
		sum += n;                                                                                              \
	else                                                                                                           \
		sum ^= n;
#define B4(n) B1(n) B1(n + 1) B1(n + 2) B1(n + 3)
#define B16(n) B4(n) B4(n + 4) B4(n + 8) B4(n + 12)
#define B64(n) B16(n) B16(n + 16) B16(n + 32) B16(n + 48)
#define B256(n) B64(n) B64(n + 64) B64(n + 128) B64(n + 192)
__attribute__((noinline)) static void much(volatile int *p)
{
	int x;
	x = *p;
	B256(0) x = *p;
	B256(256) x = *p;
	B256(512) x = *p;
	B256(768)
}
__attribute__((noinline)) static void step(int i)
{
	sum += i;
}
int main(void)
{
	volatile int v = 5;
	int bad = 0, status;
	for (int i = 0; i < 40; i++) {
		pid_t c = fork();
		if (c == 0) {
			for (int j = 0; j < 100; j++)
				step(j);
			_exit(0);
		}
		v = i * 77 + 1;
		much(&v);
		waitpid(c, &status, 0);
		bad += status != 0;
	}
	return bad;
}
