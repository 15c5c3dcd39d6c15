/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet cc, the linker's side: files of the link are edited, the runtime is compiled, the real linker is run. It is
 * run twice: first for the twin, PROGRAM.twin, which has the map of the counters and nothing put in. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "host/cc/linker.h"
#include "host/cc/runtime.h"
#include "host/cmd/cc.h"
#include "host/cmd/cc_link.h"
#include "host/cmd/cmd.h"
#include "host/cmd/twin.h"
#include "host/insert/insert.h"

#define CACHE_LIMIT (UINT64_C(2) << 30)

/* Runs a command; its standard output in text if that is not NULL, its errors into the file `errors` (NULL: as they
 * come), with its output if that is not asked for. linker: it is what the driver runs. Returns its status, 128 and more:
 * a signal. */
static int run_in(bool linker, char *const *command, char *text, size_t size, const char *errors)
{
	int ends[2] = {-1, -1}, status = 0;
	size_t used = 0;
	if (text != NULL && pipe(ends) != 0)
		return 127;
	pid_t child = fork();
	if (child == 0) {
		/* what the driver tells its linker would send a second driver to the stand-in again */
		static const char *const told[] = {
		    "COMPILER_PATH", "GCC_EXEC_PREFIX", "COLLECT_GCC", "COLLECT_GCC_OPTIONS", "LIBRARY_PATH"};
		for (size_t i = 0; !linker && i < sizeof told / sizeof *told; i++)
			unsetenv(told[i]);
		if (text != NULL)
			dup2(ends[1], STDOUT_FILENO);
		int file = errors != NULL ? open(errors, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
		if (file >= 0)
			dup2(file, STDERR_FILENO);
		if (file >= 0 && text == NULL)
			dup2(file, STDOUT_FILENO);
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

static int run(char *const *command, char *text, size_t size, const char *errors)
{
	return run_in(false, command, text, size, errors);
}

/* The driver's words that say for which target, and where its parts are. */
static void target_words(const struct cc_arguments *a, struct cc_words *words)
{
	static const char *const alone[] = {"-target", "--target", "-isysroot", "-isystem", "-B", "--sysroot", "-arch"};
	const struct cc_words *d = &a->driver;
	const char *slash = strrchr(d->items[0], '/'), *name = slash != NULL ? slash + 1 : d->items[0];
	bool wrapper = strcmp(name, "ccache") == 0 || strcmp(name, "distcc") == 0; /* its compiler comes next */
	cc_push(words, d->items[0]);
	for (size_t i = 1; i < d->count; i++) {
		const char *w = d->items[i];
		if (i == 1 && wrapper)
			cc_push(words, w);
		if ((cc_begins(w, "-m") && w[2] != '\0') || cc_begins(w, "--target=") || cc_begins(w, "--sysroot=") ||
		    cc_begins(w, "-specs") || cc_begins(w, "--specs") || cc_begins(w, "--gcc-toolchain") ||
		    cc_begins(w, "--gcc-install-dir") || (cc_begins(w, "-B") && w[2] != '\0'))
			cc_push(words, w);
		for (size_t k = 0; k < sizeof alone / sizeof *alone && i + 1 < d->count; k++) {
			if (strcmp(w, alone[k]) == 0) {
				cc_push(words, w);
				cc_push(words, d->items[++i]);
				break;
			}
		}
	}
}

static void drop(struct cc_words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->items[i]);
	free(words->items);
	*words = (struct cc_words){0};
}

/* The linker that the driver would have run. */
static bool real_linker(const struct link *l, char *path, size_t size)
{
	struct cc_words ask = {0};
	char option[128];
	target_words(&l->arguments, &ask);
	snprintf(option, sizeof option, "-print-prog-name=%.90s", l->arguments.as_linker);
	cc_push(&ask, option);
	int status = run(ask.items, path, size, "/dev/null");
	drop(&ask);
	path[strcspn(path, "\n")] = '\0';
	if (status != 0 || path[0] == '\0' || cc_begins(path, l->cache.directory))
		snprintf(path, size, "%s", l->arguments.as_linker);
	return strchr(path, '/') != NULL || !cc_begins(path, "ld") || access("/usr/bin/ld", X_OK) == 0;
}

static bool is_linux(const struct link *l)
{
	struct cc_words ask = {0};
	char machine[256];
	target_words(&l->arguments, &ask);
	cc_push(&ask, "-dumpmachine");
	int status = run(ask.items, machine, sizeof machine, "/dev/null");
	drop(&ask);
	return status == 0 && strstr(machine, "linux") != NULL;
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

bool cc_add_self(struct cache_key *key)
{
	static struct cache_key own = CACHE_KEY;
	static bool known, good;
	if (!known)
		good = cache_add_file(&own, getenv(SELF) != NULL ? getenv(SELF) : cc_own_path());
	known = true;
	cache_add(key, own.words, sizeof own.words);
	return good;
}

/* `rivulet insert` and its options. The original is a twin of no counters in particular. */
static void insert_words(const struct link *l, bool twin, unsigned near, struct cc_words *command)
{
	char text[PATH_MAX + 16];
	cc_push(command, getenv(SELF) != NULL ? getenv(SELF) : cc_own_path());
	cc_push(command, "insert");
	cc_push(command, "-q");
	for (size_t i = 0; i < l->arguments.insert.count && !(twin && l->original); i++)
		cc_push(command, l->arguments.insert.items[i]);
	bool given = cc_inserts_like(l, "--near") || cc_inserts_like(l, "--weights");
	snprintf(text, sizeof text, "--near=%u", near);
	if (!given)
		cc_push(command, text);
	snprintf(text, sizeof text, "--original=%s", l->original ? l->twin_output : "");
	if (twin || l->original)
		cc_push(command, twin ? "--map" : text);
	snprintf(text, sizeof text, "--level=%u", l->level);
	if (l->level > 0 && !(twin && l->original))
		cc_push(command, text);
}

bool cc_add_option(struct cache_key *key, const char *option)
{
	struct stat status;
	const char *equals = option[0] == '-' ? strchr(option, '=') : NULL, *value = equals ? equals + 1 : option;
	cache_add_text(key, option);
	return stat(value, &status) != 0 || !S_ISREG(status.st_mode) || cache_add_file(key, value);
}

/* The edited form of a file, or its twin's. */
static bool edit(struct link *l, const char *path, unsigned near, bool twin, char edited[CACHE_PATH])
{
	struct cache_key key = CACHE_KEY;
	struct cc_words command = {0};
	char making[CACHE_PATH], errors[CACHE_PATH + 8], detail[CACHE_PATH + 256], whole[PATH_MAX];
	const char *slash = strrchr(path, '/');
	char suffix[128]; /* with the name: the linker says it in its messages */
	bool good = cc_add_self(&key);
	const char *name = slash != NULL ? slash + 1 : path;
	size_t lasting = insert_lasting_name(name);
	snprintf(suffix, sizeof suffix, "-%.*s%s", (int)(lasting < 100 ? lasting : 100), name,
	    name[lasting] != '\0' ? ".o" : "");
	cache_add_text(&key, suffix);
	insert_words(l, twin, near, &command);
	for (size_t i = 1; i < command.count; i++)
		good = good && cc_add_option(&key, command.items[i]);
	good = good && cache_add_file(&key, path);
	/* a thin archive names its members: they are part of it, and are read anew each time */
	unsigned char head[20] = "";
	FILE *file = fopen(path, "rb");
	const size_t there = file != NULL ? fread(head, 1, sizeof head, file) : 0;
	const bool thin = there >= 8 && memcmp(head, "!<thin>\n", 8) == 0;
	if (file != NULL)
		fclose(file);
	if (there == sizeof head && memcmp(head, "\177ELF", 4) == 0 &&
	    (head[18] != 243 || head[19] != 0)) { /* e_machine */
		complain("%s: is not for RISC-V: give the compiler driver of a RISC-V target", path);
		drop(&command);
		return false;
	}
	if (thin) {
		snprintf(whole, sizeof whole, "%ld", (long)getpid());
		cache_add_text(&key, whole);
	}
	if (good && cache_find(&l->cache, &key, suffix, edited)) {
		l->cached += !twin;
		drop(&command);
		return true;
	}
	cache_making(edited, making);
	snprintf(errors, sizeof errors, "%.4090s.err", making);
	/* what is said is no part of what is made: the same file serves from the cache */
	if (l->arguments.verbose && !twin && !l->quiet)
		cc_push(&command, "--verbose");
	/* the object keeps its name: it is part of what the profile says */
	cc_push(&command, path);
	cc_push(&command, "-o");
	cc_push(&command, making);
	int status = good ? run(command.items, NULL, 0, errors) : STATUS_FAILED;
	drop(&command);
	if (l->quiet || (twin && !l->original))
		unlink(errors); /* what there is to say of the file has been said */
	else if (tell(errors)) {
		complain("%s: was compiled with -flto: compile it without, counters are put into machine code", path);
		status = STATUS_FAILED;
	}
	if (status != STATUS_OK && status != STATUS_NO) {
		unlink(making);
		complain("%s: cannot be edited%s", path, good ? "" : ": it cannot be read");
		return false;
	}
	l->edited += !twin;
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
		if (!cc_write_script(path, f->text))
			return false;
	}
	return true;
}

/* What sw/probe is compiled with for this link, or its twin's. */
static void runtime_words(const struct link *l, bool twin, struct cc_words *command)
{
	char text[64];
	if (l->shared) {
		cc_push(command, "-fPIC");
		cc_push(command, "-fvisibility=hidden");
		cc_push(command, "-DRIVULET_LIBRARY");
		snprintf(
		    text, sizeof text, "-DRIVULET_SALT_LOW=0x%08" PRIx32, (uint32_t)l->salt.words[0] & ~UINT32_C(1));
		cc_push(command, text);
		snprintf(text, sizeof text, "-DRIVULET_SALT_HIGH=0x%08" PRIx32, (uint32_t)(l->salt.words[0] >> 32));
		cc_push(command, text);
	}
	for (unsigned reg = 5; reg < 32; reg++) {
		snprintf(text, sizeof text, "-ffixed-x%u", reg);
		if ((cc_reserved(l) >> reg & 1) != 0)
			cc_push(command, text);
	}
	if (l->arguments.clock != 0 || modes_stay(&l->modes)) {
		snprintf(text, sizeof text, "-DRIVULET_PROBE_CLOCK=%d",
		    l->arguments.clock != 0 ? l->arguments.clock : CC_MCYCLE);
		cc_push(command, text);
	}
	if (l->no_libc)
		cc_push(command, "-DRIVULET_NO_LIBC");
	if (l->arguments.contexts > 0) {
		snprintf(text, sizeof text, "-DRIVULET_CYCLES_NODES=%" PRIu64, l->arguments.contexts);
		cc_push(command, text);
	}
	if (twin)
		cc_push(command, "-DRIVULET_TWIN");
}

static bool compile(struct link *l, const char *source, bool twin, char object[CACHE_PATH])
{
	static const char *const flags[] = {"-std=gnu11", "-O2", "-w", "-ffreestanding", "-fno-builtin",
	    "-fno-stack-protector", "-fno-lto", /* and not the names of a program that has common/frame.c itself */
	    "-Dframe_begin=rivulet_probe_frame_begin", "-Dframe_room=rivulet_probe_frame_room",
	    "-Dframe_byte=rivulet_probe_frame_byte", "-Dframe_leb=rivulet_probe_frame_leb",
	    "-Dframe_end=rivulet_probe_frame_end", "-Dframe_decode=rivulet_probe_frame_decode",
	    "-Dframe_get_leb=rivulet_probe_frame_get_leb", "-Dframe_crc32=rivulet_probe_frame_crc32"};
	struct cache_key key = CACHE_KEY;
	struct cc_words command = {0};
	char directory[CACHE_PATH], making[CACHE_PATH], text[CACHE_PATH + 256], detail[CACHE_PATH + 256];
	cc_add_self(&key);
	target_words(&l->arguments, &command);
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		cc_push(&command, flags[i]);
	if (strstr(l->arguments.driver.items[0], "clang") == NULL)
		cc_push(&command, "-fno-tree-loop-distribute-patterns");
	runtime_words(l, twin, &command);
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
		cc_push(&command, text);
		cc_push(&command, "-c");
		if (strcmp(source + strlen(source) - 2, ".c") == 0) /* for drivers of C++ */
			cc_push(&command, "-xc");
		if (strcmp(source, "sw/probe/thrown.c") == 0) /* exceptions go through it */
			cc_push(&command, "-funwind-tables");
		snprintf(text, sizeof text, "%s/%s", directory, source);
		cc_push(&command, text);
		cc_push(&command, "-o");
		cc_push(&command, making);
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

bool cc_inserts(const struct link *l, const char *option)
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
	if (!compile(l, source, false, object))
		return false;
	cc_push(&l->command, object);
	return true;
}

/* --per-thread: where threads are made, of static programs in the C library. */
static bool add_threads(struct link *l)
{
	if (!add_source(l, "sw/probe/thread.c") || (!l->dynamic && !add_source(l, "sw/probe/thread_static.c")))
		return false;
	cc_push(&l->command, "--wrap=pthread_create");
	cc_push(&l->command, "--wrap=__libc_start_main");
	if (!l->dynamic)
		cc_push(&l->command, "--wrap=__clone_internal");
	return true;
}

/* What a program and its libraries share. */
static bool add_process(struct link *l)
{
	if (!add_source(l, "sw/probe/process.c") || (l->shared && !add_source(l, "sw/probe/library.c")))
		return false;
	cc_push(&l->command, "--export-dynamic-symbol=rivulet_probe_process");
	if (l->shared && cc_inserts(l, "--hash")) {
		cc_push(&l->command, "-z");
		cc_push(&l->command, "nodelete");
	}
	return true;
}

/* The library's salt, in its map at least. */
static bool add_salt(struct link *l, bool twin)
{
	char object[CACHE_PATH];
	if (!l->shared)
		return true;
	if (!compile(l, "sw/probe/salt.S", twin || l->arguments.map, object))
		return false;
	cc_push(twin ? &l->twin : &l->command, object);
	return true;
}

/* The linker sends calls of a function to the runtime, which names the function itself weakly. */
static void wrap(struct link *l, const char *name)
{
	char text[128];
	snprintf(text, sizeof text, "--wrap=%s", name);
	cc_push(&l->command, text);
	snprintf(text, sizeof text, "--undefined=%s", name);
	cc_push(&l->command, text);
}

/* Exceptions: where they begin, and who says where they land. */
static bool add_exceptions(struct link *l)
{
	static const char *const begins[] = {
	    "_Unwind_RaiseException", "_Unwind_Resume", "_Unwind_Resume_or_Rethrow", "_Unwind_ForcedUnwind"};
	static const char *const of_cxx[] = {
	    "__cxa_throw", "__cxa_rethrow", "_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE"};
	if (!add_source(l, "sw/probe/thrown.c") || !add_source(l, "sw/probe/thrown_hook.S"))
		return false;
	for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
		wrap(l, begins[i]);
	/* in a static program these call the first */
	for (size_t i = 0; i < sizeof of_cxx / sizeof *of_cxx && l->dynamic; i++)
		wrap(l, of_cxx[i]);
	cc_push(&l->command, "--undefined=_Unwind_GetCFA");
	for (size_t i = 0; i < CC_PERSONALITIES; i++) {
		if ((l->catches >> i & 1) != 0)
			wrap(l, cc_personalities[i]);
	}
	return true;
}

/* What ends calls without a return: longjmp() and exceptions where the program has them, traps of the SoC. */
static bool add_stacks(struct link *l, const struct runtime *r)
{
	if (strcmp(r->name, "uart") == 0) {
		if (!add_source(l, "sw/probe/soc_trap.c"))
			return false;
		cc_push(&l->command, "--wrap=hal_trap");
	}
	if (l->jumps == 0 && l->catches == 0)
		return true;
	if (!add_source(l, "sw/probe/left.c"))
		return false;
	for (size_t i = 0; i < CC_JUMPS; i++) {
		if ((l->jumps >> i & 1) != 0)
			wrap(l, cc_jumps[i]);
	}
	return l->catches == 0 || add_exceptions(l);
}

/* Where a program of Linux ends, and where a child of it begins, within the C library: that of a dynamic program is seen
 * from outside. */
static void add_ends_and_forks(struct link *l)
{
	static const char *const of_dynamic[] = {"--wrap=exit", "--wrap=daemon", "--wrap=forkpty"};
	for (size_t i = 0; i < sizeof of_dynamic / sizeof *of_dynamic && l->dynamic; i++)
		cc_push(&l->command, of_dynamic[i]);
	if (!l->dynamic)
		wrap(l, "_Fork");
}

/* Compiled runtime and its wraps, before the first library. A twin has none. */
static bool add_runtime(struct link *l, bool twin)
{
	if (!add_salt(l, twin))
		return false;
	if (twin || l->arguments.map)
		return true;
	const struct runtime *r = runtime_find(l->arguments.runtime != NULL ? l->arguments.runtime
					       : is_linux(l)                ? "linux"
									    : "hook");
	const bool trace = cc_inserts(l, "--trace"), linux_file = r != NULL && strcmp(r->name, "linux") == 0;
	char text[128];
	for (size_t i = 0; r != NULL && r->sources[i] != NULL; i++) {
		const char *source = r->sources[i];
		/* events have a runtime of their own, and no paths; nor has a tree of calls stacks, or a library */
		if ((trace && strncmp(source, "sw/probe/hash", 13) == 0) ||
		    ((trace || cc_inserts(l, "--cycles") || l->shared) && strcmp(source, "sw/probe/stack.c") == 0))
			continue;
		if (trace && strcmp(source, "sw/probe/probe.c") == 0)
			source = "sw/probe/trace.c";
		if (!add_source(l, source))
			return false;
	}
	if (r != NULL && r->sources[0] != NULL) {
		if (trace && !add_source(l, "sw/probe/trace_hook.S"))
			return false;
		if (cc_inserts(l, "--cycles") &&
		    (!add_source(l, "sw/probe/cycles.c") || !add_source(l, "sw/probe/cycles_hooks.S")))
			return false;
		if (cc_inserts(l, "--cycles") && linux_file && !l->no_libc) {
			if (!add_source(l, "sw/probe/cycles_linux.c"))
				return false;
			cc_push(&l->command, "--wrap=sigaction");
			cc_push(&l->command, "--wrap=signal");
		}
		if (linux_file && !l->shared && !l->no_libc)
			add_ends_and_forks(l);
		if (!trace && !cc_inserts(l, "--cycles") && !l->shared && !add_stacks(l, r))
			return false;
		if (cc_inserts(l, "--per-thread") && !add_threads(l))
			return false;
		if (linux_file && (l->dynamic || l->shared) && !trace && !add_process(l))
			return false;
	}
	for (size_t i = 0; r != NULL && r->wraps[i] != NULL; i++) {
		if (l->no_libc && (strcmp(r->wraps[i], "fork") == 0 || strcmp(r->wraps[i], "abort") == 0))
			continue;
		snprintf(text, sizeof text, "--wrap=%s", r->wraps[i]);
		cc_push(&l->command, text);
	}
	return true;
}

/* ---- the twin ---- */
/* Links the twin, silently: what there is to say, the program's own link says, unless it cannot begin without the twin. */
static bool link_twin(struct link *l)
{
	char errors[CACHE_PATH];
	snprintf(errors, sizeof errors, "%.3900s/twin.%ld.err", l->cache.directory, (long)getpid());
	cc_push(&l->twin, "-o");
	cc_push(&l->twin, l->twin_output);
	/* what the program calls of the runtime, which the twin has not */
	cc_push(&l->twin, "--unresolved-symbols=ignore-all");
	int status = run_in(true, l->twin.items, NULL, 0, l->original ? NULL : errors);
	unlink(errors);
	if (status != 0)
		unlink(l->twin_output);
	return status == 0;
}

/* ---- the link ---- */
/* The words of a command, the twin's or the program's; what is edited is in the cache then. */
static bool make_command(struct link *l, const struct linker *linker, bool twin)
{
	struct cc_words *command = twin ? &l->twin : &l->command;
	bool plain = linker->relocatable || (l->shared && cc_not_in_libraries(l) != NULL), runtime = plain;
	char edited[CACHE_PATH];
	for (size_t i = 0; i < linker->count; i++) {
		const struct linker_word *w = &linker->words[i];
		size_t words;
		if ((!twin && cc_add_script(l, linker, &i)) || (!plain && cc_left_out(l, linker, twin, &i)))
			continue;
		/* what the runtime needs is in the first archive, edited or not */
		if (!runtime && w->kind == LINKER_ARCHIVE && !add_runtime(l, twin))
			return false;
		runtime |= w->kind == LINKER_ARCHIVE;
		if (twin && cc_output_of(linker, i, &words) != NULL) {
			i += words - 1;
		} else if (plain || w->kind == LINKER_WORD || cc_excluded(l, linker, i)) {
			l->left += w->kind != LINKER_WORD && !plain && !twin;
			cc_push(command, w->text);
		} else {
			if (!edit(l, w->path, cc_near_bytes(linker, w->kind == LINKER_ARCHIVE), twin, edited))
				return false;
			cc_push(command, edited);
		}
	}
	return runtime || add_runtime(l, twin);
}

bool cc_make_command(struct link *l, const struct linker *linker)
{
	drop(&l->command);
	cc_push(&l->command, l->real);
	l->cached = l->left = 0;
	return make_command(l, linker, false);
}

void cc_run_quietly(const struct link *l, const char *errors)
{
	run_in(true, l->command.items, NULL, 0, errors);
}

static int run_linker(struct link *l, char *const *words, size_t count)
{
	struct linker linker;
	char detail[CACHE_PATH + 256];
	for (size_t i = 0; i < count; i++)
		l->dynamic |= strcmp(words[i], "-dynamic-linker") == 0;
	if (!cache_open(&l->cache, l->arguments.cache, detail, sizeof detail)) {
		complain("%s", detail);
		return STATUS_FAILED;
	}
	real_linker(l, l->real, sizeof l->real);
	if (!linker_open(&linker, words, count)) {
		complain("the linker's command line cannot be read: %s", strerror(errno));
		return STATUS_FAILED;
	}
	cc_push(&l->twin, l->real);
	l->shared = linker.shared;
	for (size_t i = 0; i < linker.count && !linker.relocatable && !linker.shared; i++) {
		if (linker.words[i].kind != LINKER_WORD)
			cc_names_jumps(linker.words[i].path, &l->jumps, &l->catches);
	}
	l->no_libc = !linker.libc;
	if (!linker.relocatable)
		cc_find_reserved(l, &linker);
	cc_want_twin(l, &linker);
	l->original = cc_needs_original(l) && !linker.relocatable && !(l->shared && cc_not_in_libraries(l) != NULL);
	if (l->shared && cc_not_in_libraries(l) != NULL)
		complain("a shared library is linked without counters: %s puts them into programs only",
		    cc_not_in_libraries(l));
	else if (l->shared && !cc_make_salt(l, &linker)) {
		complain("a file of the link cannot be read");
		return STATUS_FAILED;
	}
	if (l->no_libc && !l->shared && !linker.relocatable && !l->arguments.map && l->arguments.runtime == NULL &&
	    is_linux(l))
		complain("without a C library it is the program that writes its profile: it calls "
			 "rivulet_probe_finish() where it ends (docs/insert.md)");
	if (l->original && l->twin_output == NULL) {
		complain("--cycles and --regions=FILE take their addresses from the twin: no --no-twin, and a file as "
			 "output");
		return STATUS_FAILED;
	}
	bool linked = l->original && make_command(l, &linker, true) && link_twin(l);
	if (linked != l->original || !cc_find_level(l, &linker, is_linux(l)) || !cc_make_command(l, &linker) ||
	    (l->twin_output != NULL && !linked && !make_command(l, &linker, true)))
		return STATUS_FAILED;
	if (l->arguments.verbose)
		complain("%s files edited, %s from the cache, %s left as they are; linked by %s",
		    with_commas(l->edited), with_commas(l->cached), with_commas(l->left), l->real);
	if (l->edited > 0)
		cache_trim(&l->cache, CACHE_LIMIT);
	linker_close(&linker);
	unsetenv(STATE);
	/* the twin first: maps of the link and lists of its files are those of the program then */
	bool twin = linked || l->twin_output == NULL || link_twin(l);
	int status = run_in(true, l->command.items, NULL, 0, NULL);
	if (status == 127)
		complain("%s: cannot be run", l->real);
	else if (status != 0 && l->twin_output != NULL)
		unlink(l->twin_output);
	else if (status == 0)
		cc_tell_budget(l);
	if (status == 0 && !twin)
		complain("%s: its twin cannot be linked; --no-twin does not try it", l->output);
	return status;
}

int cc_run_linker(struct cc_arguments *arguments)
{
	struct link link = {.arguments = *arguments};
	struct cc_words words = arguments->driver;
	link.arguments.driver = (struct cc_words){0};
	if (!cc_get_state(&link.arguments)) {
		complain("cc --as-linker is run by `rivulet cc' only");
		return STATUS_FAILED;
	}
	return run_linker(&link, words.items, words.count);
}
