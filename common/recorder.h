/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_RECORDER_H
#define RIVULET_RECORDER_H
/* What froze the flight recorder: RECORDER.CAUSE (common/recorder.def). */
enum recorder_cause {
	RECORDER_BY_NOTHING, /* it is not frozen */
#define RECORDER_CAUSE(ID, text) RECORDER_BY_##ID,
#include "common/recorder.def"
	RECORDER_CAUSES
};
#endif
