/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * rivulet cc: runs a compiler driver as given, but what it links is edited.
 *
 *   rivulet cc --paths -- gcc ... ──► gcc ... -B DIR ──► DIR/ld ──► rivulet cc --as-linker ──► ld, edited words, runtime
 *
 * The driver finds DIR/ld, a script in the cache, instead of its linker, and all the rest is its own work. What was
 * given travels in the environment (RIVULET_CC), one word a line.
 */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "host/base/array.h"
#include "host/cc/cache.h"
#include "host/cc/linker.h"
#include "host/cc/runtime.h"
#include "host/cmd/cmd.h"
#include "host/cmd/insert_gdb.h"

COMMAND(165, cc, "compile and link with counters: a compiler driver, run as given");

#define CACHE_LIMIT (UINT64_C(2) << 30)
#define STATE "RIVULET_CC"
#define SELF "RIVULET_CC_SELF"

struct words {
	char **items;
	size_t count, room;
};

struct arguments {
	const char *cache, *runtime, *as_linker, *gdb;
	struct words insert, exclude, driver;
	bool verbose, map;
};

enum {
	KEY_PATHS = 256,
	KEY_EDGES,
	KEY_BLOCKS,
	KEY_REGIONS,
	KEY_TRACE,
	KEY_MAP,
	KEY_LIMIT,
	KEY_INSERT,
	KEY_CACHE,
	KEY_RUNTIME,
	KEY_EXCLUDE,
	KEY_LINKER,
	KEY_GDB,
	KEY_HASH
};

static const struct argp_option options[] = {
    {"paths", KEY_PATHS, NULL, 0, "Count the acyclic paths of each function (default)", 0},
    {"edges", KEY_EDGES, NULL, 0, "Count edges, those from which all others follow", 0},
    {"blocks", KEY_BLOCKS, NULL, 0, "Count the executions of each basic block", 0},
    {"regions", KEY_REGIONS, NULL, 0, "Count the paths of nested regions (docs/regions.md)", 0},
    {"trace", KEY_TRACE, NULL, 0, "Write down each basic block that is executed, in order (rivulet phases)", 0},
    {"map", KEY_MAP, NULL, 0, "Put nothing into the code: the unedited twin of the program", 0},
    {"hash", KEY_HASH, NULL, 0, "Paths of functions with too many for an array are counted in a hash table", 0},
    {"limit", KEY_LIMIT, "N", 0, "At most N paths for a function", 0},
    {"insert", KEY_INSERT, "OPTION", 0, "Another option of `rivulet insert'; may be given more than once", 0},
    {"exclude", KEY_EXCLUDE, "PATTERN", 0,
	"Objects and archives of this name stay as they are, besides crt*.o: start-up code, trap vectors; * and ? as "
	"in a "
	"shell",
	0},
    {"runtime", KEY_RUNTIME, "NAME", 0, "How the profile leaves, see below (default: linux, or else hook)", 0},
    {"cache", KEY_CACHE, "DIRECTORY", 0,
	"Where edited files are kept (default: RIVULET_CACHE, or rivulet in the user's cache directory)", 0},
    {"gdb", KEY_GDB, "FILE", 0, "Write commands for gdb, which dump the counters of a program that writes no profile",
	0},
    {"verbose", 'v', NULL, 0, "Say what is edited, and what was in the cache", 0},
    {"as-linker", KEY_LINKER, "NAME", OPTION_HIDDEN, NULL, 0},
    {0},
};

static bool push(struct words *words, const char *text)
{
	if (!array_room(&words->items, words->count + 2, &words->room))
		return false;
	words->items[words->count] = strdup(text);
	words->items[words->count + 1] = NULL;
	return words->items[words->count++] != NULL;
}

static void push_or_die(struct words *words, const char *text)
{
	if (!push(words, text)) {
		complain("out of memory");
		exit(STATUS_FAILED);
	}
}

static error_t parse(int key, char *value, struct argp_state *state)
{
	struct arguments *a = state->input;
	char text[64];
	uint64_t number;
	switch (key) {
	case KEY_PATHS:
		push_or_die(&a->insert, "--paths");
		return 0;
	case KEY_EDGES:
		push_or_die(&a->insert, "--edges");
		return 0;
	case KEY_BLOCKS:
		push_or_die(&a->insert, "--blocks");
		return 0;
	case KEY_REGIONS:
		push_or_die(&a->insert, "--regions");
		return 0;
	case KEY_TRACE:
		push_or_die(&a->insert, "--trace");
		return 0;
	case KEY_MAP:
		push_or_die(&a->insert, "--map");
		a->map = true;
		return 0;
	case KEY_LIMIT:
		if (!parse_number(value, 1u << 24, &number) || number == 0)
			argp_error(state, "--limit %s: a number from 1 to 2^24 is expected", value);
		snprintf(text, sizeof text, "--limit=%s", value);
		push_or_die(&a->insert, text);
		return 0;
	case KEY_INSERT:
		push_or_die(&a->insert, value);
		a->map |= strcmp(value, "--map") == 0;
		return 0;
	case KEY_EXCLUDE:
		push_or_die(&a->exclude, value);
		return 0;
	case KEY_RUNTIME:
		if (runtime_find(value) == NULL)
			argp_error(state, "--runtime %s: not a runtime; `rivulet help cc' lists them", value);
		a->runtime = value;
		return 0;
	case KEY_HASH:
		push_or_die(&a->insert, "--hash");
		return 0;
	case KEY_GDB:
		a->gdb = value;
		return 0;
	case KEY_CACHE:
		a->cache = value;
		return 0;
	case KEY_LINKER:
		a->as_linker = value;
		return 0;
	case 'v':
		a->verbose = true;
		return 0;
	case ARGP_KEY_ARG:
		return ARGP_ERR_UNKNOWN; /* all from here on is the driver's */
	case ARGP_KEY_ARGS:
		for (int i = state->next; i < state->argc; i++)
			push_or_die(&a->driver, state->argv[i]);
		state->next = state->argc;
		return 0;
	case ARGP_KEY_END:
		if (a->driver.count == 0 && a->as_linker == NULL)
			argp_error(
			    state, "a compiler driver is expected: rivulet cc --paths -- riscv64-linux-gnu-gcc ...");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static char *help(int key, const char *text, void *input)
{
	(void)input;
	if (key != ARGP_KEY_HELP_POST_DOC)
		return (char *)(uintptr_t)text;
	char *list = NULL;
	size_t size;
	FILE *out = open_memstream(&list, &size);
	if (out == NULL)
		return (char *)(uintptr_t)text;
	fprintf(out, "Runtimes:\n");
	for (const struct runtime *r = runtimes; r->name != NULL; r++)
		fprintf(out, "  %-11s %s\n", r->name, r->text);
	fprintf(out, "\n%s", text == NULL ? "" : text);
	return fclose(out) == 0 ? list : (char *)(uintptr_t)text;
}

/* ---------------------------------------------------------------- the driver's side */
static const char *own_path(void)
{
	static char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
	path[length > 0 ? length : 0] = '\0';
	return length > 0 ? path : "rivulet";
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* Whether the driver is going to link. */
static bool links(const struct words *driver)
{
	static const char *const others[] = {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "-###", "--version",
	    "-dumpmachine", "-dumpversion", "-dumpfullversion", "-dumpspecs", "--help", "--target-help"};
	bool any = false;
	for (size_t i = 1; i < driver->count; i++) {
		const char *word = driver->items[i];
		for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
			if (strcmp(word, others[k]) == 0)
				return false;
		}
		if (begins(word, "-print-") || begins(word, "--print-"))
			return false;
		any |= word[0] != '-';
	}
	return any;
}

static bool write_script(const char *path, const char *text)
{
	char part[CACHE_PATH + 32];
	snprintf(part, sizeof part, "%s.%ld.making", path, (long)getpid());
	FILE *file = fopen(part, "w");
	bool good = file != NULL && fputs(text, file) >= 0;
	if (file != NULL && fclose(file) != 0)
		good = false;
	good = good && chmod(part, 0755) == 0 && rename(part, path) == 0;
	if (!good)
		unlink(part);
	return good;
}

/* The directory with the linker's stand-ins, by all names that drivers look for. */
static bool make_stand_ins(const struct cache *cache, char directory[CACHE_PATH])
{
	static const char script[] = "#!/bin/sh\nexec \"$" SELF "\" cc --as-linker=\"${0##*/}\" -- \"$@\"\n";
	static const char *const names[] = {"ld", "ld.bfd", "ld.lld", "ld.gold", "riscv64-unknown-elf-ld",
	    "riscv32-unknown-elf-ld", "riscv64-linux-gnu-ld", "riscv32-linux-gnu-ld"};
	snprintf(directory, CACHE_PATH, "%s/bin", cache->directory);
	if (mkdir(directory, 0777) != 0 && errno != EEXIST)
		return false;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char path[CACHE_PATH + 64], have[sizeof script + 8] = "";
		snprintf(path, sizeof path, "%s/%s", directory, names[i]);
		FILE *file = fopen(path, "r");
		size_t got = file == NULL ? 0 : fread(have, 1, sizeof have - 1, file);
		if (file != NULL)
			fclose(file);
		bool same = got == sizeof script - 1 && memcmp(have, script, got) == 0 && access(path, X_OK) == 0;
		if (!same && !write_script(path, script))
			return false;
	}
	return true;
}

static bool add_line(char **text, size_t *length, char kind, const char *value)
{
	size_t more = strlen(value) + 2;
	char *grown = strchr(value, '\n') == NULL ? realloc(*text, *length + more + 1) : NULL;
	if (grown == NULL)
		return false;
	*text = grown;
	snprintf(grown + *length, more + 1, "%c%s\n", kind, value);
	*length += more;
	return true;
}

static bool set_state(const struct arguments *a, const struct cache *cache)
{
	char *text = NULL;
	size_t length = 0;
	bool good = add_line(&text, &length, 'C', cache->directory);
	if (a->runtime != NULL)
		good = good && add_line(&text, &length, 'R', a->runtime);
	if (a->verbose)
		good = good && add_line(&text, &length, 'V', "");
	if (a->map)
		good = good && add_line(&text, &length, 'M', "");
	for (size_t i = 0; i < a->insert.count; i++)
		good = good && add_line(&text, &length, 'I', a->insert.items[i]);
	for (size_t i = 0; i < a->exclude.count; i++)
		good = good && add_line(&text, &length, 'X', a->exclude.items[i]);
	for (size_t i = 0; i < a->driver.count; i++)
		good = good && add_line(&text, &length, 'D', a->driver.items[i]);
	good = good && setenv(STATE, text, 1) == 0 && setenv(SELF, own_path(), 1) == 0;
	free(text);
	return good;
}

static int run_driver(struct arguments *a)
{
	struct cache cache;
	char detail[CACHE_PATH + 256], directory[CACHE_PATH], option[CACHE_PATH + 8];
	if (links(&a->driver)) {
		if (!cache_open(&cache, a->cache, detail, sizeof detail)) {
			complain("%s", detail);
			return STATUS_FAILED;
		}
		if (!make_stand_ins(&cache, directory)) {
			complain("%s: cannot be written: %s", directory, strerror(errno));
			return STATUS_FAILED;
		}
		if (!set_state(a, &cache)) {
			complain("the command line cannot be passed on: it has a line end in it, or is too long");
			return STATUS_FAILED;
		}
		snprintf(option, sizeof option, "-B%s/", directory);
		push_or_die(&a->driver, option);
	}
	execvp(a->driver.items[0], a->driver.items);
	complain("%s: cannot be run: %s", a->driver.items[0], strerror(errno));
	return STATUS_FAILED;
}

/* ---------------------------------------------------------------- the linker's side */
struct link {
	struct arguments arguments;
	struct cache cache;
	struct words command;
	uint64_t edited, cached, left;
	bool dynamic; /* the program has an interpreter */
};

/* Runs a command; its standard output in text if that is not NULL, its errors into the file `errors` (NULL: as they
 * come). Returns its status, 128 and more: a signal. */
static int run(char *const *command, char *text, size_t size, const char *errors)
{
	int ends[2] = {-1, -1}, status = 0;
	size_t used = 0;
	if (text != NULL && pipe(ends) != 0)
		return 127;
	pid_t child = fork();
	if (child == 0) {
		/* what the driver tells its own helpers would send a second driver to the stand-in again */
		unsetenv("COMPILER_PATH");
		unsetenv("GCC_EXEC_PREFIX");
		unsetenv("COLLECT_GCC");
		unsetenv("COLLECT_GCC_OPTIONS");
		unsetenv("LIBRARY_PATH");
		if (text != NULL)
			dup2(ends[1], STDOUT_FILENO);
		int file = errors != NULL ? open(errors, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
		if (file >= 0)
			dup2(file, STDERR_FILENO);
		execvp(command[0], command);
		_exit(127);
	}
	if (text != NULL) {
		ssize_t got;
		close(ends[1]);
		while (used + 1 < size && (got = read(ends[0], text + used, size - 1 - used)) > 0)
			used += (size_t)got;
		text[used] = '\0';
		close(ends[0]);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return child < 0 ? 127 : WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static bool get_state(struct arguments *a)
{
	const char *text = getenv(STATE);
	char line[PATH_MAX + 8];
	while (text != NULL && *text != '\0') {
		size_t length = strcspn(text, "\n");
		if (length == 0 || length >= sizeof line)
			return false;
		memcpy(line, text, length);
		line[length] = '\0';
		text += length + (text[length] == '\n');
		switch (line[0]) {
		case 'C':
			a->cache = strdup(line + 1);
			break;
		case 'R':
			a->runtime = strdup(line + 1);
			break;
		case 'V':
			a->verbose = true;
			break;
		case 'M':
			a->map = true;
			break;
		case 'I':
			push_or_die(&a->insert, line + 1);
			break;
		case 'X':
			push_or_die(&a->exclude, line + 1);
			break;
		case 'D':
			push_or_die(&a->driver, line + 1);
			break;
		default:
			return false;
		}
	}
	return a->driver.count > 0 && a->cache != NULL;
}

/* The driver's words that say for which target, and where its parts are. */
static void target_words(const struct arguments *a, struct words *words)
{
	static const char *const alone[] = {"-target", "--target", "-isysroot", "-B", "--sysroot", "-arch"};
	const struct words *d = &a->driver;
	const char *slash = strrchr(d->items[0], '/'), *name = slash != NULL ? slash + 1 : d->items[0];
	bool wrapper = strcmp(name, "ccache") == 0 || strcmp(name, "distcc") == 0; /* its compiler comes next */
	push_or_die(words, d->items[0]);
	for (size_t i = 1; i < d->count; i++) {
		const char *w = d->items[i];
		if (i == 1 && wrapper)
			push_or_die(words, w);
		if ((begins(w, "-m") && w[2] != '\0') || begins(w, "--target=") || begins(w, "--sysroot=") ||
		    begins(w, "-specs") || begins(w, "--specs") || begins(w, "--gcc-toolchain") ||
		    begins(w, "--gcc-install-dir") || (begins(w, "-B") && w[2] != '\0'))
			push_or_die(words, w);
		for (size_t k = 0; k < sizeof alone / sizeof *alone && i + 1 < d->count; k++) {
			if (strcmp(w, alone[k]) == 0) {
				push_or_die(words, w);
				push_or_die(words, d->items[++i]);
				break;
			}
		}
	}
}

static void drop(struct words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->items[i]);
	free(words->items);
	*words = (struct words){0};
}

/* The linker that the driver would have run. */
static bool real_linker(const struct link *l, char *path, size_t size)
{
	struct words ask = {0};
	char option[128];
	target_words(&l->arguments, &ask);
	snprintf(option, sizeof option, "-print-prog-name=%.90s", l->arguments.as_linker);
	push_or_die(&ask, option);
	int status = run(ask.items, path, size, "/dev/null");
	drop(&ask);
	path[strcspn(path, "\n")] = '\0';
	if (status != 0 || path[0] == '\0' || begins(path, l->cache.directory))
		snprintf(path, size, "%s", l->arguments.as_linker);
	return strchr(path, '/') != NULL || !begins(path, "ld") || access("/usr/bin/ld", X_OK) == 0;
}

static bool is_linux(const struct link *l)
{
	struct words ask = {0};
	char machine[256];
	target_words(&l->arguments, &ask);
	push_or_die(&ask, "-dumpmachine");
	int status = run(ask.items, machine, sizeof machine, "/dev/null");
	drop(&ask);
	return status == 0 && strstr(machine, "linux") != NULL;
}

static bool excluded(const struct link *l, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
	static const char *const usual[] = {"crt*.o", "?crt*.o", "rcrt*.o"};
	for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
		if (fnmatch(usual[i], name, 0) == 0)
			return true;
	}
	for (size_t i = 0; i < l->arguments.exclude.count; i++) {
		if (fnmatch(l->arguments.exclude.items[i], name, 0) == 0 ||
		    fnmatch(l->arguments.exclude.items[i], path, 0) == 0)
			return true;
	}
	return false;
}

/* What `insert` had to say. True: an object of link-time optimisation is among it. */
static bool tell(const char *errors)
{
	char line[4096];
	bool lto = false;
	FILE *file = fopen(errors, "r");
	while (file != NULL && fgets(line, sizeof line, file) != NULL) {
		lto |= strstr(line, "link-time optimisation") != NULL;
		fputs(line, stderr);
	}
	if (file != NULL)
		fclose(file);
	unlink(errors);
	return lto;
}

/* Which `rivulet` this is: edited files of another one are made anew. */
static bool add_self(struct cache_key *key)
{
	static struct cache_key own = CACHE_KEY;
	static bool known, good;
	if (!known)
		good = cache_add_file(&own, getenv(SELF) != NULL ? getenv(SELF) : own_path());
	known = true;
	cache_add(key, own.words, sizeof own.words);
	return good;
}

/* The edited form of a file. */
static bool edit(struct link *l, const char *path, char edited[CACHE_PATH])
{
	struct cache_key key = CACHE_KEY;
	struct words command = {0};
	char making[CACHE_PATH], errors[CACHE_PATH + 8], detail[CACHE_PATH + 256], whole[PATH_MAX];
	const char *slash = strrchr(path, '/');
	char suffix[128]; /* with the name: the linker says it in its messages */
	bool good = add_self(&key);
	snprintf(suffix, sizeof suffix, "-%.100s", slash != NULL ? slash + 1 : path);
	cache_add_text(&key, slash != NULL ? slash + 1 : path);
	for (size_t i = 0; i < l->arguments.insert.count; i++)
		cache_add_text(&key, l->arguments.insert.items[i]);
	good = good && cache_add_file(&key, path);
	/* a thin archive names its members: they are part of it, and are read anew each time */
	char head[8] = "";
	FILE *file = fopen(path, "rb");
	bool thin = file != NULL && fread(head, 1, 8, file) == 8 && memcmp(head, "!<thin>\n", 8) == 0;
	if (file != NULL)
		fclose(file);
	if (thin) {
		snprintf(whole, sizeof whole, "%ld", (long)getpid());
		cache_add_text(&key, whole);
	}
	if (good && cache_find(&l->cache, &key, suffix, edited)) {
		l->cached++;
		return true;
	}
	cache_making(edited, making);
	snprintf(errors, sizeof errors, "%.4090s.err", making);
	push_or_die(&command, getenv(SELF) != NULL ? getenv(SELF) : own_path());
	push_or_die(&command, "insert");
	push_or_die(&command, "-q");
	for (size_t i = 0; i < l->arguments.insert.count; i++)
		push_or_die(&command, l->arguments.insert.items[i]);
	/* the object keeps its name: it is part of what the profile says */
	push_or_die(&command, path);
	push_or_die(&command, "-o");
	push_or_die(&command, making);
	int status = good ? run(command.items, NULL, 0, errors) : STATUS_FAILED;
	drop(&command);
	if (tell(errors)) {
		complain("%s: was compiled with -flto: compile it without, counters are put into machine code", path);
		status = STATUS_FAILED;
	}
	if (status != STATUS_OK && status != STATUS_NO) {
		unlink(making);
		complain("%s: cannot be edited%s", path, good ? "" : ": it cannot be read");
		return false;
	}
	l->edited++;
	if (cache_keep(making, edited, detail, sizeof detail))
		return true;
	complain("%s", detail);
	return false;
}

/* ---- the runtime ---- */
static bool write_sources(const char *directory)
{
	for (const struct runtime_file *f = runtime_files; f->name != NULL; f++) {
		char path[CACHE_PATH + 256];
		snprintf(path, sizeof path, "%s/%s", directory, f->name);
		for (char *at = path + strlen(directory) + 1; (at = strchr(at, '/')) != NULL; at++) {
			*at = '\0';
			if (mkdir(path, 0777) != 0 && errno != EEXIST)
				return false;
			*at = '/';
		}
		if (!write_script(path, f->text))
			return false;
	}
	return true;
}

static bool compile(struct link *l, const char *source, char object[CACHE_PATH])
{
	static const char *const flags[] = {
	    "-std=gnu11", "-O2", "-w", "-ffreestanding", "-fno-builtin", "-fno-stack-protector", "-fno-lto"};
	struct cache_key key = CACHE_KEY;
	struct words command = {0};
	char directory[CACHE_PATH], making[CACHE_PATH], text[CACHE_PATH + 256], detail[CACHE_PATH + 256];
	add_self(&key);
	target_words(&l->arguments, &command);
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		push_or_die(&command, flags[i]);
	if (strstr(l->arguments.driver.items[0], "clang") == NULL)
		push_or_die(&command, "-fno-tree-loop-distribute-patterns");
	if (strcmp(source, "sw/probe/linux.c") == 0 || strcmp(source, "sw/probe/unwind.c") == 0)
		push_or_die(&command, "-funwind-tables"); /* calls are found through them */
	for (size_t i = 0; i < command.count; i++)
		cache_add_text(&key, command.items[i]);
	cache_add_text(&key, source);
	bool good = cache_find(&l->cache, &key, ".o", object);
	if (!good) {
		snprintf(directory, sizeof directory, "%s/src", l->cache.directory);
		good = (mkdir(directory, 0777) == 0 || errno == EEXIST) && write_sources(directory);
		if (!good)
			complain("%s: cannot be written: %s", directory, strerror(errno));
		cache_making(object, making);
		snprintf(text, sizeof text, "-I%s", directory);
		push_or_die(&command, text);
		push_or_die(&command, "-c");
		if (strcmp(source + strlen(source) - 2, ".c") == 0) /* for drivers of C++ */
			push_or_die(&command, "-xc");
		snprintf(text, sizeof text, "%s/%s", directory, source);
		push_or_die(&command, text);
		push_or_die(&command, "-o");
		push_or_die(&command, making);
		if (good && run(command.items, NULL, 0, NULL) != 0) {
			complain("the runtime cannot be compiled with %s: %s", command.items[0], source);
			unlink(making);
			good = false;
		} else if (good && !cache_keep(making, object, detail, sizeof detail)) {
			complain("%s", detail);
			good = false;
		}
	}
	drop(&command);
	return good;
}

static bool inserts(const struct link *l, const char *option)
{
	for (size_t i = 0; i < l->arguments.insert.count; i++) {
		if (strcmp(l->arguments.insert.items[i], option) == 0)
			return true;
	}
	return false;
}

static bool add_source(struct link *l, const char *source)
{
	char object[CACHE_PATH];
	if (!compile(l, source, object))
		return false;
	push_or_die(&l->command, object);
	return true;
}

/* --per-thread: where threads are made, of static programs in the C library. */
static bool add_threads(struct link *l)
{
	if (!add_source(l, "sw/probe/thread.c") || (!l->dynamic && !add_source(l, "sw/probe/thread_static.c")))
		return false;
	push_or_die(&l->command, "--wrap=pthread_create");
	push_or_die(&l->command, "--wrap=__libc_start_main");
	if (!l->dynamic)
		push_or_die(&l->command, "--wrap=__clone_internal");
	return true;
}

/* Compiled runtime and its wraps, before the first library. */
static bool add_runtime(struct link *l)
{
	const struct runtime *r = runtime_find(l->arguments.runtime != NULL ? l->arguments.runtime
					       : is_linux(l)                ? "linux"
									    : "hook");
	const bool trace = inserts(l, "--trace");
	char text[128];
	for (size_t i = 0; r != NULL && r->sources[i] != NULL; i++) {
		const char *source = r->sources[i];
		/* events have a runtime of their own, and no paths */
		if (trace && strncmp(source, "sw/probe/hash", 13) == 0)
			continue;
		if (trace && strcmp(source, "sw/probe/probe.c") == 0)
			source = "sw/probe/trace.c";
		if (!add_source(l, source))
			return false;
	}
	if (r != NULL && r->sources[0] != NULL) {
		if (trace && !add_source(l, "sw/probe/trace_hook.S"))
			return false;
		if (inserts(l, "--cycles") &&
		    (!add_source(l, "sw/probe/cycles.c") || !add_source(l, "sw/probe/cycles_hooks.S")))
			return false;
		if (strcmp(r->name, "linux") == 0 && !l->dynamic && !trace && !inserts(l, "--cycles")) {
			if (!add_source(l, "sw/probe/unwind.c"))
				return false;
			push_or_die(&l->command, "--wrap=exit");
		}
		if (inserts(l, "--per-thread") && !add_threads(l))
			return false;
	}
	for (size_t i = 0; r != NULL && r->wraps[i] != NULL; i++) {
		snprintf(text, sizeof text, "--wrap=%s", r->wraps[i]);
		push_or_die(&l->command, text);
	}
	return true;
}

static int run_linker(struct link *l, char *const *words, size_t count)
{
	struct linker linker;
	char real[PATH_MAX], detail[CACHE_PATH + 256], edited[CACHE_PATH];
	bool runtime = l->arguments.map;
	for (size_t i = 0; i < count; i++)
		l->dynamic |= strcmp(words[i], "-dynamic-linker") == 0;
	if (!cache_open(&l->cache, l->arguments.cache, detail, sizeof detail)) {
		complain("%s", detail);
		return STATUS_FAILED;
	}
	real_linker(l, real, sizeof real);
	if (!linker_open(&linker, words, count)) {
		complain("the linker's command line cannot be read: %s", strerror(errno));
		return STATUS_FAILED;
	}
	push_or_die(&l->command, real);
	bool plain = linker.relocatable || linker.shared;
	if (linker.shared)
		complain("a shared library is linked without counters: they are put into programs");
	for (size_t i = 0; i < linker.count; i++) {
		const struct linker_word *w = &linker.words[i];
		if (plain || w->kind == LINKER_WORD || excluded(l, w->path)) {
			if (w->kind != LINKER_WORD && !plain)
				l->left++;
			push_or_die(&l->command, w->text);
			continue;
		}
		if (!runtime && w->kind == LINKER_ARCHIVE && !add_runtime(l))
			return STATUS_FAILED;
		runtime |= w->kind == LINKER_ARCHIVE;
		if (!edit(l, w->path, edited))
			return STATUS_FAILED;
		push_or_die(&l->command, edited);
	}
	if (!runtime && !plain && !add_runtime(l))
		return STATUS_FAILED;
	if (l->arguments.verbose)
		complain("%s files edited, %s from the cache, %s left as they are; linked by %s",
		    with_commas(l->edited), with_commas(l->cached), with_commas(l->left), real);
	if (l->edited > 0)
		cache_trim(&l->cache, CACHE_LIMIT);
	linker_close(&linker);
	unsetenv(STATE);
	execvp(real, l->command.items);
	complain("%s: cannot be run: %s", real, strerror(errno));
	return STATUS_FAILED;
}

int cmd_cc(int argc, char **argv)
{
	static const struct argp argp = {options, parse, "[--] COMPILER ARGUMENTS...",
	    "Runs a compiler driver as given, and puts counters into every object and archive that it links, the C "
	    "library too, together with a runtime that writes the profile. For make and CMake: "
	    "CC=\"rivulet cc --paths -- riscv64-linux-gnu-gcc\".\v"
	    "Inputs are left as they are; edited files are kept in a cache by their content, so that the next link is "
	    "fast. Manual: docs/insert.md",
	    NULL, help, NULL};
	struct link link = {0};
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &link.arguments);
	if (link.arguments.gdb != NULL && write_gdb_commands(link.arguments.gdb) != STATUS_OK)
		return STATUS_FAILED;
	if (link.arguments.as_linker == NULL)
		return run_driver(&link.arguments);
	struct words words = link.arguments.driver;
	link.arguments.driver = (struct words){0};
	if (!get_state(&link.arguments)) {
		complain("cc --as-linker is run by `rivulet cc' only");
		return STATUS_FAILED;
	}
	return run_linker(&link, words.items, words.count);
}
