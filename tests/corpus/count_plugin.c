// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
/* The corpus's own counter: a plugin of qemu that counts how often each instruction is executed. It shares no code with
 * Rivulet. Debian's qemu-user has no header for plugins, so what is used of qemu's interface is declared here.
 *
 * Arguments: out=FILE, atomic=on (threads: a call that adds in one step, instead of code that qemu puts in line),
 * from=ADDRESS and to=ADDRESS (hexadecimal): counting begins and ends when that is reached for the first time; what ran
 * outside is in FILE.before and FILE.behind.
 * The file has a line "ADDRESS COUNT" for each instruction that was executed. A child of fork() counts from 0 on, into
 * FILE.PID, as the counters of an edited program do. What a program counted before exec() is lost, there as here. */
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef uint64_t qemu_plugin_id_t;
enum { CALLBACK_READS_NOTHING = 0, INLINE_ADD_U64 = 0 };
typedef void plugin_translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void plugin_executed(unsigned cpu, void *data);
typedef void plugin_returned(qemu_plugin_id_t id, unsigned cpu, int64_t number, int64_t result);
typedef void plugin_ended(qemu_plugin_id_t id, void *data);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, plugin_translated *translated);
void qemu_plugin_register_vcpu_syscall_ret_cb(qemu_plugin_id_t id, plugin_returned *returned);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, plugin_ended *ended, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t n);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *insn, int operation, void *word, uint64_t add);
void qemu_plugin_register_vcpu_insn_exec_cb(
    struct qemu_plugin_insn *insn, plugin_executed *executed, int reads, void *data);
__attribute__((visibility("default"))) int qemu_plugin_version = 1;
__attribute__((visibility("default"))) int qemu_plugin_install(
    qemu_plugin_id_t id, const void *info, int argc, char **argv);

// Slots never move, since translated code adds to them: buckets chain slots, which come from the heap one by one.
enum { BUCKETS = 1 << 16 };
struct slot {
	uint64_t address, count;
	struct slot *next;
};
static struct slot *buckets[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *out_name;
static bool atomic_counts, is_child;
static uint64_t from_address = UINT64_MAX, to_address = UINT64_MAX;
static enum { BEFORE, WITHIN, BEHIND } part = WITHIN;
static pid_t owner;

static struct slot *find_slot(uint64_t address)
{
	struct slot **head = &buckets[address / 2 % BUCKETS], *s = *head;
	while (s != NULL && s->address != address)
		s = s->next;
	if (s == NULL && (s = calloc(1, sizeof *s)) != NULL) {
		s->address = address;
		s->next = *head;
		*head = s;
	}
	return s;
}

static void add_one(unsigned cpu, void *data)
{
	(void)cpu;
	__atomic_fetch_add((uint64_t *)data, 1, __ATOMIC_RELAXED);
}

static void write_counts(const char *name)
{
	FILE *out = fopen(name, "w");
	if (out == NULL) {
		perror(name);
		return;
	}
	for (size_t b = 0; b < BUCKETS; b++)
		for (const struct slot *s = buckets[b]; s != NULL; s = s->next)
			if (s->count > 0)
				fprintf(out, "%" PRIx64 " %" PRIu64 "\n", s->address, s->count);
	if (fclose(out) != 0)
		perror(name);
}

static void clear_counts(void)
{
	for (size_t b = 0; b < BUCKETS; b++)
		for (struct slot *s = buckets[b]; s != NULL; s = s->next)
			s->count = 0;
}

// At from_address and at to_address, each before the instruction there is counted.
static void reach_bound(unsigned cpu, void *data)
{
	(void)cpu;
	char name[4096];
	if (part == BEFORE && data == &from_address)
		snprintf(name, sizeof name, "%s.before", out_name);
	else if (part == WITHIN && data == &to_address)
		snprintf(name, sizeof name, "%s", out_name);
	else
		return;
	write_counts(name);
	clear_counts();
	part++;
}

static void block_translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	pthread_mutex_lock(&lock);
	for (size_t n = 0; n < qemu_plugin_tb_n_insns(tb); n++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, n);
		struct slot *s = find_slot(qemu_plugin_insn_vaddr(insn));
		if (s == NULL)
			abort();
		if (s->address == from_address)
			qemu_plugin_register_vcpu_insn_exec_cb(
			    insn, reach_bound, CALLBACK_READS_NOTHING, &from_address);
		if (s->address == to_address)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, reach_bound, CALLBACK_READS_NOTHING, &to_address);
		if (atomic_counts)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, add_one, CALLBACK_READS_NOTHING, &s->count);
		else
			qemu_plugin_register_vcpu_insn_exec_inline(insn, INLINE_ADD_U64, &s->count, 1);
	}
	pthread_mutex_unlock(&lock);
}

// The first system call that returns in a child is the one that made it: until there the counts are the parent's.
static void call_returned(qemu_plugin_id_t id, unsigned cpu, int64_t number, int64_t result)
{
	(void)id, (void)cpu, (void)number, (void)result;
	if (getpid() == owner)
		return;
	owner = getpid();
	is_child = true;
	clear_counts();
}

static void program_ended(qemu_plugin_id_t id, void *data)
{
	(void)id, (void)data;
	char name[4096];
	if (part == BEFORE) {
		fprintf(stderr, "count_plugin: %s: %" PRIx64 " was never reached\n", out_name, from_address);
		return;
	}
	if (part == BEHIND)
		snprintf(name, sizeof name, "%s.behind", out_name);
	else
		snprintf(name, sizeof name, is_child ? "%s.%d" : "%s", out_name, (int)getpid());
	write_counts(name);
}

int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
	(void)info;
	for (int i = 0; i < argc; i++)
		if (strncmp(argv[i], "out=", 4) == 0)
			out_name = strdup(argv[i] + 4);
		else if (strcmp(argv[i], "atomic=on") == 0)
			atomic_counts = true;
		else if (strncmp(argv[i], "from=", 5) == 0) {
			from_address = strtoull(argv[i] + 5, NULL, 16);
			part = BEFORE;
		} else if (strncmp(argv[i], "to=", 3) == 0)
			to_address = strtoull(argv[i] + 3, NULL, 16);
	if (out_name == NULL) {
		fprintf(stderr, "count_plugin: out=FILE is missing\n");
		return -1;
	}
	owner = getpid();
	qemu_plugin_register_vcpu_tb_trans_cb(id, block_translated);
	qemu_plugin_register_vcpu_syscall_ret_cb(id, call_returned);
	qemu_plugin_register_atexit_cb(id, program_ended, NULL);
	return 0;
}
