/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/bound/solver.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "host/base/array.h"
#include "host/cc/process.h"

#define TERMS_A_LINE 8 /* readers of the format take lines of some hundred characters */
#define WHOLE 1e-4     /* a solver's number is whole if it is so near to one */
#define SUM_MAX 1e15   /* a solver counts in doubles */

void solver_program_free(struct solver_program *p)
{
	free(p->costs);
	free(p->terms);
	free(p->rows);
	*p = (struct solver_program){0};
}

int64_t solver_variable(struct solver_program *p, uint64_t cost)
{
	if (!array_room(&p->costs, p->variable_count + 1, &p->cost_room))
		return SOLVER_ENOMEM;
	p->costs[p->variable_count] = cost;
	return (int64_t)p->variable_count++;
}

bool solver_row(struct solver_program *p, bool equal, int64_t constant)
{
	if (!array_room(&p->rows, p->row_count + 1, &p->row_room))
		return false;
	p->rows[p->row_count++] = (struct solver_row){(uint32_t)p->term_count, equal, constant};
	return true;
}

bool solver_term(struct solver_program *p, uint32_t variable, int64_t factor)
{
	if (!array_room(&p->terms, p->term_count + 1, &p->term_room))
		return false;
	p->terms[p->term_count++] = (struct solver_term){variable, factor};
	return true;
}

static size_t row_end(const struct solver_program *p, size_t row)
{
	return row + 1 < p->row_count ? p->rows[row + 1].first : p->term_count;
}

char *solver_text(const struct solver_program *p, const char *title, size_t *length)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, length);
	if (out == NULL)
		return NULL;
	fprintf(out, "\\ %s\nMaximize\n cycles:", title);
	for (size_t i = 0; i < p->variable_count; i++)
		fprintf(out, "%s + %" PRIu64 " x%zu", i % TERMS_A_LINE == TERMS_A_LINE - 1 ? "\n" : "", p->costs[i], i);
	fputs("\nSubject To\n", out);
	for (size_t r = 0; r < p->row_count; r++) {
		fprintf(out, " r%zu:%s", r, p->rows[r].first == row_end(p, r) ? " + 0 x0" : "");
		for (size_t t = p->rows[r].first; t < row_end(p, r); t++)
			fprintf(out, "%s %c %" PRIu64 " x%" PRIu32,
			    (t - p->rows[r].first) % TERMS_A_LINE == TERMS_A_LINE - 1 ? "\n" : "",
			    p->terms[t].factor < 0 ? '-' : '+', (uint64_t)llabs(p->terms[t].factor),
			    p->terms[t].variable);
		fprintf(out, " %s %" PRId64 "\n", p->rows[r].equal ? "=" : "<=", p->rows[r].constant);
	}
	fputs("General\n", out);
	for (size_t i = 0; i < p->variable_count; i++)
		fprintf(out, " x%zu%s", i, i % TERMS_A_LINE == TERMS_A_LINE - 1 ? "\n" : "");
	fputs("\nEnd\n", out);
	bool written = fclose(out) == 0;
	if (written)
		return text;
	free(text);
	return NULL;
}

/* ---- glpsol */

static bool write_program_text(int file, const char *text, size_t length)
{
	while (length > 0) {
		ssize_t done = write(file, text, length);
		if (done <= 0)
			return false;
		text += done;
		length -= (size_t)done;
	}
	return true;
}

/* Whether the values obey every row; then their cost, in whole numbers. */
static bool check_solution(const struct solver_program *p, const uint64_t *values, uint64_t *largest)
{
	unsigned __int128 sum = 0;
	for (size_t i = 0; i < p->variable_count; i++)
		sum += (unsigned __int128)p->costs[i] * values[i];
	for (size_t r = 0; r < p->row_count; r++) {
		__int128 left = 0;
		for (size_t t = p->rows[r].first; t < row_end(p, r); t++)
			left += (__int128)p->terms[t].factor * (__int128)values[p->terms[t].variable];
		if (p->rows[r].equal ? left != p->rows[r].constant : left > p->rows[r].constant)
			return false;
	}
	*largest = (uint64_t)sum;
	return sum <= INT64_MAX;
}

/* glpsol --write: lines "s mip ROWS COLUMNS STATUS SUM" and "j COLUMN VALUE" (GLPK reference manual, section 3.9). */
static int read_solution(FILE *in, const struct solver_program *p, uint64_t *values, double *sum)
{
	char line[256], status = '?';
	size_t column, found = 0;
	double value;
	*sum = NAN;
	while (fgets(line, sizeof line, in) != NULL) {
		if (sscanf(line, "s mip %*u %*u %c %lf", &status, sum) >= 1)
			continue;
		if (sscanf(line, "j %zu %lf", &column, &value) != 2 || column == 0 || column > p->variable_count)
			continue;
		if (!(fabs(value - round(value)) < WHOLE) || value < -WHOLE || value > 1e15)
			return SOLVER_EPROGRAM;
		values[column - 1] = (uint64_t)llround(value);
		found++;
	}
	if (status == 'n')
		return SOLVER_ENOTHING;
	if (status == 'u')
		return SOLVER_EUNBOUNDED;
	return status == 'o' && found == p->variable_count ? SOLVER_OK : SOLVER_EPROGRAM;
}

static int run_glpsol(const struct solver_program *p, char *input, char *solution, const struct solver_answer *answer)
{
	char *command[] = {"glpsol", "--lp", input, "--write", solution, NULL};
	double sum = NAN;
	int status = cc_process_run(false, command, NULL, 0, "/dev/null");
	if (status == 127) {
		snprintf(answer->detail, answer->size,
		    "glpsol is not there, which solves the bound: install GLPK (Debian: glpk-utils)");
		return SOLVER_EPROGRAM;
	}
	if (status != 0) {
		snprintf(answer->detail, answer->size, "glpsol ended with status %d", status);
		return SOLVER_EPROGRAM;
	}
	FILE *in = fopen(solution, "r");
	int error = in == NULL ? SOLVER_EPROGRAM : read_solution(in, p, answer->values, &sum);
	if (in != NULL)
		fclose(in);
	if (sum > SUM_MAX) {
		snprintf(answer->detail, answer->size,
		    "the bound passes 10^15 cycles, as loops and calls inside of each other multiply: say more of the "
		    "flow "
		    "(total, depth, never)");
		return SOLVER_EPROGRAM;
	}
	if (error == SOLVER_OK && (!check_solution(p, answer->values, answer->largest) ||
				      !(fabs((double)*answer->largest - sum) <= 1e-6 * (1 + fabs(sum)))))
		error = SOLVER_EPROGRAM;
	if (error == SOLVER_EPROGRAM)
		snprintf(answer->detail, answer->size, "glpsol's solution does not obey the program that it was given");
	return error;
}

int solver_run(const struct solver_program *p, const char *text, size_t length, const struct solver_answer *answer)
{
	const char *folder = getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp";
	char input[4096], solution[4096];
	snprintf(input, sizeof input, "%s/rivulet-bound-XXXXXX", folder);
	snprintf(solution, sizeof solution, "%s/rivulet-bound-XXXXXX", folder);
	int file = mkstemp(input), other = file < 0 ? -1 : mkstemp(solution);
	int error = SOLVER_EPROGRAM;
	snprintf(answer->detail, answer->size, "no file can be written in %s", folder);
	if (other >= 0 && write_program_text(file, text, length))
		error = run_glpsol(p, input, solution, answer);
	if (file >= 0) {
		close(file);
		unlink(input);
	}
	if (other >= 0) {
		close(other);
		unlink(solution);
	}
	return error;
}
