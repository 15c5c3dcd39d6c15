/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Compiled once for each application, with APP_NAME from sw/module.mk. */
#include "sw/run/app.h"

const char app_name[] = APP_NAME;
