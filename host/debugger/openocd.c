/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/debugger/openocd.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "host/base/connect.h"

#define END_OF_MESSAGE 0x1A /* behind each command, and behind each answer */
#define WORDS_MAX 64u

struct openocd {
	int connection;
	bool scans; /* by procedures of ours, see SCANS */
	char answer[WORDS_MAX * 12 + 256];
};

/*
 * System bus access by scans, as procedures that OpenOCD runs (Debug Specification 0.13.2).
 *
 * A request is one scan of dmi, and its answer is in a later one; status 3 says that the request is still under way. It
 * is then waited for, never given a second time: a word that is written twice may be two writes to the target.
 *
 *   scan {request}   scan {nothing} -> status 3: dmireset, wait    scan {nothing} -> status 0, data
 *
 * sbcs: 0x38. sbreadonaddr and sbreadondata begin the next access as soon as one is taken; the last word of a block
 * is taken without, so that nothing behind it is touched.
 */
static const char SCANS[] =
    "proc rivulet_tap {tap} {"
    "  global rivulet_t rivulet_a rivulet_w;"
    "  set rivulet_t $tap; irscan $tap 0x10; set c 0x[drscan $tap 32 0];"
    "  if {($c & 15) != 1} { error \"$tap: dtmcs is $c: no transport of version 0.13\" };"
    "  set rivulet_a [expr {($c >> 4) & 63}]; set rivulet_w [expr {(($c >> 12) & 7) + 1}];"
    "  irscan $tap 0x10; drscan $tap 32 0x10000;"
    "  rivulet_dmi 2 0x10 1;"
    "  set s [rivulet_dmi 1 0x38 0];"
    "  if {(($s >> 29) & 7) != 1 || ($s & 4) == 0} {"
    "    error \"$tap: sbcs is [format 0x%08x $s]: no system bus access of 32 bits\" }"
    "};"
    "proc rivulet_scan {op address data} {"
    "  global rivulet_t rivulet_a rivulet_w;"
    "  irscan $rivulet_t 0x11;"
    "  set r [drscan $rivulet_t 2 $op 32 $data $rivulet_a $address];"
    "  runtest $rivulet_w; return $r"
    "};"
    "proc rivulet_dmi {op address data} {"
    "  global rivulet_t rivulet_w;"
    "  rivulet_scan $op $address $data;"
    "  for {set i 0} {$i < 32} {incr i} {"
    "    set r [rivulet_scan 0 0 0]; set s 0x[lindex $r 0];"
    "    if {$s == 0} { return [expr 0x[lindex $r 1]] };"
    "    if {$s == 2} { error {the debug module refused a request} };"
    "    irscan $rivulet_t 0x10; drscan $rivulet_t 32 0x10000;"
    "    set rivulet_w [expr {$rivulet_w < 512 ? 2 * $rivulet_w : $rivulet_w}]; runtest $rivulet_w"
    "  };"
    "  error {the debug module gives no answer}"
    "};"
    "proc rivulet_settle {} {"
    "  for {set i 0} {$i < 32} {incr i} {"
    "    set s [rivulet_dmi 1 0x38 0];"
    "    if {($s & 0x200000) == 0} {"
    "      if {($s & 0x407000) != 0} {"
    "        error \"the bus refused the access: sbcs is [format 0x%08x $s]\" };"
    "      return }"
    "  };"
    "  error {the bus gives no answer}"
    "};"
    "proc rivulet_read {address count} {"
    "  set words {};"
    "  rivulet_dmi 2 0x38 [expr {$count > 1 ? 0x55f000 : 0x547000}];"
    "  rivulet_dmi 2 0x39 $address; rivulet_settle;"
    "  for {set i 1} {$i < $count} {incr i} {"
    "    if {$i == $count - 1} {"
    "      lappend words [rivulet_dmi 1 0x3c 0]; rivulet_settle;"
    "      rivulet_dmi 2 0x38 0x040000"
    "    } else { lappend words [rivulet_dmi 1 0x3c 0]; rivulet_settle } };"
    "  lappend words [rivulet_dmi 1 0x3c 0]; return $words"
    "};"
    "proc rivulet_write {address word} {"
    "  rivulet_dmi 2 0x38 0x447000; rivulet_dmi 2 0x39 $address;"
    "  rivulet_dmi 2 0x3c $word; rivulet_settle"
    "}";

const char *openocd_strerror(int error)
{
	switch (error) {
	case OPENOCD_OK:
		return "no error";
	case OPENOCD_ECONNECT:
		return "no OpenOCD answers; its Tcl server is at port 6666 by default, [HOST:]PORT is expected";
	case OPENOCD_ELOST:
		return "OpenOCD gives no answer any more";
	case OPENOCD_ECOMMAND:
		return "OpenOCD could not reach the target";
	default:
		return "OpenOCD's answer is not understood";
	}
}

const char *openocd_said(const struct openocd *openocd)
{
	return openocd == NULL ? "" : openocd->answer;
}

static bool send_whole(int connection, const char *bytes, size_t size)
{
	while (size > 0) {
		const ssize_t sent = send(connection, bytes, size, MSG_NOSIGNAL);
		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
			return false;
		bytes += sent;
		size -= (size_t)sent;
	}
	return true;
}

/* The answer up to its end; of one that is longer than there is room for, the beginning. */
static bool take_answer(struct openocd *openocd)
{
	size_t used = 0;
	ssize_t came;
	char c;
	/* A signal ends the collection, not the command under way: the unit has to be switched off by the next. */
	while ((came = recv(openocd->connection, &c, 1, 0)) == 1 || (came < 0 && errno == EINTR)) {
		if (came < 0)
			continue;
		if (c == END_OF_MESSAGE) {
			openocd->answer[used] = '\0';
			return true;
		}
		if (used + 1 < sizeof openocd->answer)
			openocd->answer[used++] = c;
	}
	openocd->answer[0] = '\0';
	return false;
}

/* Runs a command of Tcl. Its result is left in answer; of one that fails, the message. */
static int run_openocd(struct openocd *openocd, const char *command)
{
	/* In one piece: a command in several would wait for an acknowledgement between them. */
	static const char before[] = "format {%d%s} [expr {[catch {", behind[] = "} rivulet_r] != 0}] $rivulet_r\x1A";
	const size_t size = sizeof before + strlen(command) + sizeof behind;
	char *whole = malloc(size);
	if (whole == NULL)
		return OPENOCD_ELOST;
	snprintf(whole, size, "%s%s%s", before, command, behind);
	const bool sent = send_whole(openocd->connection, whole, strlen(whole));
	free(whole);
	if (!sent || !take_answer(openocd))
		return OPENOCD_ELOST;
	const char status = openocd->answer[0];
	memmove(openocd->answer, openocd->answer + (status != '\0'), sizeof openocd->answer - 1);
	if (status != '0' && status != '1')
		return OPENOCD_EANSWER;
	return status == '0' ? OPENOCD_OK : OPENOCD_ECOMMAND;
}

/* A TAP's name goes into a command, so it has no character that means something there. */
static bool plain_name(const char *name)
{
	for (; *name != '\0'; name++)
		if (!isalnum((unsigned char)*name) && *name != '.' && *name != '_' && *name != '-')
			return false;
	return true;
}

int openocd_open(struct openocd **opened, const char *where, const char *tap)
{
	struct openocd *openocd = calloc(1, sizeof *openocd);
	char command[128];
	*opened = openocd;
	if (openocd == NULL)
		return OPENOCD_ELOST;
	openocd->connection = connect_stream(where, OPENOCD_SECONDS);
	if (openocd->connection < 0)
		return OPENOCD_ECONNECT;
	openocd->scans = tap != NULL;
	if (tap == NULL)
		return OPENOCD_OK;
	if (!plain_name(tap) || snprintf(command, sizeof command, "rivulet_tap %s", tap) >= (int)sizeof command) {
		snprintf(openocd->answer, sizeof openocd->answer, "%.64s is no name of a TAP", tap);
		return OPENOCD_ECOMMAND;
	}
	const int error = run_openocd(openocd, SCANS);
	return error == OPENOCD_OK ? run_openocd(openocd, command) : error;
}

void openocd_close(struct openocd *openocd)
{
	if (openocd != NULL && openocd->connection >= 0)
		close(openocd->connection);
	free(openocd);
}

int openocd_read(struct openocd *openocd, uint64_t address, unsigned count, uint32_t *words)
{
	char command[96];
	snprintf(command, sizeof command,
	    openocd->scans ? "rivulet_read 0x%" PRIx64 " %u" : "read_memory 0x%" PRIx64 " 32 %u", address, count);
	int error = run_openocd(openocd, command);
	const char *at = openocd->answer;
	for (unsigned i = 0; error == OPENOCD_OK && i < count; i++) {
		char *end;
		const unsigned long long word = strtoull(at, &end, 0);
		if (end == at || word > UINT32_MAX)
			error = OPENOCD_EANSWER;
		else
			words[i] = (uint32_t)word;
		at = end;
	}
	return error;
}

int openocd_write(struct openocd *openocd, uint64_t address, uint32_t word)
{
	char command[96];
	snprintf(command, sizeof command,
	    openocd->scans ? "rivulet_write 0x%" PRIx64 " 0x%" PRIx32 : "write_memory 0x%" PRIx64 " 32 {0x%" PRIx32 "}",
	    address, word);
	return run_openocd(openocd, command);
}
