/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Programs that a process becomes by exec(). qemu hands exec() on to the host, which runs a program of RISC-V only if
 * the administrator said how, and without a plugin. So the plugin does it before qemu: it reads what the program asked
 * for out of the program's memory, and becomes what the command started, with the other program:
 *
 *   qemu -plugin US,memory=FILE -L FOLDER ./first ...     this process' command line (/proc/self/cmdline)
 *   qemu -plugin US,memory=FILE,program=N,blocked=M -L FOLDER -0 NAME ./other ...
 *   qemu ...                                    -0 INTERPRETER ./interpreter ./script ...    of a script "#!"
 *
 * A process that has changed its user cannot open the plugin and the memory by way of the command any more: it has them
 * open since then, and they are called /proc/self/fd/NUMBER.
 *
 * N is its number in the shared memory, M the signals that are blocked, a bit each, hexadecimal. What is no program of
 * RISC-V (the host's shell) is left to qemu.
 */
#define _GNU_SOURCE /* process_vm_readv(), dladdr() */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include "host/qemu/plugin.h"

/* As Linux has them: bytes of a word; more words than its 6 MiB of words and their addresses hold. */
enum { WORDS_MAX = 1 << 20, WORD_MAX = 1 << 17, SCRIPTS_MAX = 4, HEAD_MAX = 256 };

uint32_t program_number;
char program_path[CAPTURE_PATH_MAX];
static uint64_t guest_base;
static bool wide_program; /* 64 bits */

void exec_learn_base(uint64_t address, const void *host)
{
	if (host != NULL)
		guest_base = (uint64_t)(uintptr_t)host - address;
}

static struct capture_program *program_at(uint32_t number)
{
	return (struct capture_program *)((char *)capture + CAPTURE_PROGRAMS_AT) + number;
}

/* ---------------------------------------------------------------- files of the command */

enum { KEPT_PLUGIN, KEPT_MEMORY, KEPT_FILES };
static struct kept_file {
	int number; /* closed on exec(); 0: not open. The program may close it, or use its number */
	dev_t device;
	ino_t inode;
} kept_files[KEPT_FILES];

static const char own_file[] = "/proc/self/fd/";
/* By their usual names. The plugin's is that by which it was loaded. */
static const char *usual_name(int which)
{
	Dl_info own;
	if (which == KEPT_MEMORY)
		return memory_name;
	return dladdr((void *)(uintptr_t)exec_follow, &own) != 0 ? own.dli_fname : "";
}

static int open_usual(int which)
{
	if (strncmp(usual_name(which), own_file, sizeof own_file - 1) == 0)
		return -1; /* it is kept open */
	return open(usual_name(which), which == KEPT_MEMORY ? O_RDWR | O_CLOEXEC : O_RDONLY | O_CLOEXEC);
}

/* Far from the numbers that programs use. */
static void keep_file(int which)
{
	struct kept_file *k = &kept_files[which];
	struct stat status;
	const int file = open_usual(which);
	if (file < 0)
		return;
	const int far = fcntl(file, F_DUPFD_CLOEXEC, 500);
	if (far >= 0 && fstat(far, &status) == 0)
		*k = (struct kept_file){far, status.st_dev, status.st_ino};
	close(file);
}

/* ---------------------------------------------------------------- signals that wait */

/* qemu takes a signal of the host, and looks at it at the end of the block, or when it makes a system call of the
 * program itself. Until then the host blocks all of them, also the two that a library of C keeps for itself and lets
 * nobody block: so this is no wish of the program, which may block the others itself, or while a handler runs. A
 * successor would have lost the signal, and be deaf: exec() is left to qemu then, which looks at it and begins anew. */
static bool blocks_own(const sigset_t *set)
{
	enum { LIBRARY_FIRST = 32, LIBRARY_SECOND = 33 };
	return sigismember(set, LIBRARY_FIRST) == 1 && sigismember(set, LIBRARY_SECOND) == 1;
}

/* What comes from here on waits in the host, and so do signals for the program that follows, which takes the mask back
 * from the plugin's argument. What another thread of this process takes meanwhile is lost.
 * False: one waits here, or they cannot be held. */
static _Thread_local sigset_t mask_before;
static bool hold_signals(void)
{
	sigset_t all;
	sigfillset(&all);
	return pthread_sigmask(SIG_SETMASK, &all, &mask_before) == 0 && !blocks_own(&mask_before);
}

static uint64_t signals_before(void)
{
	uint64_t set = 0;
	for (int i = 1; i <= 64; i++)
		set |= (uint64_t)(sigismember(&mask_before, i) == 1) << (i - 1);
	return set;
}

void exec_called(int64_t number)
{
	enum { CALL_CHROOT = 51, CALL_CAPSET = 91, CALL_SETREGID = 143, CALL_SETFSGID = 152, CALL_SETGROUPS = 159 };
	static _Atomic bool kept;
	const bool changes = number == CALL_CHROOT || number == CALL_CAPSET || number == CALL_SETGROUPS ||
			     (number >= CALL_SETREGID && number <= CALL_SETFSGID);
	if (!changes || atomic_exchange(&kept, true))
		return;
	for (int i = 0; i < KEPT_FILES; i++) {
		if (kept_files[i].number == 0)
			keep_file(i);
	}
}

/* The name by which this process' successor can open it; "" none. The successor has it open, if it needs that. */
static void name_file(int which, char *name, size_t size)
{
	const struct kept_file *k = &kept_files[which];
	struct stat status;
	const int file = open_usual(which);
	if (file >= 0)
		close(file);
	*name = '\0';
	if (file >= 0)
		snprintf(name, size, "%s", usual_name(which));
	else if (k->number != 0 && fstat(k->number, &status) == 0 && status.st_dev == k->device &&
		 status.st_ino == k->inode && fcntl(k->number, F_SETFD, 0) == 0)
		snprintf(name, size, "%s%d", own_file, k->number);
}

/* No successor came. */
static void close_on_exec(void)
{
	for (int i = 0; i < KEPT_FILES; i++) {
		if (kept_files[i].number != 0)
			fcntl(kept_files[i].number, F_SETFD, FD_CLOEXEC);
	}
}

/* From the process' predecessor. */
static void take_kept_file(int which)
{
	struct stat status;
	int number;
	if (sscanf(usual_name(which), "/proc/self/fd/%d", &number) != 1 || fstat(number, &status) != 0)
		return;
	kept_files[which] = (struct kept_file){number, status.st_dev, status.st_ino};
	fcntl(number, F_SETFD, FD_CLOEXEC);
}

/* blocked: as the predecessor says; NULL: as they are. The library's two go. What waited comes now: the handlers are
 * gone, as behind any exec(). */
static void take_signals(const char *blocked)
{
	const uint64_t set = blocked == NULL ? 0 : strtoull(blocked, NULL, 16);
	sigset_t now;
	if (pthread_sigmask(SIG_BLOCK, NULL, &now) != 0)
		return;
	for (int i = 1; i <= 64 && blocked != NULL; i++) {
		if ((set >> (i - 1) & 1) != 0)
			sigaddset(&now, i);
		else
			sigdelset(&now, i);
	}
	pthread_sigmask(SIG_SETMASK, &now, NULL);
}

bool exec_take_arguments(int argc, char **argv, bool wide)
{
	unsigned long number = 0;
	const char *blocked = NULL;
	for (int i = 0; i < KEPT_FILES; i++)
		take_kept_file(i);
	wide_program = wide;
	for (int i = 0; i < argc; i++) {
		if (strncmp(argv[i], "program=", 8) == 0)
			number = strtoul(argv[i] + 8, NULL, 10);
		if (strncmp(argv[i], "blocked=", 8) == 0)
			blocked = argv[i] + 8;
	}
	take_signals(blocked);
	if (number >= CAPTURE_PROGRAMS_MAX)
		return false;
	program_number = (uint32_t)number;
	memcpy(program_path, program_at(program_number)->path, sizeof program_path - 1);
	return true;
}

/* ---------------------------------------------------------------- the program's memory */

size_t exec_read_bytes(uint64_t address, void *to, size_t size)
{
	size_t done = 0;
	while (done < size) { /* page by page: a part that is there is read */
		const uint64_t at = guest_base + address + done;
		size_t part = 4096 - (at & 4095);
		part = part < size - done ? part : size - done;
		const struct iovec own = {(char *)to + done, part}, other = {(void *)(uintptr_t)at, part};
		if (process_vm_readv(getpid(), &own, 1, &other, 1, 0) != (ssize_t)part)
			break;
		done += part;
	}
	return done;
}

/* Most words are short: those that are not get room for the longest that there is. */
static char *read_text(uint64_t address)
{
	char head[256];
	size_t got = exec_read_bytes(address, head, sizeof head);
	if (memchr(head, '\0', got) != NULL)
		return strdup(head);
	char *text = got < sizeof head ? NULL : malloc(WORD_MAX);
	if (text == NULL)
		return NULL;
	memcpy(text, head, got);
	got += exec_read_bytes(address + got, text + got, WORD_MAX - got);
	if (memchr(text, '\0', got) == NULL) {
		free(text);
		return NULL;
	}
	char *shorter = realloc(text, strlen(text) + 1);
	return shorter != NULL ? shorter : text;
}

struct words {
	char **all; /* NULL behind the last one */
	size_t count, room;
	bool failed;
};

static void add_word(struct words *w, char *word)
{
	if (w->count + 2 > w->room) {
		const size_t room = 2 * w->room + 64;
		char **more = realloc(w->all, room * sizeof *more);
		w->failed = w->failed || more == NULL;
		if (more == NULL) {
			free(word);
			return;
		}
		w->all = more;
		w->room = room;
	}
	w->failed = w->failed || word == NULL;
	w->all[w->count++] = word;
	w->all[w->count] = NULL;
}

static void free_words(struct words *w)
{
	for (size_t i = 0; i < w->count; i++)
		free(w->all[i]);
	free(w->all);
}

/* argv, envp of the program. Address 0: there are none. Too many: failed, none is left out. */
static struct words read_words(uint64_t address)
{
	struct words w = {0};
	const size_t size = wide_program ? 8 : 4;
	for (size_t i = 0; address != 0 && !w.failed; i++) {
		uint64_t at = 0;
		if (i > WORDS_MAX || exec_read_bytes(address + i * size, &at, size) != size)
			w.failed = true;
		else if (at == 0)
			break;
		else
			add_word(&w, read_text(at));
	}
	if (w.all == NULL && !w.failed) {
		w.all = calloc(1, sizeof *w.all);
		w.failed = w.all == NULL;
	}
	return w;
}

/* ---------------------------------------------------------------- which program it is */

struct target {
	char path[PATH_MAX];           /* of the program that is run, as it was asked for */
	unsigned char class;           /* of its ELF header */
	char *before[2 * SCRIPTS_MAX]; /* of scripts: words between the program's name and the rest */
	size_t before_count;
	bool script;
};

static void free_target(struct target *t)
{
	for (size_t i = 0; i < t->before_count; i++)
		free(t->before[i]);
}

/* "#! /bin/busybox sh": the interpreter, and one word at most, become the program. */
static bool take_script(struct target *t, char *head)
{
	static const char blanks[] = " \t";
	char *name = head + 2 + strspn(head + 2, blanks), *word;
	name[strcspn(name, "\n")] = '\0';
	word = name + strcspn(name, blanks);
	if (*word != '\0')
		*word++ = '\0';
	word += strspn(word, blanks);
	for (size_t end = strlen(word); end > 0 && strchr(blanks, word[end - 1]) != NULL;)
		word[--end] = '\0';
	if (*name == '\0' || t->before_count + 2 > sizeof t->before / sizeof *t->before)
		return false;
	const size_t words = *word != '\0' ? 2 : 1;
	/* the innermost interpreter's words come first */
	memmove(t->before + words, t->before, t->before_count * sizeof *t->before);
	t->before_count += words;
	t->before[words - 1] = strdup(t->path);
	if (*word != '\0')
		t->before[0] = strdup(word);
	t->script = true;
	return snprintf(t->path, sizeof t->path, "%s", name) < (int)sizeof t->path;
}

/* Whether it can be run, and is a program of RISC-V, or a script for one. */
static bool find_program(struct target *t)
{
	for (unsigned i = 0; i <= SCRIPTS_MAX; i++) {
		char head[HEAD_MAX + 1] = "";
		const int file = access(t->path, X_OK) == 0 ? open(t->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
		const ssize_t got = file < 0 ? -1 : read(file, head, HEAD_MAX);
		if (file >= 0)
			close(file);
		if (got >= 20 && memcmp(head, ELFMAG, SELFMAG) == 0) {
			const unsigned machine = (unsigned char)head[18] | (unsigned)(unsigned char)head[19] << 8;
			t->class = (unsigned char)head[EI_CLASS];
			return machine == EM_RISCV && (t->class == ELFCLASS64 || t->class == ELFCLASS32);
		}
		if (got < 3 || head[0] != '#' || head[1] != '!' || !take_script(t, head))
			return false;
	}
	return false;
}

/* The file that the program means: qemu's own name for it, or below an open folder. */
static bool name_program(struct target *t, int64_t folder, char *path)
{
	char own[64], link[PATH_MAX];
	snprintf(own, sizeof own, "/proc/%d/exe", (int)getpid());
	int length;
	if (strcmp(path, own) == 0 || strcmp(path, "/proc/self/exe") == 0 || strcmp(path, "/proc/thread-self/exe") == 0)
		length = snprintf(t->path, sizeof t->path, "%s", program_path);
	else if (path[0] == '/' || (int)folder == AT_FDCWD)
		length = snprintf(t->path, sizeof t->path, "%s", path);
	else {
		snprintf(own, sizeof own, "/proc/self/fd/%d", (int)folder);
		if (realpath(own, link) == NULL)
			return false;
		length = snprintf(t->path, sizeof t->path, "%s%s%s", link, *path == '\0' ? "" : "/", path);
	}
	return length > 0 && (size_t)length < sizeof t->path;
}

/* Its number in the shared memory; 0: there is no room, and it is not followed. */
static uint32_t program_number_of(const char *path)
{
	char link[PATH_MAX];
	if (realpath(path, link) == NULL || strlen(link) >= CAPTURE_PATH_MAX)
		return 0;
	const uint32_t there = atomic_load(&capture->programs);
	for (uint32_t i = 0; i < there && i < CAPTURE_PROGRAMS_MAX; i++) {
		if (atomic_load_explicit(&program_at(i)->ready, memory_order_acquire) != 0 &&
		    strcmp(program_at(i)->path, link) == 0)
			return i == 0 ? CAPTURE_PROGRAMS_MAX : i;
	}
	const uint32_t number = there < CAPTURE_PROGRAMS_MAX ? atomic_fetch_add(&capture->programs, 1) : 0;
	if (number == 0 || number >= CAPTURE_PROGRAMS_MAX)
		return 0;
	snprintf(program_at(number)->path, CAPTURE_PATH_MAX, "%s", link);
	atomic_store_explicit(&program_at(number)->ready, 1, memory_order_release);
	return number;
}

/* ---------------------------------------------------------------- qemu's command line */

/* The words of this process up to the option that names us, which gets the program's number. */
static bool take_own_words(struct words *w, uint32_t number)
{
	char wanted[sizeof memory_name + 16], us[sizeof memory_name], memory[sizeof memory_name], *line = NULL;
	size_t room = 0;
	bool found = false;
	name_file(KEPT_PLUGIN, us, sizeof us);
	name_file(KEPT_MEMORY, memory, sizeof memory);
	if (*us == '\0' || *memory == '\0')
		return false;
	FILE *file = fopen("/proc/self/cmdline", "re");
	snprintf(wanted, sizeof wanted, ",memory=%s", memory_name);
	while (file != NULL && !found && getdelim(&line, &room, '\0', file) > 0) {
		found = strstr(line, wanted) != NULL;
		if (!found) {
			add_word(w, strdup(line));
			continue;
		}
		char word[2 * sizeof memory_name + 64];
		snprintf(word, sizeof word, "%s,memory=%s,program=%u,blocked=%llx", us, memory, (unsigned)number,
		    (unsigned long long)signals_before());
		add_word(w, strdup(word));
	}
	free(line);
	if (file != NULL)
		fclose(file);
	return found && !w->failed;
}

static void add_option(struct words *w, const char *option, const char *value)
{
	add_word(w, strdup(option));
	add_word(w, strdup(value));
}

/* This emulator, or the one beside it for programs of the other width. */
static bool find_emulator(char *file, size_t size, unsigned char class)
{
	const ssize_t length = readlink("/proc/self/exe", file, size - 1);
	if (length <= 0)
		return false;
	file[length] = '\0';
	if ((class == ELFCLASS64) == wide_program)
		return true;
	const char *own = wide_program ? "riscv64" : "riscv32";
	char *name = strrchr(file, '/'); /* its folder may have such a name too */
	char *width = name == NULL ? NULL : strstr(name, own);
	if (width == NULL)
		return false;
	memcpy(width + 5, wide_program ? "32" : "64", 2);
	return access(file, X_OK) == 0;
}

static bool make_words(struct words *w, const struct target *t, const struct words *given)
{
	const uint32_t number = program_number_of(t->path);
	const char *folder = capture->folder[0] != '\0' ? capture->folder : getenv("QEMU_LD_PREFIX");
	if (number == 0 || !take_own_words(w, number % CAPTURE_PROGRAMS_MAX))
		return false;
	if (folder != NULL && *folder != '\0')
		add_option(w, "-L", folder);
	add_option(w, "-0", t->script || given->count == 0 ? t->path : given->all[0]);
	add_word(w, strdup(t->path));
	for (size_t i = 0; i < t->before_count; i++)
		add_word(w, t->before[i] == NULL ? NULL : strdup(t->before[i]));
	for (size_t i = 1; i < given->count; i++)
		add_word(w, strdup(given->all[i]));
	return !w->failed;
}

void exec_follow(struct processor *p, int64_t folder, uint64_t path, uint64_t words, uint64_t environment)
{
	struct target target = {.class = ELFCLASSNONE};
	struct words qemu = {0}, given = read_words(words), kept = read_words(environment);
	char emulator[PATH_MAX], *name = read_text(path);
	if (hold_signals() && name != NULL && !given.failed && !kept.failed && name_program(&target, folder, name) &&
	    find_program(&target) && find_emulator(emulator, sizeof emulator, target.class) &&
	    make_words(&qemu, &target, &given)) {
		if (p != NULL)
			atomic_store(&p->shared.replaced, CAPTURE_FOLLOWED);
		execve(emulator, qemu.all, kept.all);
		if (p != NULL)
			atomic_store(&p->shared.replaced, CAPTURE_REPLACED);
	}
	pthread_sigmask(SIG_SETMASK, &mask_before, NULL);
	close_on_exec();
	free(name);
	free_target(&target);
	free_words(&qemu);
	free_words(&given);
	free_words(&kept);
}
