/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#ifndef RIVULET_SWEEP_PLAN_H
#define RIVULET_SWEEP_PLAN_H
/*
 * A sweep: one command for each choice of a value on each axis.
 *
 *   program  json.elf qsort.elf              an axis: its name, then its values
 *   period   16 64                           2 x 2 cells
 *   build    make -C {built} -f $PWD/Makefile {program}
 *   run      rivulet run --quiet --set way=watermark --set period={period} --uart {profile} {built}/{program}
 *   merge    period                          cells that differ in this axis alone are added up too
 *   column   watched lost                    what the command says of itself, in lines such as `lost 12'
 *
 * `run` is a command of the shell; {NAME} is the value of the axis, {profile} the file that the cell leaves. A value
 * with blanks stands in "quotes". What follows # is left out. A long line goes on behind a \ at its end.
 *
 * `build` runs before, once for each choice of values on the axes that it names: it is a plan of its own, with these
 * axes. Cells that share these values share {built}, a folder.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SWEEP_AXES 16
#define SWEEP_COLUMNS 32
#define SWEEP_CELLS 1000000

struct sweep_axis {
	char *name;
	char **values;
	size_t count, room;
};

struct sweep_plan {
	struct sweep_axis axes[SWEEP_AXES];
	size_t axis_count;
	char *run;
	size_t merged; /* the axis to add up; SIZE_MAX: none */
	size_t cells;  /* the product of all counts */
	char *columns[SWEEP_COLUMNS];
	size_t column_count;
	struct sweep_plan *build;      /* its axes are some of these; NULL: there is none */
	size_t build_axes[SWEEP_AXES]; /* which ones, in order */
	bool builds;                   /* it is the plan of a build */
	const char *built;             /* by who runs them: the folder of the builds */
};

enum { SWEEP_OK = 0, SWEEP_ENOMEM = -1, SWEEP_EPLAN = -2 /* the detail says file, line and what is wrong */ };

/* To be freed in any case. */
int sweep_plan_read(struct sweep_plan *plan, const char *path, char *detail, size_t size);
void sweep_plan_free(struct sweep_plan *plan);
/* The value of an axis in a cell; the last axis changes fastest. */
const char *sweep_value(const struct sweep_plan *plan, size_t cell, size_t axis);
/* The cell of the plan's build that it needs. */
size_t sweep_build_cell(const struct sweep_plan *plan, size_t cell);
/* The command of a cell; to be freed. profile: what {profile} stands for; NULL: {profile} and {built} as they stand.
 * Returns NULL: out of memory. */
char *sweep_command(const struct sweep_plan *plan, size_t cell, const char *profile);
/* The name of the cell's folder: of its values, its command and its build's, so that it stays when values are added. */
#define SWEEP_NAME 17
int sweep_name(const struct sweep_plan *plan, size_t cell, char name[SWEEP_NAME]);
#endif
