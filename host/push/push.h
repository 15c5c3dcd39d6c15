/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_PUSH_H
#define RIVULET_PUSH_H
/*
 * A profile to a store over HTTP, by way of a folder on disk, so that none is lost:
 *
 *   body ──► spool: NAME.push, whole or not at all ──► POST ──► 2xx: removed
 *                                                        ├──► 408, 425, 429, 5xx, no answer: stays, tried again
 *                                                        └──► any other answer, or OTLP's "rejected": NAME.refused
 *
 * What a store has taken without its answer coming back is sent twice: at least once, not exactly once.
 */
#include <stddef.h>
#include <stdint.h>

enum push_error {
	PUSH_OK = 0,
	PUSH_ENOMEM = -1,
	PUSH_ELATER = -2,   /* no answer, or one that asks to try again */
	PUSH_EREFUSED = -3, /* the store does not want it */
	PUSH_EDAMAGED = -4, /* the file of the spool is not whole: NAME.damaged */
	PUSH_EFILE = -5,    /* the spool cannot be read or written */
	PUSH_EBUSY = -6     /* another process is sending it, or has sent it */
};

/* The content type of OTLP, whose answers are read. */
#define PUSH_PROTOBUF "application/x-protobuf"

struct push_message {
	char *url, *type; /* with query; the content type */
	uint8_t *body;
	size_t size;
};
void push_message_free(struct push_message *message);

/* One POST. timeout: seconds until an answer is given up. detail: what the store or the network said. */
int push_send(const struct push_message *message, unsigned timeout, char *detail, size_t size);

/* Writes the message into the folder; path takes its file's name. */
int push_spool(
    const char *folder, const struct push_message *message, char *path, size_t path_size, char *detail, size_t size);
/* Stores that gave no answer in this round, or could not take a file now: none is asked for each file. */
#define PUSH_STORES 16
#define PUSH_STORE_NAME 256
struct push_silent {
	char stores[PUSH_STORES][PUSH_STORE_NAME]; /* "http://host:port/path" */
	size_t count;
};
/* Sends one file of the spool, once, unless it is for a silent store; a store that gives no answer is one then. detail:
 * with the store's name, without user and password. */
int push_spooled(const char *path, unsigned timeout, struct push_silent *silent, char *detail, size_t size);
#endif
