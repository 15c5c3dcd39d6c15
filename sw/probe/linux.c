/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Frames into a file, when a Linux program ends: by _exit, which exit() and a return from main() end in, by abort(), or
 * by a signal that nobody handles. Link with -Wl,--wrap=_exit,--wrap=_Exit,--wrap=abort,--wrap=fork, static
 * programs with -Wl,--wrap=_Fork,-u,_Fork, dynamic ones with -Wl,--wrap=exit,--wrap=daemon,--wrap=forkpty. System calls
 * are made here, so that nothing of the edited C library runs meanwhile.
 *
 * fork: the child counts from 0 on, and writes a file of its own: the name with its number behind it, unless %p in the
 * name is the number already. Of the calls that are open its parent ran the begin, so the stack is kept. In static
 * programs that is done within fork(), at the C library's _Fork(), which has no counters: so daemon() and forkpty() are
 * seen too, and what fork() runs in the child counts there. A child of vfork() writes none. In a dynamic program the C
 * library's own exit is not seen; there a destructor writes, and a handler for the SIGABRT of its own abort(); with
 * --wrap=exit what calls exit() is known.
 *
 * RIVULET_DUMP in the environment: the profile so far is written while the program runs on, at a signal or each so many
 * seconds.
 *
 * RIVULET_LIBRARY: for shared libraries. RIVULET_NO_LIBC: for what is linked without a C library, where nobody calls
 * fork() or abort().
 */
#include "sw/probe/linux.h"
#include "sw/probe/probe.h"
#include "sw/probe/registers.h"
#include "sw/probe/switch.h"

void *rivulet_probe_map(size_t size)
{
	long at = call6(CALL_MMAP, 0, (long)size, 3, 0x22, -1, 0); /* read and write; private, of no file */
	return at < 0 && at > -4096 ? NULL : (void *)at;
}

#define POOL_BUCKETS (1u << 20)
struct rivulet_probe_bucket *rivulet_probe_room(uintptr_t *buckets)
{
	*buckets = POOL_BUCKETS;
	return rivulet_probe_map(POOL_BUCKETS * sizeof(struct rivulet_probe_bucket));
}

extern char **environ __attribute__((weak));
__attribute__((weak, visibility("default"))) struct rivulet_probe_process rivulet_probe_process;
#define process rivulet_probe_process
uint32_t rivulet_probe_ready = RIVULET_PROBE_READY; /* the kernel gives memory that is 0 */
static int file = -1;
static char start_folder[512]; /* a name without / counts from there, wherever the program goes */
#ifndef RIVULET_LIBRARY
static int exited; /* by exit() of a dynamic program */
#endif
static int failed;             /* bytes could not be written */
static int merging;            /* the name has %m: all runs add up in its file */
static int dumping;            /* the program goes on */
static int aborting;           /* by abort(): the signal comes from within */
static volatile int unwinding; /* the stack: 1: it is being read; 2: it cannot be */

static size_t number(char *text, size_t used)
{
	char digits[12];
	size_t n = 0;
	unsigned long pid = (unsigned long)process.owner;
	do
		digits[n++] = (char)('0' + pid % 10);
	while ((pid /= 10) > 0);
	while (n > 0)
		text[used++] = digits[--n];
	return used;
}

/* What is written as it happens has no number of its program (trace.c): there it is the process's. */
static size_t signature(char *text, size_t used)
{
	if (rivulet_probe_program == NULL)
		return number(text, used);
	uint64_t program = rivulet_probe_program();
	for (int shift = 60; shift >= 0; shift -= 4)
		text[used++] = "0123456789abcdef"[program >> shift & 15];
	return used;
}

const char *rivulet_probe_setting(const char *key)
{
	for (char **e = &environ != NULL ? environ : NULL; e != NULL && *e != NULL; e++) {
		size_t i = 0;
		while (key[i] != '\0' && (*e)[i] == key[i])
			i++;
		if (key[i] == '\0')
			return *e + i;
	}
	return NULL;
}

static const char *file_name(char *text, size_t size)
{
	const char *name = rivulet_probe_setting("RIVULET_PROFILE=");
	size_t used = 0;
	if (name == NULL)
		name = "rivulet.prof";
	for (; name[0] != '/' && start_folder[used] != '\0'; used++)
		text[used] = start_folder[used];
	int numbered = 0;
	for (; *name != '\0' && used + 24 < size; name++) {
		if (name[0] == '%' && name[1] == 'p') {
			used = number(text, used);
			numbered = 1;
			name++;
		} else if (name[0] == '%' && name[1] == 'm') {
			used = signature(text, used);
			merging = rivulet_probe_merge != NULL && rivulet_probe_program != NULL;
			name++;
		} else
			text[used++] = *name;
	}
	if (process.forked && !numbered && !merging) {
		text[used++] = '.';
		used = number(text, used);
	}
	text[used] = '\0';
	return text;
}

static void find_start_folder(void)
{
	long length = call(CALL_GETCWD, (long)start_folder, sizeof start_folder - 1, 0, 0); /* with the 0 */
	if (length > 1 && start_folder[0] == '/')
		start_folder[length - 1] = '/';
	else
		start_folder[0] = '\0';
}

static void tell_of(const char *name, const char *what)
{
	static const char begin[] = "rivulet: ";
	size_t length = 0, more = 0;
	while (name[length] != '\0')
		length++;
	while (what[more] != '\0')
		more++;
	call(CALL_WRITE, 2, (long)begin, sizeof begin - 1, 0);
	call(CALL_WRITE, 2, (long)name, (long)length, 0);
	call(CALL_WRITE, 2, (long)what, (long)more, 0);
}

/* Once, to standard error: the program goes on as if nothing had happened. */
static void tell(const char *name)
{
	static int told;
	if (!told)
		tell_of(name, ": the profile cannot be written\n");
	told = 1;
}

void rivulet_probe_put(const void *bytes, size_t size)
{
	char name[1024];
	const char *at = bytes;
	while (file >= 0 && size > 0) {
		long done = call(CALL_WRITE, file, (long)at, (long)size, 0);
		if (done == -4) /* EINTR */
			continue;
		if (done <= 0) {
			failed = 1;
			tell(file_name(name, sizeof name));
			return;
		}
		at += done;
		size -= (size_t)done;
	}
}

static void append(char *to, const char *name, const char *suffix)
{
	for (; *name != '\0'; name++)
		*to++ = *name;
	do
		*to++ = *suffix;
	while (*suffix++ != '\0');
}

/* Whether it is a file of its own, or not there: what is a device or a pipe is not replaced by a file. */
static int is_plain(const char *name)
{
	static unsigned char about[256]; /* struct statx */
	return call6(CALL_STATX, AT_FDCWD, (long)name, 0x100, 1, (long)about, 0) < 0 || (about[29] & 0xF0) == 0x80;
}

/* A run does not replace what the run before it wrote: that becomes NAME.old. */
static void keep_earlier(const char *name)
{
	static int kept;
	char old[1024 + 8];
	if (kept || process.forked || !is_plain(name))
		return;
	kept = 1;
	append(old, name, ".old");
	call6(CALL_RENAMEAT2, AT_FDCWD, (long)name, AT_FDCWD, (long)old, 0, 0);
}

/* Before the first bytes. A child of vfork opens none: it has its parent's memory. */
void rivulet_probe_open(void)
{
	char name[1024];
	if (file >= 0 || call(CALL_GETPID, 0, 0, 0, 0) != process.owner)
		return;
	keep_earlier(file_name(name, sizeof name));
	file = (int)call(CALL_OPENAT, AT_FDCWD, (long)name, O_WRONLY_CREAT_TRUNC, 0666);
	if (file < 0)
		tell(name);
}

/* Whether the whole profile is in a file beside. */
static int write_part(const char *part)
{
	file = (int)call(CALL_OPENAT, AT_FDCWD, (long)part, O_WRONLY_CREAT_TRUNC, 0666);
	if (file < 0) {
		tell(part);
		return 0;
	}
	failed = 0;
	rivulet_probe_write();
	call(CALL_CLOSE, file, 0, 0, 0);
	file = -1;
	if (failed)
		call(CALL_UNLINKAT, AT_FDCWD, (long)part, 0, 0);
	return !failed;
}

/* With RIVULET_DUMP an earlier profile is there until the next one is whole. */
static void write_beside(const char *name)
{
	char part[1024 + 8];
	append(part, name, ".part");
	if (!write_part(part)) /* the earlier one stays */
		return;
	keep_earlier(name);
	if (call6(CALL_RENAMEAT2, AT_FDCWD, (long)part, AT_FDCWD, (long)name, 0, 0) != 0)
		tell(name);
}

/* %m: what this process counts is NAME.PID until it ends; then it is added to NAME. Counters of libraries come apart
 * from the program's, each when it is unloaded: they stay beside, and so does what does not add up. */
static void write_to_sum(const char *name)
{
	char own[1024 + 16], part[1024 + 32];
	const struct rivulet_probe_part *parts = process.parts;
	append(own, name, ".");
	size_t used = 0;
	while (own[used] != '\0')
		used++;
	own[number(own, used)] = '\0';
	append(part, own, ".part");
	if (!write_part(part) || call6(CALL_RENAMEAT2, AT_FDCWD, (long)part, AT_FDCWD, (long)own, 0, 0) != 0)
		return;
	if (dumping || process.kept != NULL || (parts != NULL && parts->next != NULL))
		return;
	if (rivulet_probe_merge(name, own) == 0) {
		rivulet_probe_reset(); /* whoever comes here again has counted the rest */
		unwinding = 2;
		return;
	}
	tell_of(name, ": this run could not be added, and stands beside it\n");
}

/* RIVULET_STACK=no in the environment: the stack is left alone. */
static int unwanted(void)
{
	const char *stack = rivulet_probe_setting("RIVULET_STACK=");
	return stack != NULL && stack[0] == 'n' && stack[1] == 'o';
}

/* The main thread's ends where the C library says; another one's at what its thread pointer names, above it. */
extern void *__libc_stack_end __attribute__((weak));
uintptr_t rivulet_probe_stack_top(uintptr_t sp)
{
	uintptr_t tp, top = 0;
	__asm__ volatile("mv %0, tp" : "=r"(tp));
	if (unwinding == 2 || unwanted())
		return 0;
	if (&__libc_stack_end != NULL && (uintptr_t)__libc_stack_end > sp)
		top = (uintptr_t)__libc_stack_end;
	if (tp > sp && (top == 0 || tp < top))
		top = tp;
	return top;
}

const volatile uintptr_t *rivulet_probe_stack_copy(const volatile uintptr_t *words, size_t number)
{
	volatile uintptr_t *copy = rivulet_probe_map(number * sizeof *words + 1);
	if (copy == NULL)
		return NULL;
	unwinding = 1;
	for (size_t i = 0; i < number; i++)
		copy[i] = words[i];
	unwinding = 0;
	return copy;
}

void rivulet_probe_finish(void)
{
	if (call(CALL_GETPID, 0, 0, 0, 0) != process.owner || __atomic_test_and_set(&process.writing, __ATOMIC_ACQUIRE))
		return; /* a child of vfork; or another thread writes already */
	char name[1024];
	const int plain = file < 0 && is_plain(file_name(name, sizeof name));
	if (plain && merging)
		write_to_sum(name);
	else if (plain && rivulet_probe_setting("RIVULET_DUMP=") != NULL)
		write_beside(name);
	else {
		rivulet_probe_open();
		rivulet_probe_write();
		if (file >= 0)
			call(CALL_CLOSE, file, 0, 0, 0);
		file = -1;
	}
	__atomic_clear(&process.writing, __ATOMIC_RELEASE);
}

/* ---- signals that end a program, if it does not handle them ---- */
struct action { /* of the kernel */
	void (*handler)(int, void *, void *);
	unsigned long flags, mask[64 / (8 * sizeof(long))];
	unsigned long again[64 / (8 * sizeof(long))]; /* for qemu 7.2, which has a word more before the mask */
};
struct stack {
	void *base;
	int flags;
	size_t size;
};
#define ON_STACK 0x08000000ul
#define RESET 0x80000000ul
#define WITH_CONTEXT 4ul
#define CONTEXT_REGISTERS 176 /* of the kernel's struct ucontext: pc, x1 to x31 */
#define SIGNAL_ABORT 6        /* of dynamic programs; abort() is wrapped in static ones */
static const unsigned char signals[] = {
    1, 2, 3, 4, 5, SIGNAL_ABORT, 7, 8, 10, 11, 12, 13, 14, 15, 16, 24, 25, 26, 27, 29, 30, 31};
static _Alignas(
    16) unsigned char signal_stack[32768]; /* signals are handled here, for the program's stack may be full */

/* RESET: a second one ends the program, and so does this one when it is sent again. */
static void on_signal(int number, void *unused, void *context)
{
	unsigned long none[64 / (8 * sizeof(long))] = {0};
	long pid = call(CALL_GETPID, 0, 0, 0, 0);
	const struct action again = {.handler = on_signal, .flags = ON_STACK | RESET | WITH_CONTEXT};
	const uintptr_t *interrupted = (const uintptr_t *)((const char *)context + CONTEXT_REGISTERS);
	(void)unused;
	if (unwinding == 1) { /* the stack cannot be read: the profile is written without it */
		unwinding = 2;
		__atomic_clear(&process.writing, __ATOMIC_RELEASE);
	} else { /* a fault while the stack is read is to come here as well */
		call(CALL_SIGACTION, 11, (long)&again, 0, 8);
		call(CALL_SIGACTION, 7, (long)&again, 0, 8);
		call(CALL_SIGPROCMASK, 2, (long)none, 0, 8);
	}
	if (rivulet_probe_trap != NULL && !(aborting && number == SIGNAL_ABORT))
		rivulet_probe_trap(interrupted, interrupted[0]);
	rivulet_probe_finish();
	if (unwinding == 0) {
		const struct action standard = {0};
		call(CALL_SIGACTION, 11, (long)&standard, 0, 8);
		call(CALL_SIGACTION, 7, (long)&standard, 0, 8);
	}
	call(CALL_SIGPROCMASK, 2, (long)none, 0, 8);
	call(CALL_TGKILL, pid, call(CALL_GETTID, 0, 0, 0, 0), number, 0);
}

/* ---- RIVULET_DUMP: the profile so far, while the program runs on ---- */
#define SIGNAL_TIMER 60 /* of RIVULET_DUMP=SECONDS */
#define RESTART 0x10000000ul

static void on_dump(int number, void *unused, void *context)
{
	const uintptr_t *interrupted = (const uintptr_t *)((const char *)context + CONTEXT_REGISTERS);
	(void)number;
	(void)unused;
	if (rivulet_probe_trap != NULL)
		rivulet_probe_trap(interrupted, interrupted[0]);
	dumping = 1;
	rivulet_probe_finish();
	dumping = 0;
	if (rivulet_probe_trap != NULL) /* the program goes on: its end is read where it ends */
		rivulet_probe_trap(NULL, 0);
}

/* RIVULET_RESET: what was counted so far is forgotten, as in a child of fork(). */
static void on_reset(int number, void *unused, void *context)
{
	const uintptr_t *interrupted = (const uintptr_t *)((const char *)context + CONTEXT_REGISTERS);
	(void)number;
	(void)unused;
	if (__atomic_test_and_set(&process.writing, __ATOMIC_ACQUIRE))
		return; /* it is being written: that is the end, or the next signal comes */
	rivulet_probe_reset();
	if (rivulet_probe_forked != NULL)
		rivulet_probe_forked(interrupted, interrupted[0]);
	__atomic_clear(&process.writing, __ATOMIC_RELEASE);
}

/* 0: it is none. */
static unsigned long number_of(const char *text)
{
	unsigned long value = 0;
	for (; *text >= '0' && *text <= '9' && value < 1000000; text++)
		value = 10 * value + (unsigned long)(*text - '0');
	return *text == '\0' ? value : 0;
}

static int signal_of(const char *text)
{
	if (text[0] == 'S' && text[1] == 'I' && text[2] == 'G')
		text += 3;
	if (text[0] == 'U' && text[1] == 'S' && text[2] == 'R' && (text[3] == '1' || text[3] == '2') && text[4] == '\0')
		return text[3] == '1' ? 10 : 12;
	if (text[0] == 'H' && text[1] == 'U' && text[2] == 'P' && text[3] == '\0')
		return 1;
	return 0;
}

static void write_each(unsigned long seconds)
{
	/* of the kernel: struct sigevent; struct itimerspec with 64 bits of seconds */
	static int event[16]; /* not on the stack: that would need memset() */
	int64_t when[4] = {(int64_t)seconds, 0, (int64_t)seconds, 0};
	int timer = 0;
	event[sizeof(long) / sizeof(int)] = SIGNAL_TIMER; /* behind the value; notification by a signal is 0 */
	if (call(CALL_TIMER_CREATE, 1, (long)event, (long)&timer, 0) == 0)
		call(sizeof(long) == 8 ? CALL_TIMER_SETTIME : CALL_TIMER_SETTIME64, timer, 0, (long)when, 0);
}

static void reset_later(const struct action *dump)
{
	static const char wrong[] = "rivulet: RIVULET_RESET is USR1, USR2 or HUP, and not that of RIVULET_DUMP\n";
	struct action ours = *dump;
	const char *text = rivulet_probe_setting("RIVULET_RESET="), *other = rivulet_probe_setting("RIVULET_DUMP=");
	if (text == NULL)
		return;
	ours.handler = on_reset;
	if (signal_of(text) == 0 || (other != NULL && signal_of(other) == signal_of(text)))
		call(CALL_WRITE, 2, (long)wrong, sizeof wrong - 1, 0);
	else
		call(CALL_SIGACTION, signal_of(text), (long)&ours, 0, 8);
}

static void write_later(void)
{
	static const char wrong[] =
	    "rivulet: RIVULET_DUMP is USR1, USR2, HUP or a number of seconds: nothing is written "
	    "while the program runs\n";
	struct action ours = {.handler = on_dump, .flags = ON_STACK | RESTART | WITH_CONTEXT};
	const char *text = rivulet_probe_setting("RIVULET_DUMP=");
	for (size_t i = 0; i < sizeof ours.mask / sizeof *ours.mask;
	     i++) /* what ends the program waits, but for faults */
		((volatile unsigned long *)ours.mask)[i] = i == 0 ? ~0x440ul : ~0ul;
	reset_later(&ours);
	if (text == NULL)
		return;
	const int by = signal_of(text);
	const unsigned long seconds = by != 0 ? 0 : number_of(text);
	if (by == 0 && seconds == 0)
		call(CALL_WRITE, 2, (long)wrong, sizeof wrong - 1, 0);
	else
		call(CALL_SIGACTION, by != 0 ? by : SIGNAL_TIMER, (long)&ours, 0, 8);
	if (seconds > 0)
		write_each(seconds);
}

extern const char _DYNAMIC[] __attribute__((weak));

static void watch(void)
{
	const struct stack stack = {signal_stack, 0, sizeof signal_stack};
	struct stack before;
	if (call(CALL_SIGALTSTACK, 0, (long)&before, 0, 0) == 0 && (before.flags & 2) != 0)
		call(CALL_SIGALTSTACK, (long)&stack, 0, 0, 0);
	for (size_t i = 0; i < sizeof signals; i++) {
		const struct action ours = {.handler = on_signal, .flags = ON_STACK | RESET | WITH_CONTEXT};
		struct action theirs;
		if (signals[i] == SIGNAL_ABORT && _DYNAMIC == 0)
			continue;
		if (call(CALL_SIGACTION, signals[i], 0, (long)&theirs, 8) == 0 && theirs.handler == 0)
			call(CALL_SIGACTION, signals[i], (long)&ours, 0, 8);
	}
	write_later();
	process.watching = 1;
}

void rivulet_probe_give_up(void)
{
	const struct action standard = {0};
	const struct stack none = {NULL, 2, 0};
	struct action theirs;
	struct stack before;
	for (size_t i = 0; i < sizeof signals; i++) {
		if (call(CALL_SIGACTION, signals[i], 0, (long)&theirs, 8) != 0 || theirs.handler != on_signal)
			continue;
		call(CALL_SIGACTION, signals[i], (long)&standard, 0, 8);
		process.watching = 0;
	}
	if (call(CALL_SIGALTSTACK, 0, (long)&before, 0, 0) == 0 && before.base == signal_stack)
		call(CALL_SIGALTSTACK, (long)&none, 0, 0, 0);
}

__attribute__((constructor(101))) static void begin(void)
{
	if (process.owner == 0)
		process.owner = call(CALL_GETPID, 0, 0, 0, 0);
	find_start_folder();
	if (!process.watching)
		watch();
	if (rivulet_probe_switch_start != NULL)
		rivulet_probe_switch_start(0);
#ifndef RIVULET_LIBRARY
	process.program = 1;
#endif
}

#ifndef RIVULET_LIBRARY
/* The last destructor; in a static program _exit comes still later. */
__attribute__((destructor(101))) static void end(void)
{
	process.ended = 1;
	if (_DYNAMIC == 0)
		return;
	if (!exited) /* the stack is the C library's */
		unwinding = 2;
	rivulet_probe_finish();
}
#endif

#ifndef RIVULET_NO_LIBC
static void begin_child(void)
{
	static uintptr_t x[32];
	const long own = call(CALL_GETPID, 0, 0, 0, 0);
	if (own == process.owner) /* by _Fork() already */
		return;
	if (file >= 0) /* the file of a trace: the parent goes on writing it */
		call(CALL_CLOSE, file, 0, 0, 0);
	file = -1;
	rivulet_probe_reset();
	process.owner = own;
	process.forked = 1;
	unwinding = 0; /* whether the parent's stack has been counted */
	const uintptr_t pc = rivulet_probe_registers(x);
	if (rivulet_probe_forked != NULL)
		rivulet_probe_forked(x, pc);
	const char *dump = rivulet_probe_setting("RIVULET_DUMP="); /* timers are not inherited */
	if (dump != NULL && number_of(dump) > 0)
		write_each(number_of(dump));
	if (rivulet_probe_switch_start != NULL)
		rivulet_probe_switch_start(1);
}

int __real_fork(void);
int __wrap_fork(void);
int __wrap_fork(void)
{
	int child = __real_fork();
	if (child == 0)
		begin_child();
	return child;
}

/* Of dynamic programs, whose C library is not edited. */
int __real_daemon(int stay, int open) __attribute__((weak));
int __wrap_daemon(int stay, int open);
int __wrap_daemon(int stay, int open)
{
	static uintptr_t x[32];
	const uintptr_t pc = rivulet_probe_registers(x);
	if (rivulet_probe_trap != NULL)
		rivulet_probe_trap(x, pc);
	rivulet_probe_finish(); /* who calls it ends in it */
	if (rivulet_probe_trap != NULL)
		rivulet_probe_trap(NULL, 0);
	int status = __real_daemon(stay, open);
	begin_child(); /* unless it failed before it was one */
	return status;
}

int __real_forkpty(int *terminal, char *name, const void *settings, const void *size) __attribute__((weak));
int __wrap_forkpty(int *terminal, char *name, const void *settings, const void *size);
int __wrap_forkpty(int *terminal, char *name, const void *settings, const void *size)
{
	int child = __real_forkpty(terminal, name, settings, size);
	if (child == 0)
		begin_child();
	return child;
}

/* Of static ones. */
int __real__Fork(void) __attribute__((weak));
int __wrap__Fork(void);
int __wrap__Fork(void)
{
	int child = __real__Fork();
	if (child == 0)
		begin_child();
	return child;
}

_Noreturn void __real_abort(void);
_Noreturn void __wrap_abort(void);
_Noreturn void __wrap_abort(void)
{
	static uintptr_t x[32];
	uintptr_t pc = rivulet_probe_registers(x);
	if (rivulet_probe_trap != NULL)
		rivulet_probe_trap(x, pc);
	aborting = 1;
	rivulet_probe_finish();
	__real_abort();
}
#endif

#ifndef RIVULET_LIBRARY
/* exit() of a dynamic program: its end comes by the C library, which is not edited. */
_Noreturn void __real_exit(int code) __attribute__((weak));
_Noreturn void __wrap_exit(int code);
_Noreturn void __wrap_exit(int code)
{
	uintptr_t x[32], pc = rivulet_probe_registers(x);
	if (rivulet_probe_trap != NULL)
		rivulet_probe_trap(x, pc);
	exited = 1;
	__real_exit(code);
}
#endif

_Noreturn void __wrap__exit(int code);
_Noreturn void __wrap__exit(int code)
{
	rivulet_probe_finish();
	for (;;)
		call(CALL_EXIT_GROUP, code, 0, 0, 0);
}

_Noreturn void __wrap__Exit(int code);
_Noreturn void __wrap__Exit(int code)
{
	__wrap__exit(code);
}
