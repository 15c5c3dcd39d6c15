/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* What Embench may ask of a board in a header: nothing. The clock, CPU_MHZ, comes from bench/embench/run. */
