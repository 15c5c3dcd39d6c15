/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet view: profiles as a page. */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "host/cmd/cmd.h"
#include "host/cmd/parse_options.h"
#include "host/cmd/view.h"
#include "host/cmd/view_live.h"
#include "host/view/view.h"

COMMAND(45, view, "a page with the river of time, functions, code, paths, flame graph");

enum { KEY_CALLS = 256, KEY_SERVE };

#define SOURCES_MAX 16

struct arguments {
	const char *output, *page, *kernel;
	bool json, partial, force, no_open;
	bool serve;
	uint64_t spans, port;
	const char *files[2 * SOURCES_MAX];
	size_t file_count;
	struct view_source sources[SOURCES_MAX];
	size_t count;
};

#define OPTIONS_OF struct arguments
static const struct option_row options[] = {
    {"output", 'o', "FILE", "Write the page here, and do not open it; -: standard output", OPTION_TEXT(output)},
    {"json", 0, NULL, "Write the page's data alone (docs/view-format.md)", OPTION_FLAG(json)},
    {"no-open", 0, NULL, "Do not open the page", OPTION_FLAG(no_open)},
    {"serve", KEY_SERVE, "PORT", "Serve the page on loopback, with a secret address, and update it as the files grow",
	OPTION_OWN, .flags = OPTION_ARG_OPTIONAL},
    {"calls", KEY_CALLS, "N", "Keep at most N single calls, the longest ones (default 1000000)", OPTION_OWN},
    {"kernel", 0, "FILE", "A capture of the kernel's output: its processes are rows of the timeline (docs/kernel.md)",
	OPTION_TEXT(kernel)},
    {"page", 0, "FILE", "Use this page instead of the one that rivulet was built with", OPTION_TEXT(page)},
    {"partial", 0, NULL, "Accept damaged or incomplete input", OPTION_FLAG(partial)},
    {"force", 0, NULL, "Accept input of another build", OPTION_FLAG(force)},
    {0},
};

static error_t parse_view_option(int key, char *value, struct argp_state *state)
{
	struct arguments *a = state->input;
	switch (key) {
	case KEY_SERVE:
		a->serve = true;
		if (value != NULL && !parse_number(value, 65535, &a->port))
			argp_error(state, "--serve=%s: expected a port from 0 to 65535", value);
		return 0;
	case KEY_CALLS:
		if (!parse_number(value, 100000000, &a->spans) || a->spans < 2)
			argp_error(state, "--calls %s: expected a number from 2 to 100000000", value);
		return 0;
	case ARGP_KEY_END:
		if (a->serve && (a->json || a->output != NULL))
			argp_error(state, "--serve writes no file: leave out --json and --output");
		return 0;
	case ARGP_KEY_ARG:
		if (a->file_count == 2 * SOURCES_MAX)
			argp_error(state, "at most %d profiles fit into a page", SOURCES_MAX);
		a->files[a->file_count++] = value;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static bool is_elf(const char *path)
{
	char magic[4] = "";
	FILE *file = fopen(path, "rb");
	if (file == NULL)
		return false;
	size_t got = fread(magic, 1, sizeof magic, file);
	fclose(file);
	return got == sizeof magic && memcmp(magic, "\177ELF", sizeof magic) == 0;
}

/* A program stands before its profiles. The first argument is one in any case, so that a bad one is told as such. */
static int sort_arguments(struct arguments *a)
{
	const char *program = NULL;
	for (size_t i = 0; i < a->file_count; i++) {
		if (i == 0 || is_elf(a->files[i])) {
			program = a->files[i];
			continue;
		}
		if (a->count == SOURCES_MAX) {
			complain("at most %d profiles fit into a page", SOURCES_MAX);
			return STATUS_FAILED;
		}
		a->sources[a->count++] = (struct view_source){.program = program,
		    .file = a->files[i],
		    .partial = a->partial,
		    .force = a->force,
		    .spans = (size_t)a->spans};
	}
	if (a->count > 0)
		return STATUS_OK;
	if (a->file_count > 1)
		complain("%s: stands where the program is expected: first the program (ELF), then its profiles",
		    a->files[0]);
	else
		complain("a program (ELF) and a profile or record file are expected; see `rivulet help view'");
	return STATUS_FAILED;
}

/* The kernel's account of a run, for all sources. */
static int read_kernel(struct arguments *a, struct kernel_run *run)
{
	size_t size = 0;
	unsigned bad = 0;
	uint8_t *bytes = read_whole_file(a->kernel, UINT64_MAX, &size);
	if (bytes == NULL) {
		complain("%s: cannot be read: %s", a->kernel, strerror(errno));
		return STATUS_FAILED;
	}
	int error = kernel_run_read(run, bytes, size, &bad);
	free(bytes);
	if (error != 0 || !run->there) {
		complain("%s: %s", a->kernel,
		    error != 0 ? "out of memory" : "holds no account of the kernel; give what the kernel printed");
		return STATUS_FAILED;
	}
	if (bad > 0)
		complain("%s: %u frames of the kernel's account are damaged and left out", a->kernel, bad);
	for (size_t i = 0; i < a->count; i++)
		a->sources[i].kernel = run;
	return bad > 0 ? STATUS_NO : STATUS_OK;
}

static int write_document(void *context, char **document, size_t *size)
{
	const struct arguments *a = context;
	int status = STATUS_OK;
	FILE *out = open_memstream(document, size);
	if (out == NULL) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	view_begin(out, a->serve);
	for (size_t i = 0; i < a->count && status != STATUS_FAILED; i++) {
		if (i > 0)
			view_between(out);
		struct view_live *live = a->sources[i].live;
		int one = live != NULL ? view_live_write(live, out) : view_source_write(&a->sources[i], out);
		status = one > status ? one : status;
	}
	view_end(out);
	if (fclose(out) != 0) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	return status;
}

/* The document; that of a page with its long columns apart. */
static int write_with_columns(struct arguments *a, char **document, size_t *size, char **columns, size_t *columns_size)
{
	struct view_columns sink = {.size = 0};
	if (a->json)
		return write_document(a, document, size);
	sink.out = open_memstream(columns, columns_size);
	if (sink.out == NULL) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	for (size_t i = 0; i < a->count; i++)
		a->sources[i].columns = &sink;
	int status = write_document(a, document, size);
	if (fclose(sink.out) != 0) {
		complain("out of memory");
		status = STATUS_FAILED;
	}
	return status;
}

/* The page to use; *own: to be freed. */
static int find_page(const struct arguments *a, struct view_template *page, char **own)
{
	*own = NULL;
	if (a->page != NULL) {
		if ((*own = (char *)read_whole_file(a->page, UINT64_MAX, &page->size)) == NULL) {
			complain("%s: cannot be read: %s", a->page, strerror(errno));
			return STATUS_FAILED;
		}
		page->text = *own;
		return STATUS_OK;
	}
	if (view_embedded(page) == VIEW_OK)
		return STATUS_OK;
	complain("this rivulet was built without the page. Build it with `make web host' (it needs node and npm, which "
		 "scripts/setup installs), or give one with --page; the Debian package has it built in. "
		 "--json writes the data alone");
	return STATUS_FAILED;
}

/* "run.rvr" -> "run.html", in the current directory. */
static char *default_name(const struct arguments *a)
{
	const char *file = a->sources[a->count - 1].file, *slash = strrchr(file, '/');
	if (slash != NULL)
		file = slash + 1;
	const char *dot = strrchr(file, '.');
	size_t length = dot == NULL || dot == file ? strlen(file) : (size_t)(dot - file);
	if (strcmp(file, "-") == 0)
		return strdup("profile.html");
	char *name = malloc(length + sizeof ".html");
	if (name != NULL)
		sprintf(name, "%.*s.html", (int)length, file);
	return name;
}

void view_open(const char *path)
{
	const char *const openers[] = {"xdg-open", "open"};
	pid_t child = fork();
	if (child == 0) {
		int null = open("/dev/null", O_RDWR);
		setsid();
		if (null >= 0) {
			dup2(null, STDOUT_FILENO);
			dup2(null, STDERR_FILENO);
		}
		for (size_t i = 0; i < sizeof openers / sizeof *openers; i++)
			execlp(openers[i], openers[i], path, (char *)NULL);
		_exit(127);
	}
}

static int write_out(
    const struct arguments *a, const char *path, const struct view_template *page, const struct view_document *document)
{
	struct output *output = begin_output(path, OUTPUT_REPLACE, a->files, a->file_count);
	int error = VIEW_OK;
	if (output == NULL)
		return STATUS_FAILED;
	if (a->json)
		fwrite(document->text, 1, document->size, output_file(output));
	else
		error = view_page(page, true, document, output_file(output));
	if (error == VIEW_ETEMPLATE)
		complain("%s: %s", a->page, view_strerror(error));
	else if (error == VIEW_ENOMEM)
		complain("%s", view_strerror(error));
	/* what could not be written is told when the file is finished */
	return finish_output(output, error == VIEW_ETEMPLATE || error == VIEW_ENOMEM ? STATUS_FAILED : STATUS_OK);
}

static int serve_view(struct arguments *a, const struct view_template *page)
{
	for (size_t i = 0; i < a->count; i++) {
		a->sources[i].partial = true; /* it may still be written */
		a->sources[i].quiet = true;
	}
	const struct view_serving serving = {
	    .page = *page, .sources = a->sources, .count = a->count, .port = (uint16_t)a->port, .open = !a->no_open};
	return view_serve(&serving, write_document, a);
}

int cmd_view(int argc, char **argv)
{
	static const struct argp argp = {NULL, parse_view_option,
	    "PROGRAM.elf PROFILE|RECORDS... [PROGRAM.elf PROFILE...]...",
	    "Shows profiles as a page: river of time, functions, source and code, paths, flame graph, timeline, "
	    "differences.\v"
	    "The page is one file that needs no net. Without -o it is written beside you, named as the last profile, "
	    "and opened. Of several profiles each can be compared with each other one; a program stands before its "
	    "profiles. Single calls, their shortest and longest, and exact stacks need a record file (`rivulet run "
	    "--records'). Exit status: 0 all is well; 1 the input is damaged or does not fit the program; 2 a file "
	    "cannot be used. Manual: docs/view.md",
	    NULL, NULL, NULL};
	struct arguments a = {.spans = 1000000};
	char *document = NULL, *columns = NULL, *own = NULL, *name = NULL;
	struct view_template page = {NULL, 0};
	size_t size = 0, columns_size = 0;
	parse_options(&argp, options, argc, argv, 0, &a);
	static struct kernel_run kernel;
	int status = sort_arguments(&a);
	if (status == STATUS_OK && a.kernel != NULL)
		status = read_kernel(&a, &kernel);
	if (status == STATUS_OK && !a.json)
		status = find_page(&a, &page, &own);
	if (status == STATUS_OK && a.serve)
		status = serve_view(&a, &page);
	else if (status != STATUS_FAILED) {
		int made = write_with_columns(&a, &document, &size, &columns, &columns_size);
		status = made > status ? made : status;
	}
	if (status != STATUS_FAILED && !a.serve) {
		const char *path;
		if (a.output != NULL)
			path = a.output;
		else if (a.json)
			path = "-";
		else
			path = name = default_name(&a);
		int written = path == NULL ? STATUS_FAILED
					   : write_out(&a, path, &page,
						 &(struct view_document){document, size, columns, columns_size});
		status = written > status ? written : status;
		if (written == STATUS_OK && name != NULL) {
			printf("%s\n", name);
			if (!a.no_open && isatty(STDOUT_FILENO))
				view_open(name);
		}
	}
	kernel_run_fini(&kernel);
	free(document);
	free(columns);
	free(own);
	free(name);
	return status;
}
