/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#define _GNU_SOURCE /* memfd_create() */
#include "host/qemu/qemu.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "host/qemu/system.h"
#include "host/qemu/written.h"

static const unsigned char plugin_bytes[] = {
#include "qemu_plugin.h"
};

#define MEMORY_SIZE (CAPTURE_REGIONS_AT + CAPTURE_REGIONS_MAX * CAPTURE_REGION_SIZE) /* sparse */
#define OPTION_MAX 256
#define OLDEST 402 /* 4.2, the first qemu that takes plugins */

struct start {
	struct qemu_program *program;
	const char *emulator;
	char **argv;
	int plugin;                       /* files in memory */
	const struct qemu_system *system; /* NULL: a program of Linux */
	struct system_files system_files;
	struct qemu_take take;
};

static int fail(struct start *s, int error, const char *what)
{
	snprintf(s->take.detail, s->take.size, "%s: %s", what, strerror(errno));
	return error;
}

/* ---------------------------------------------------------------- what qemu is given */

static const char *const loader_folders[] = {"/usr/riscv64-linux-gnu", "/usr/riscv32-linux-gnu"};

/* The folder for programs that a process becomes, where the first one needs none: Debian's cross compiler's, if no
 * other is named. */
static const char *folder_of_others(const struct start *s)
{
	const char *folder = loader_folders[image_xlen(s->program->image) == 64 ? 0 : 1];
	return getenv("QEMU_LD_PREFIX") == NULL && access(folder, R_OK) == 0 ? folder : "";
}

/* The plugin and the shared memory have no names: nothing is left of them, however this process ends. qemu opens them
 * by way of this process. */
static int make_files(struct start *s, const char *folder)
{
	s->plugin = memfd_create("rivulet-plugin.so", MFD_CLOEXEC);
	s->take.file = memfd_create("rivulet-capture", MFD_CLOEXEC);
	if (s->plugin < 0 || s->take.file < 0)
		return fail(s, QEMU_EFILE, "memory for the plugin");
	for (size_t done = 0; done < sizeof plugin_bytes;) {
		const ssize_t put = write(s->plugin, plugin_bytes + done, sizeof plugin_bytes - done);
		if (put <= 0)
			return fail(s, QEMU_EFILE, "memory for the plugin");
		done += (size_t)put;
	}
	if (ftruncate(s->take.file, (off_t)MEMORY_SIZE) != 0)
		return fail(s, QEMU_EFILE, "memory for what is counted");
	void *at = mmap(NULL, CAPTURE_REGIONS_AT, PROT_READ | PROT_WRITE, MAP_SHARED, s->take.file, 0);
	if (at == MAP_FAILED)
		return fail(s, QEMU_EFILE, "memory for what is counted");
	s->take.capture = at;
	s->take.capture->magic = CAPTURE_MAGIC;
	s->take.capture->order = s->take.options->ordered;
	s->take.capture->edges = s->take.options->edges;
	s->take.capture->reader = (uint32_t)getpid();
	struct capture_program *first = (struct capture_program *)((char *)at + CAPTURE_PROGRAMS_AT);
	char *program = realpath(
	    s->system != NULL ? s->system->programs[0].path : s->argv[0], NULL); /* as /proc/self/maps has it */
	snprintf(first->path, sizeof first->path, "%s", program == NULL ? "" : program);
	snprintf(s->program->path, sizeof s->program->path, "%s", first->path);
	free(program);
	atomic_store(&first->ready, 1);
	atomic_store(&s->take.capture->programs, 1);
	snprintf(s->take.capture->folder, sizeof s->take.capture->folder, "%s",
	    *folder != '\0' ? folder : folder_of_others(s));
	const int error = take_open(&s->take, s->program);
	return error == QEMU_OK && s->system != NULL ? system_open(&s->system_files, s->system, &s->take) : error;
}

/* Whether a command can be run; by PATH, if its name has no slash. */
static bool is_command(const char *name)
{
	const char *path = getenv("PATH");
	char file[4200];
	if (strchr(name, '/') != NULL)
		return access(name, X_OK) == 0;
	while (path != NULL && *path != '\0') {
		const size_t length = strcspn(path, ":");
		snprintf(file, sizeof file, "%.*s/%s", (int)length, length > 0 ? path : ".", name);
		if (length < 4000 && access(file, X_OK) == 0)
			return true;
		path += length + (path[length] == ':');
	}
	return false;
}

/* The folder below which the dynamic loader is that the program asks for: "" if it is in its own place, or there is
 * none to ask for; NULL: nowhere. */
static const char *loader_folder(const struct start *s, const char **loader)
{
	static char file[512];
	size_t size;
	const char *wanted = (const char *)image_section(s->program->image, ".interp", &size);
	*loader = wanted;
	if (wanted == NULL || size == 0 || wanted[size - 1] != '\0' || getenv("QEMU_LD_PREFIX") != NULL ||
	    access(wanted, R_OK) == 0)
		return "";
	for (size_t i = 0; i < sizeof loader_folders / sizeof *loader_folders; i++) {
		snprintf(file, sizeof file, "%s%.400s", loader_folders[i], wanted);
		if (access(file, R_OK) == 0)
			return loader_folders[i];
	}
	return NULL;
}

/* ---------------------------------------------------------------- the run */

#define SHOW_FIRST 0.5
#define SHOW_EACH 1.0

static double seconds_now(void)
{
	struct timespec now = {0};
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Takes what comes in order, and shows it now and then: *next is when. */
static int take_and_show(struct start *s, bool *more, double *next)
{
	const int error = take_orders(&s->take, more);
	const double now = seconds_now();
	if (error == QEMU_OK && s->take.records_lost[0] == '\0' && now >= *next) {
		written_show(&s->take);
		*next = now + SHOW_EACH;
	}
	return error;
}

/* Waits for the program, takes what comes in order, and passes on what tells this process to end, unless that is
 * ignored (nohup). */
static int wait_for(struct start *s, pid_t child, const sigset_t *awaited)
{
	struct qemu_run *run = &s->program->run;
	int status, error = QEMU_OK;
	bool more = false, ordered = s->take.options->ordered;
	double next = seconds_now() + SHOW_FIRST;
	while (waitpid(child, &status, WNOHANG) == 0) {
		const struct timespec soon = {.tv_nsec = more ? 200000 : 5000000}, late = {.tv_sec = 3600};
		if (ordered) {
			error = take_and_show(s, &more, &next);
			ordered = error == QEMU_OK && s->take.records_lost[0] == '\0';
			if (error != QEMU_OK)
				atomic_store(&s->take.capture->reader_gone, 1); /* the program runs to its end */
		}
		siginfo_t from;
		const int number = sigtimedwait(awaited, &from, ordered ? &soon : &late);
		if (number < 0 || number == SIGCHLD)
			continue;
		run->told = number;
		if (number != SIGINT || from.si_code != SI_KERNEL) /* the terminal's Ctrl-C comes to all */
			kill(child, number);
	}
	run->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	run->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	return error;
}

/* What goes before the user's words. Returns how many. */
static size_t put_words(const struct start *s, const char *folder, char *option, char *log, char **words)
{
	const int own = (int)getpid(), code = s->system_files.code, file = s->system_files.log,
		  end = s->system_files.log_end;
	size_t n = 0;
	int length =
	    snprintf(option, OPTION_MAX, "/proc/%d/fd/%d,memory=/proc/%d/fd/%d", own, s->plugin, own, s->take.file);
	if (s->system != NULL)
		length += snprintf(option + length, OPTION_MAX - (size_t)length, ",code=/proc/%d/fd/%d", own, code);
	words[n++] = (char *)(uintptr_t)s->emulator;
	words[n++] = (char *)(uintptr_t) "-plugin";
	words[n++] = option;
	if (*folder != '\0') {
		words[n++] = (char *)(uintptr_t) "-L";
		words[n++] = (char *)(uintptr_t)folder;
	}
	if (file >= 0) {
		snprintf(log, OPTION_MAX, "/proc/%d/fd/%d", own, end);
		snprintf(option + length, OPTION_MAX - (size_t)length, ",log=/proc/%d/fd/%d", own, file);
		words[n++] = (char *)(uintptr_t) "-d";
		words[n++] = (char *)(uintptr_t) "in_asm,int";
		words[n++] = (char *)(uintptr_t) "-D";
		words[n++] = log;
	}
	return n;
}

/* The emulator does not outlive us, however we end: nobody would read what it counts. */
static void end_with(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent) /* it was too late */
		_exit(127);
}

static int run_program(struct start *s, const char *folder)
{
	char option[OPTION_MAX], log[OPTION_MAX];
	size_t count = 0;
	while (s->argv[count] != NULL)
		count++;
	char **words = calloc(count + 16, sizeof *words);
	if (words == NULL)
		return QEMU_ENOMEM;
	size_t n = put_words(s, folder, option, log, words);
	for (size_t i = 0; i < count; i++)
		words[n++] = s->argv[i];
	const int ends[] = {SIGINT, SIGTERM, SIGHUP};
	sigset_t awaited, before;
	sigemptyset(&awaited);
	sigaddset(&awaited, SIGCHLD);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		struct sigaction old;
		if (sigaction(ends[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaddset(&awaited, ends[i]);
	}
	sigprocmask(SIG_BLOCK, &awaited, &before);
	fflush(NULL);
	const pid_t self = getpid();
	pid_t child = fork();
	if (child == 0) {
		end_with(self);
		sigprocmask(SIG_SETMASK, &before, NULL);
		execvp(s->emulator, words);
		fprintf(stderr, "rivulet: %s: %s\n", s->emulator, strerror(errno));
		_exit(127);
	}
	free(words);
	int error = child < 0 ? fail(s, QEMU_ESTART, s->emulator) : QEMU_OK;
	if (child >= 0)
		error = wait_for(s, child, &awaited);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return error;
}

/* ---------------------------------------------------------------- what went wrong */

/* "qemu-riscv64 version 7.2.22", "QEMU emulator version 7.2.22": 702; 0: it is no qemu. */
static unsigned qemu_version(const char *emulator)
{
	char line[256] = "";
	unsigned major, minor;
	int ends[2], status;
	if (pipe(ends) != 0)
		return 0;
	fflush(NULL);
	const pid_t child = fork();
	if (child == 0) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		execlp(emulator, emulator, "--version", (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	FILE *from = fdopen(ends[0], "r");
	if (from == NULL)
		close(ends[0]);
	if (from != NULL && fgets(line, sizeof line, from) == NULL)
		line[0] = '\0';
	if (from != NULL)
		fclose(from);
	if (child > 0)
		waitpid(child, &status, 0);
	const char *version = strstr(line, "version ");
	if ((strncmp(line, "qemu", 4) != 0 && strncmp(line, "QEMU", 4) != 0) || version == NULL ||
	    sscanf(version, "version %u.%u", &major, &minor) != 2)
		return 0;
	return 100 * major + minor;
}

/* The plugin was never there. */
static int explain_start(struct start *s)
{
	const unsigned version = qemu_version(s->emulator);
	if (version == 0 && s->system != NULL)
		snprintf(s->take.detail, s->take.size,
		    "%s is not qemu, or cannot be run: give qemu-system-riscv32 or -riscv64 of version 7.1 or later "
		    "(Debian: package qemu-system-misc)",
		    s->emulator);
	else if (version == 0)
		snprintf(s->take.detail, s->take.size,
		    "%s is not qemu, or cannot be run: give qemu's user emulator of version 7.1 or later in "
		    "RIVULET_QEMU "
		    "(Debian: package qemu-user)",
		    s->emulator);
	else if (version < OLDEST)
		snprintf(s->take.detail, s->take.size,
		    "%s is of version %u.%u, too old for plugins: 7.1 or later is needed", s->emulator, version / 100,
		    version % 100);
	else if (s->system != NULL)
		snprintf(s->take.detail, s->take.size,
		    "%s (version %u.%u) did not begin: its message is above; one that is built without "
		    "--enable-plugins knows no -plugin",
		    s->emulator, version / 100, version % 100);
	else
		snprintf(s->take.detail, s->take.size,
		    "%s (version %u.%u) takes no plugins, or not ours: its message is above; one that is linked "
		    "statically "
		    "(qemu-user-static) or built without --enable-plugins takes none",
		    s->emulator, version / 100, version % 100);
	return QEMU_ESTART;
}

static int explain_failure(struct start *s, uint32_t failure)
{
	static const char *const why[CAPTURE_FAILURES] = {[CAPTURE_NO_MEMORY] = "no memory is left",
	    [CAPTURE_NO_KEYS] = "a thread has more than 100 million different traces",
	    [CAPTURE_NO_REGIONS] = "there are more than 4,096 threads at once, or a million threads and children"};
	snprintf(s->take.detail, s->take.size, "was ended by the plugin: %s",
	    failure < CAPTURE_FAILURES ? why[failure] : "of an unknown reason");
	return failure == CAPTURE_NO_MEMORY ? QEMU_ENOMEM : QEMU_ESTART;
}

static int run_and_take(struct start *s)
{
	const char *loader = NULL, *folder = s->system != NULL ? "" : loader_folder(s, &loader);
	if (!is_command(s->emulator) && s->system != NULL) {
		snprintf(s->take.detail, s->take.size,
		    "%s is missing, or cannot be run: install it (Debian: package qemu-system-misc)", s->emulator);
		return QEMU_ESTART;
	}
	if (!is_command(s->emulator)) {
		snprintf(s->take.detail, s->take.size,
		    "%s is missing, which runs programs of RISC-V Linux: install it (Debian: package qemu-user), or "
		    "name "
		    "another in RIVULET_QEMU",
		    s->emulator);
		return QEMU_ESTART;
	}
	if (folder == NULL && getenv("RIVULET_QEMU") == NULL) {
		snprintf(s->take.detail, s->take.size,
		    "needs the dynamic loader %s, which is not here: set QEMU_LD_PREFIX to the folder that has the "
		    "libraries of RISC-V (Debian: package libc6-riscv64-cross), or link the program statically",
		    loader);
		return QEMU_ESTART;
	}
	int error = make_files(s, folder == NULL ? "" : folder);
	if (error == QEMU_OK)
		error = run_program(s, folder == NULL ? "" : folder);
	if (error != QEMU_OK)
		return error;
	atomic_store(&s->take.capture->reader_gone, 1);
	if (atomic_load(&s->take.capture->no_system) != 0) {
		snprintf(s->take.detail, s->take.size, "%s runs programs of Linux, and no whole system", s->emulator);
		return QEMU_EFILE;
	}
	if (atomic_load(&s->take.capture->other_width) != 0) {
		snprintf(s->take.detail, s->take.size, "%s emulates processors of another width", s->emulator);
		return QEMU_EFILE;
	}
	if (atomic_load(&s->take.capture->installed) == 0)
		return explain_start(s);
	const uint32_t failure = atomic_load(&s->take.capture->failure);
	return failure != CAPTURE_GOOD ? explain_failure(s, failure) : take_all(&s->take);
}

void qemu_programs_free(struct qemu_program *programs)
{
	while (programs != NULL) {
		struct qemu_program *next = programs->next;
		image_close(programs->image);
		profile_fini(&programs->profile);
		free(programs);
		programs = next;
	}
}

static int run_and_close(struct start *s)
{
	s->program->run = (struct qemu_run){0};
	s->program->next = NULL;
	snprintf(s->take.detail, s->take.size, "out of memory");
	const int error = run_and_take(s);
	if (error == QEMU_OK)
		s->program->next = take_others(&s->take);
	if (s->system != NULL && s->take.capture != NULL)
		s->program->run.modes_unknown = s->system_files.log < 0;
	take_close(&s->take);
	if (s->take.capture != NULL)
		munmap(s->take.capture, CAPTURE_REGIONS_AT);
	if (s->plugin >= 0)
		close(s->plugin);
	if (s->take.file >= 0)
		close(s->take.file);
	system_close(&s->system_files);
	return error;
}

int qemu_profile(
    struct qemu_program *program, char **argv, const struct qemu_options *options, char *detail, size_t size)
{
	const char *named = getenv("RIVULET_QEMU");
	if (named == NULL || *named == '\0')
		named = image_xlen(program->image) == 64 ? "qemu-riscv64" : "qemu-riscv32";
	struct start s = {.program = program,
	    .argv = argv,
	    .plugin = -1,
	    .system_files = {-1, -1, -1},
	    .emulator = named,
	    .take = {.file = -1, .options = options, .detail = detail, .size = size}};
	return run_and_close(&s);
}

int qemu_profile_system(struct qemu_program *program, const struct qemu_system *system, struct qemu_ranges *ranges,
    const struct qemu_options *options, char *detail, size_t size)
{
	struct start s = {.program = program,
	    .system = system,
	    .system_files = {-1, -1, -1},
	    .argv = system->words + 1,
	    .plugin = -1,
	    .emulator = system->words[0],
	    .take = {.file = -1, .options = options, .ranges = ranges, .detail = detail, .size = size}};
	return run_and_close(&s);
}
