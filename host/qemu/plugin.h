/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_QEMU_PLUGIN_H
#define RIVULET_QEMU_PLUGIN_H
/*
 * Inside the plugin: what is used of qemu's interface, and what its two files share. Debian's qemu has no header for
 * plugins, so the functions are declared here, as versions 1 (qemu 7.1 to 8.2) and 2 and later (from 9.0 on) have them.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "host/qemu/capture.h"

struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef uint64_t qemu_plugin_id_t;
struct qemu_info { /* the beginning of qemu_info_t */
	const char *target_name;
	struct {
		int min, cur;
	} version;
	bool system_emulation;
};
enum { CALLBACK_READS_NOTHING = 0 };
typedef void plugin_translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void plugin_executed(unsigned cpu, void *data);
typedef void plugin_called(qemu_plugin_id_t id, unsigned cpu, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3,
    uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8);
typedef void plugin_returned(qemu_plugin_id_t id, unsigned cpu, int64_t number, int64_t result);
typedef void plugin_left(qemu_plugin_id_t id, unsigned cpu);
typedef void plugin_ended(qemu_plugin_id_t id, void *data);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, plugin_translated *translated);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, plugin_executed *executed, int reads, void *data);
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t id, plugin_called *called);
void qemu_plugin_register_vcpu_syscall_ret_cb(qemu_plugin_id_t id, plugin_returned *returned);
void qemu_plugin_register_vcpu_exit_cb(qemu_plugin_id_t id, plugin_left *left);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, plugin_ended *ended, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t n);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
#define PLUGIN_EXPORT __attribute__((visibility("default")))

/* The shared memory; NULL before it is there. */
extern struct capture_file *capture;
/* Tells the command why, and ends the program. */
_Noreturn void capture_give_up(enum capture_failure why);

/* ---------------------------------------------------------------- which file code comes from (plugin_maps.c) */

/* To be told of each system call, before it is made: mappings may be others behind it. */
void maps_called(int64_t number, uint64_t a3);
/* The number of the object that the code at address belongs to, of `size` bytes at `host` in this process' memory: of a
 * file, if it is as in the file; else of code that was made at run time. 0: nothing is known of it. */
uint64_t maps_object(uint64_t address, const void *host, size_t size);
#endif
