/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_SIZES_H
#define RIVULET_SIZES_H
/*
 * Tables, pools, caches, and how long a program may run without a branch. The fuzz targets are built with SMALL_SIZES
 * (fuzz/module.mk): there a short input fills, grows and empties them, and an execution takes microseconds.
 */
#ifdef SMALL_SIZES
#define SIZED(usual, small) (small)
#else
#define SIZED(usual, small) (usual)
#endif
#endif
