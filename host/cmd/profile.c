/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet profile: runs a program and says where its time goes, by the commands run and report. */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "host/cmd/parse_options.h"
#include "host/cmd/profile_options.h"
#include "host/cmd/profile_hosted.h"
#include "host/cmd/profile_system.h"
#include "host/cmd/report.h"
#include "host/cmd/run_end.h"
#include "host/cmd/run_machine.h"
#include "host/cycles/core.h"

COMMAND(5, profile, "run a program and say where its time goes: run and report in one");

/* Standard output goes elsewhere: to nothing, or to standard error where JSON is wanted. Returns what to give back. */
static int turn_output(bool quiet)
{
	fflush(stdout);
	int kept = dup(STDOUT_FILENO);
	int other = quiet ? -1 : dup(STDERR_FILENO);
	if (quiet) {
		FILE *nothing = fopen("/dev/null", "w");
		other = nothing == NULL ? -1 : dup(fileno(nothing));
		if (nothing != NULL)
			fclose(nothing);
	}
	if (other >= 0) {
		dup2(other, STDOUT_FILENO);
		close(other);
	}
	return kept;
}

static void give_terminal_back(int kept)
{
	fflush(stdout);
	if (kept >= 0) {
		dup2(kept, STDOUT_FILENO);
		close(kept);
	}
}

/* Whether the driver in the program collects, and not the model at the record port. */
static bool program_collects(const struct profile_arguments *a)
{
	static const char *const others[] = {"stream", "5", "off", "0"};
	for (size_t i = 0; a->way != NULL && i < sizeof others / sizeof *others; i++) {
		if (strcmp(a->way, others[i]) == 0)
			return false;
	}
	return a->way != NULL;
}

/* All records in order, because only they have exact inclusive numbers; of the other ways what the program sends: its
 * samples, its table, and the cycles that they took. */
static int run_with_driver(struct profile_arguments *a, bool json, const char *collected)
{
	struct profile_words *words = &a->run;
	bool driver = program_collects(a);
	if (!driver)
		profile_add_option(words, "--fast", NULL);
	profile_add_option(words, driver ? "--uart" : "--records", collected);
	profile_add_word(words, a->program);
	if (a->rest.count > 0)
		profile_add_word(words, "--");
	for (int i = 0; i < a->rest.count; i++)
		profile_add_word(words, a->rest.all[i]);
	if (words->failed) {
		complain("out of memory");
		return -RUN_STATUS_FAILED;
	}
	int kept = a->quiet || json ? turn_output(a->quiet) : -1;
	int status = run_command(words->count, words->all, STATUS_FAILED);
	if (kept >= 0)
		give_terminal_back(kept);
	return status;
}

static char temporary[4096]; /* "": none; else in a folder of this user's alone */
static struct hosted_others others;

static void remove_temporary(void)
{
	if (temporary[0] == '\0')
		return;
	unlink(temporary);
	for (size_t i = 0; i < others.count; i++)
		unlink(others.all[i].profile);
	*strrchr(temporary, '/') = '\0';
	rmdir(temporary);
	temporary[0] = '\0';
}

/* A reader that has seen enough, Ctrl-C: the report ends as without us, and leaves nothing. */
static void on_report_ended(int number)
{
	remove_temporary();
	raise(number);
}

static void catch_report_ends(void)
{
	const struct sigaction action = {.sa_handler = on_report_ended, .sa_flags = (int)SA_RESETHAND};
	const int ends[] = {SIGPIPE, SIGINT, SIGTERM, SIGHUP};
	struct sigaction before;
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		if (sigaction(ends[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaction(ends[i], &action, NULL);
	}
}

/* A file for what nobody wants to keep, or not yet: it goes with the process, also where a wrong argument ends that. */
static int make_temporary(const char *program)
{
	static char shown[4096];
	const char *folder = getenv("TMPDIR");
	const int length = snprintf(
	    temporary, sizeof temporary, "%s/rivulet.XXXXXX", folder != NULL && *folder != '\0' ? folder : "/tmp");
	errno = ENAMETOOLONG;
	if (length > (int)(sizeof temporary - sizeof "/profile") || mkdtemp(temporary) == NULL) {
		complain("%s: cannot be made: %s", temporary, strerror(errno));
		temporary[0] = '\0';
		return STATUS_FAILED;
	}
	strcat(temporary, "/profile");
	atexit(remove_temporary);
	snprintf(shown, sizeof shown, "the run of %s", program);
	name_path(temporary, shown);
	return STATUS_OK;
}

/* Whether the program is one of Linux; *image is it then. */
static bool is_hosted(const char *program, struct image **image)
{
	char detail[1024];
	if (image_open(image, program, detail, sizeof detail) != IMAGE_OK)
		return false; /* told where it is run */
	if (image_hosted(*image))
		return true;
	image_close(*image);
	*image = NULL;
	return false;
}

/* Before anything is said of its options: what is no program has none. */
static bool is_a_program(const char *program, struct image *opened)
{
	char detail[1024];
	struct image *image = NULL;
	if (opened != NULL)
		return true;
	if (image_open(&image, program, detail, sizeof detail) != IMAGE_OK) {
		complain("%s", detail);
		return false;
	}
	image_close(image);
	return true;
}

/* What came over the UART becomes the file that the user wants, if there is a profile in it. */
static int keep_capture(const struct profile_arguments *a)
{
	char bytes[65536];
	size_t got;
	const char *program = a->program;
	struct output *output = begin_output(a->output, OUTPUT_REPLACE, &program, 1);
	FILE *from = output == NULL ? NULL : fopen(temporary, "rb");
	if (output == NULL)
		return STATUS_FAILED;
	while (from != NULL && (got = fread(bytes, 1, sizeof bytes, from)) > 0)
		fwrite(bytes, 1, got, output_file(output));
	bool whole = from != NULL && !ferror(from);
	if (!whole)
		complain("%s: cannot be read: %s", temporary, strerror(errno));
	if (from != NULL)
		fclose(from);
	return finish_output(output, whole ? STATUS_OK : STATUS_FAILED);
}

/* The report of what was collected; what the driver sent is kept if there is a trace in it. */
static int show_collected(struct profile_arguments *a, struct report_command *report, int ran)
{
	struct stat written;
	const char *collected = report->operands.file;
	int status = STATUS_FAILED;
	if (ran == -RUN_STATUS_FAILED)
		return status;
	stop_signal = 0; /* a second one ends the report */
	if (stat(collected, &written) == 0 && written.st_size > 0)
		status = report_show(report);
	else
		complain("%s: sent nothing, so there is nothing to report", a->program);
	if (a->output == NULL || collected != temporary)
		return status;
	if (report->traces > 0)
		return keep_capture(a) == STATUS_OK ? status : STATUS_FAILED;
	complain("%s: is not written: the program sent no trace", a->output);
	return STATUS_FAILED;
}

/* Whether the program can be run as --how says, which is told if not. image: of a program of Linux, else NULL. */
static bool check_how(const struct profile_arguments *a, const struct image *image)
{
	size_t size;
	if (a->how == NULL || strcmp(a->how, image != NULL ? "qemu" : "model") == 0)
		return true;
	if (access(a->program, R_OK) != 0)
		return true; /* told where it is opened */
	if (strcmp(a->how, "insert") == 0 && image != NULL && image_section(image, ".debug_rivulet", &size) != NULL)
		complain("%s: has counters already, and counts by itself: run it, then "
			 "`rivulet report %s rivulet.prof'",
		    a->program, a->program);
	else if (strcmp(a->how, "insert") == 0)
		complain("%s: counters are put into objects, and this program is linked: build it with `rivulet cc', "
			 "run it, then `rivulet report PROGRAM rivulet.prof'; or leave --how out",
		    a->program);
	else if (image != NULL)
		complain("%s: is a program of Linux, and the golden model has no Linux; leave --how out, and it runs "
			 "under qemu",
		    a->program);
	else
		complain("%s: is no program of Linux, and the plugin is for qemu's user emulator; leave --how out, and "
			 "it runs on the golden model",
		    a->program);
	return false;
}

/* What cannot be together. STATUS_OK or STATUS_FAILED (told). */
static int check_options(const struct profile_arguments *a, bool hosted, bool driver)
{
	if (driver && a->guest)
		complain("%s: --collect %s is run cycle by cycle, which has no --semihosting; leave one of them out",
		    a->program, a->way);
	else if (driver && a->records != NULL)
		complain("%s: --collect %s keeps no order; leave --records out", a->program, a->way);
	else if (hosted && a->machine)
		complain("%s: is a program of Linux, which runs under qemu, not on the golden model: --set, --collect, "
			 "--semihosting, --cycles and --ram are of that",
		    a->program);
	else if (!hosted && a->edges)
		complain("%s: --collect edges is for programs of Linux; the golden model counts all at its full speed",
		    a->program);
	else if (a->output != NULL && a->records != NULL && strcmp(a->output, a->records) == 0)
		complain("%s: --output and --records are two files: give two names", a->output);
	else if (a->edges && a->records != NULL)
		complain("%s: --collect edges keeps no order; leave --records out", a->program);
	else if (!hosted && a->core != NULL)
		complain("%s: its cycles are counted by the golden model; --core is for programs of Linux", a->program);
	else if (a->core != NULL && strlen(a->core) > PROFILE_RULES_NAME)
		complain("%s: a name of at most %d characters is expected for --core", a->core, PROFILE_RULES_NAME);
	else if (!hosted && a->records != NULL && a->output != NULL)
		complain("%s: --output keeps all records of this program, as --records does; leave one of them out",
		    a->program);
	else
		return STATUS_OK;
	return STATUS_FAILED;
}

/* A program of Linux, under qemu. */
static int run_linux(const struct profile_arguments *a, struct image *image, bool json, const char *counts)
{
	struct profile_words words = {0};
	profile_add_word(&words, a->program);
	for (int i = 0; i < a->rest.count; i++)
		profile_add_word(&words, a->rest.all[i]);
	if (words.failed) {
		complain("out of memory");
		free(words.all);
		return -RUN_STATUS_FAILED;
	}
	const struct hosted_run run = {.program = a->program,
	    .words = words.all,
	    .profile = counts,
	    .records = a->records,
	    .core = a->core,
	    .edges = a->edges};
	int kept = a->quiet || json ? turn_output(a->quiet) : -1;
	int status = run_hosted(&run, image, &others);
	free(words.all);
	if (kept >= 0)
		give_terminal_back(kept);
	return status;
}

/* A whole system. Where it ran comes before the report; numbers for programs come alone. */
static int run_whole_system(const struct profile_arguments *a, const struct qemu_system *system, struct image *image,
    bool json, const char *counts)
{
	struct qemu_ranges ranges = {0};
	const struct hosted_run run = {.program = a->program,
	    .profile = counts,
	    .records = a->records,
	    .core = a->core,
	    .edges = a->edges,
	    .system = system,
	    .ranges = &ranges};
	int kept = a->quiet || json ? turn_output(a->quiet) : -1;
	int status = run_hosted(&run, image, &others);
	if (kept >= 0)
		give_terminal_back(kept);
	if (status != -RUN_STATUS_FAILED)
		show_ranges(&ranges, json ? stderr : stdout);
	ranges_free(&ranges);
	return status;
}

/* Behind the first program's report those of the programs that processes became. Tables alone and JSON are of the
 * first. */
static int show_others(struct profile_arguments *a, const struct report_command *first)
{
	int status = STATUS_OK;
	for (size_t i = 0; i < others.count && status != STATUS_FAILED; i++) {
		struct profile_words *words = &a->report;
		struct report_command report;
		struct hosted_other *other = &others.all[i];
		if (first->report.format != TABLE_TEXT) {
			complain("%s: %s", other->program,
			    a->output != NULL ? "its profile is beside that of the first program"
					      : "its profile is not kept: --output FILE keeps it");
			continue;
		}
		words->count -= 2; /* program and file of the one before */
		profile_add_word(words, other->program);
		profile_add_word(words, other->profile);
		printf("\n");
		if (a->output == NULL)
			name_path(other->profile, "the run of another program");
		report_parse(&report, words->count, words->all);
		const int one = report_show(&report);
		status = worse_status(status, one);
	}
	return status;
}

/* A program of Linux has all words behind it, as behind any other command: puts "--" there. Returns the words, which
 * are argv if there is nothing to do; *argc is their number. */
static char **quote_arguments(int *argc, char **argv)
{
	static char **words; /* to the end of the process */
	for (int i = 1; i + 1 < *argc && strcmp(argv[i], "--") != 0 && strncmp(argv[i], "--system", 8) != 0; i++) {
		const char *before = argv[i - 1];
		struct image *image = NULL;
		/* the value of an option is no program */
		if (argv[i][0] == '-' ||
		    (i > 1 && before[0] == '-' && strchr(before, '=') == NULL && strcmp(before, "-j") != 0 &&
			strcmp(before, "--json") != 0 && strcmp(before, "-q") != 0 && strcmp(before, "--quiet") != 0))
			continue;
		if (!is_hosted(argv[i], &image) || strcmp(argv[i + 1], "--") == 0) {
			image_close(image);
			return argv;
		}
		image_close(image);
		words = calloc((size_t)*argc + 2, sizeof *words);
		if (words == NULL)
			return argv; /* which is refused, as two programs are */
		memcpy(words, argv, (size_t)(i + 1) * sizeof *words);
		words[i + 1] = (char *)(uintptr_t) "--";
		memcpy(words + i + 2, argv + i + 1, (size_t)(*argc - i) * sizeof *words);
		++*argc;
		return words;
	}
	return argv;
}

/* Runs it, and reports. The report's words are looked at before the run, which may take long. */
static int profile_and_report(struct profile_arguments *a)
{
	struct report_command report;
	bool driver = program_collects(a);
	struct image *image = NULL;
	struct qemu_system system;
	int checked = a->system ? prepare_system(a, &system, &image) : STATUS_OK;
	const bool hosted = a->system || is_hosted(a->program, &image);
	if (checked == STATUS_OK && !a->system && !(is_a_program(a->program, image) && check_how(a, image)))
		checked = STATUS_FAILED;
	if (checked == STATUS_OK)
		checked = check_options(a, hosted, driver);
	if (a->system && checked != STATUS_OK) {
		image_close(image);
		return STATUS_FAILED;
	}
	/* what the report reads: what is kept, else a file for the moment. Of a program of Linux counts, which is
	 * quick */
	const char *kept = a->records != NULL && !hosted ? a->records : a->output;
	profile_add_word(&a->report, a->program);
	profile_add_word(&a->report, kept != NULL && !driver ? kept : temporary);
	report_parse(&report, a->report.count, a->report.all);
	if (checked != STATUS_OK || ((kept == NULL || driver) && make_temporary(a->program) != STATUS_OK)) {
		image_close(image);
		return STATUS_FAILED;
	}
	const bool json = report.report.format != TABLE_TEXT;
	int ran;
	if (a->system)
		ran = run_whole_system(a, &system, image, json, report.operands.file);
	else if (hosted)
		ran = run_linux(a, image, json, report.operands.file);
	else
		ran = run_with_driver(a, json, report.operands.file);
	image_close(image);
	int stopped = stop_signal != 0 ? stop_status() : 0;
	catch_report_ends();
	int status = show_collected(a, &report, ran);
	if (status != STATUS_FAILED && others.count > 0) {
		const int one = show_others(a, &report);
		status = worse_status(status, one);
	}
	if (ran != 0 && status != STATUS_FAILED)
		status = STATUS_NO;
	if (others.records_failed)
		status = STATUS_FAILED;
	remove_temporary();
	free_others(&others);
	return stopped != 0 ? stopped : status;
}

int cmd_profile(int argc, char **argv)
{
	static const struct argp argp = {NULL, profile_parse_option,
	    "PROGRAM.elf [-- ARGUMENT...]\nPROGRAM ARGUMENT...\n--system [PROGRAM.elf...] -- qemu-system-riscv64 "
	    "OPTION...\n--system=MACHINE PROGRAM.elf [-- OPTION...]",
	    "Runs a program, with every trace in order, and reports where its time went, exactly: functions by self "
	    "and "
	    "inclusive cycles, then hot paths. The "
	    "program's output comes first. A program of RISC-V Linux runs under qemu-riscv64 or qemu-riscv32 "
	    "(RIVULET_QEMU: another one), with each instruction of it counted, and no cycles.\v"
	    "The arguments reach the program by semihosting; a program of Linux has all words behind it, without --, "
	    "too. "
	    "Exit status: 0 all is well; 1 the program ended with another status than 0, or not at all, or the profile "
	    "is not whole; 2 a file cannot be used; 130 after Ctrl-C, when what ran until then is reported.",
	    NULL, NULL, NULL};
	struct profile_arguments a = {0};
	char name[] = "rivulet profile";
	profile_add_word(&a.run, name);
	profile_add_option(&a.run, "--quiet", NULL);
	profile_add_word(&a.report, name);
	argv = quote_arguments(&argc, argv);
	argc = take_emulator_words(&a, argc, argv);
	parse_options(&argp, profile_options, argc, argv, 0, &a);
	const int status = profile_and_report(&a);
	profile_free_words(&a);
	return status;
}
