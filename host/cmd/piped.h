/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_CMD_PIPED_H
#define RIVULET_CMD_PIPED_H
/* Commands that read a file more than once, and from any place, get pipes as files.
 *
 *     cat run.rvr | rivulet report app -           "-" becomes /dev/stdin, which is a file without a name now
 *     rivulet report app <(ssh board cat prof)     so is /dev/fd/63 */

/* All words of the command, if it is such a one, that name a pipe or standard input. STATUS_OK, or STATUS_FAILED: it is
 * told why. */
int take_pipes(const char *command, int argc, char **argv);
#endif
