/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * `gen SEED gotos` writes C with computed gotos ("Labels as Values" of the GCC manual) in every form that interpreters
 * use, as functions that tests/insert/random.c calls: tables of addresses and of distances, of any width, from any
 * label; threaded code; labels on the stack, in structures, in a global variable, through a function, chosen by a
 * branch. With and without a frame, calls, tail calls through pointers, switches, asm goto and nested functions beside
 * it, with up to twelve variables that are live over every jump.
 *
 * Each jump takes fuel, so each function ends. What a function gives depends on every variable.
 */
#include "tests/random/random.h"
#include <stdio.h>

enum { OPS = 7, VARIABLES = 12 };
enum way { /* how a jump gets its label */
	WAY_TABLE,
	WAY_DISTANCES,
	WAY_THREADED,
	WAY_THREADED_DISTANCES,
	WAY_STACK,
	WAY_PASSED,
	WAY_CHOSEN,
	WAY_GLOBAL,
	WAY_STRUCTURE,
	WAYS
};

static struct function { /* the one that is written */
	unsigned number, ops, variables, base;
	enum way way;
	bool leaf, apart, nested; /* apart: each op has a jump of its own */
	const char *distance;     /* type of distances */
} f;

static unsigned some(void)
{
	return below(f.variables);
}

/* A jump to the op that the variables choose. */
static void jump(void)
{
	unsigned v = some();
	switch (f.way) {
	case WAY_TABLE:
	case WAY_STACK:
		emit("goto *table[v%u %% %u];", v, f.ops);
		break;
	case WAY_DISTANCES:
		emit("goto *(&&op%u + table[v%u %% %u]);", f.base, v, f.ops);
		break;
	case WAY_THREADED:
		emit("goto **ip++;");
		break;
	case WAY_THREADED_DISTANCES:
		emit("goto *(&&op%u + *ip++);", f.base);
		break;
	case WAY_PASSED:
		emit("goto *%s(table[v%u %% %u]);", f.leaf ? "" : "passed", v, f.ops);
		break;
	case WAY_CHOSEN:
		emit("{ void *to = v%u & 1 ? &&op0 : v%u & 2 ? &&op%u : &&op%u; if (v%u %% 3 == 0) to = &&op%u; goto "
		     "*to; }",
		    v, v, f.ops - 1, below(f.ops), some(), below(f.ops));
		break;
	case WAY_GLOBAL:
		emit("goto *exported%u[v%u %% %u];", f.number, v, f.ops);
		break;
	default:
		emit("goto *table[v%u %% %u].label;", v, f.ops);
	}
}

static void statement(void)
{
	unsigned a = some(), b = some(), c = some();
	switch (below(f.leaf ? 8 : 11)) {
	case 0:
		emit("v%u += v%u * %u + v%u;", a, b, 3 + 2 * below(9), c);
		break;
	case 1:
		emit("v%u ^= v%u >> %u;", a, b, 1 + below(15));
		break;
	case 2:
		emit("if (v%u > v%u) v%u -= %u; else v%u += v%u;", a, b, c, 1 + below(99), a, c);
		break;
	case 3:
		emit("for (unsigned i = v%u & 3; i > 0; i--) v%u = v%u * 5 + i;", a, b, b);
		break;
	case 4:
		emit("random_data[v%u %% 64] += v%u;", a, b);
		break;
	case 5:
		emit("switch (v%u & 7) { case 0: v%u++; break; case 1: v%u ^= 77; break; case 2: v%u += v%u; break; "
		     "case 3: "
		     "v%u -= 5; break; case 4: v%u *= 3; break; case 6: v%u = ~v%u; break; default: v%u += 9; }",
		    a, b, c, a, b, c, a, b, c, a);
		break;
	case 6:
		emit("if ((v%u & 63) == 9) return (intptr_t)(int32_t)(v%u ^ v%u);", a, b, c);
		break;
	case 7:
		emit("if ((v%u & 31) == %u) return pointers[v%u & 1]((intptr_t)(int32_t)v%u, (intptr_t)(int32_t)v%u);",
		    a, below(32), b, c, a);
		break;
	case 8:
		emit("v%u = (uint32_t)mix((intptr_t)(int32_t)v%u, (intptr_t)(int32_t)v%u);", a, b, c);
		break;
	case 9:
		emit("v%u += (uint32_t)pointers[v%u & 1]((intptr_t)(int32_t)v%u, 5);", a, b, c);
		break;
	default:
		emit("v%u += place[v%u & 7]; place[v%u & 7] = v%u;", a, b, c, b);
	}
}

static void labels(const char *of, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		unsigned op =
		    i < f.ops && (f.way != WAY_THREADED && f.way != WAY_THREADED_DISTANCES) ? i : below(f.ops);
		if (f.way == WAY_STRUCTURE)
			printf("{%u, &&op%u}, ", below(9), op);
		else if (f.way == WAY_DISTANCES || f.way == WAY_THREADED_DISTANCES)
			printf("&&op%u - &&op%u, ", op, f.base);
		else
			printf("&&%s%u, ", of, op);
	}
}

/* The tables of a function, in any section that they may be in. */
static void tables(void)
{
	static const char *const kinds[] = {"static void *const", "static void *", "static void *const volatile"};
	const char *kind = PICK(kinds);
	unsigned steps = 8 + below(24);
	switch (f.way) {
	case WAY_THREADED:
		printf("\t%s program[] = {", kind);
		labels("op", steps);
		printf("&&again};\n\tvoid *const *ip = (void *const *)program;\n");
		break;
	case WAY_THREADED_DISTANCES:
		printf("\tstatic const %s program[] = {", f.distance);
		labels("op", steps);
		printf("&&again - &&op%u};\n\tconst %s *ip = program;\n", f.base, f.distance);
		break;
	case WAY_DISTANCES:
		printf("\tstatic const %s table[] = {", f.distance);
		labels("op", f.ops);
		printf("};\n");
		break;
	case WAY_STACK:
		printf("\tvoid *%stable[] = {", chance(50) ? "volatile " : "");
		labels("op", f.ops);
		printf("};\n");
		break;
	case WAY_STRUCTURE:
		printf("\tstatic const struct { unsigned cost; void *label; } table[] = {");
		labels("op", f.ops);
		printf("};\n");
		break;
	case WAY_CHOSEN:
		break;
	default:
		printf("\t%s table[] = {", kind);
		labels("op", f.ops);
		printf("};\n");
		if (f.way == WAY_GLOBAL)
			emit("if (exported%u == 0) { exported%u = (void *const *)table; return 1; }", f.number,
			    f.number);
	}
}

static void body(void)
{
	if (f.nested)
		emit("__label__ out;");
	for (unsigned v = 0; v < f.variables; v++)
		emit("uint32_t v%u = (uint32_t)%s * %uu + %uu;", v, v % 2 == 0 ? "a" : "b", 2 * rnd() % 1000 + 1,
		    below(100));
	emit("unsigned fuel = %u;", 30 + below(60));
	if (!f.leaf)
		emit("volatile uint32_t place[8] = {%u, %u};", below(99), below(99));
	tables();
	if (f.nested)
		emit("intptr_t inner(uint32_t x) { if (x %% 7 == 3) goto out; return (intptr_t)x + fuel; }");
	jump();
	if (!f.apart) {
		puts("next:");
		emit("if (fuel-- == 0) goto end;");
		jump();
	}
	for (unsigned op = 0; op < f.ops; op++) {
		printf("op%u: __attribute__((unused));\n", op);
		for (unsigned i = 1 + below(3); i > 0; i--)
			statement();
		if (f.nested && op == 1)
			emit("v0 += (uint32_t)inner(v%u);", some());
		if (chance(15)) /* it may go back */
			emit("if (fuel-- == 0) goto end;"),
			    emit("__asm__ goto(\"bltz %%0, %%l1\" : : \"r\"((intptr_t)(int32_t)v%u) : : op%u);", some(),
				below(f.ops));
		if (op + 1 < f.ops && chance(20)) /* falls into the next one */
			continue;
		emit("if (fuel-- == 0) goto end;");
		if (f.apart)
			jump();
		else
			emit("goto next;");
	}
	if (f.way == WAY_THREADED || f.way == WAY_THREADED_DISTANCES) {
		puts("again:");
		emit("ip = program;");
		emit("if (fuel-- == 0) goto end;");
		jump();
	}
	if (f.nested) {
		puts("out:");
		emit("v0 += 1000;");
	}
	puts("end:;");
	emit("uint32_t all = fuel;");
	for (unsigned v = 0; v < f.variables; v++)
		emit("all = all * 31 + v%u;", v);
	emit("return (intptr_t)(int32_t)all;");
}

void gotos(void)
{
	static const char *const attributes[] = {
	    "", "", "__attribute__((cold)) ", "__attribute__((section(\".text.own\"))) "};
	static const char *const distances[] = {"int", "int", "int", "int", "intptr_t", "short"};
	unsigned count = 2 + below(4);
	puts("#include <stdint.h>\ntypedef intptr_t function(intptr_t, intptr_t);\nint32_t random_fuel;\n"
	     "uint32_t random_data[64];\n"
	     "static __attribute__((noinline)) intptr_t add(intptr_t a, intptr_t b) { return a + b; }\n"
	     "static __attribute__((noinline)) intptr_t mix(intptr_t a, intptr_t b)\n{\n\trandom_data[(unsigned)b % "
	     "64]++;\n"
	     "\treturn (intptr_t)(int32_t)((uint32_t)a * 33u ^ (uint32_t)b);\n}\n"
	     "static __attribute__((noinline, unused)) void *passed(void *to) { random_data[3]++; return to; }\n"
	     "static function *volatile pointers[2] = {add, mix};");
	for (unsigned i = 0; i < count; i++) {
		f = (struct function){.number = i, .ops = 2 + below(OPS), .variables = 2 + below(VARIABLES - 1)};
		f.base = chance(50) ? 0 : below(f.ops);
		f.way = (enum way)below(WAYS);
		f.leaf = chance(40);
		f.apart = chance(60);
		f.distance = PICK(distances);
		f.nested = !f.leaf && chance(10);
		if (f.way == WAY_GLOBAL)
			printf("static void *const *exported%u;\n", i);
		if (f.nested)
			puts("#ifndef __clang__");
		printf("static %s__attribute__((noinline)) intptr_t f%u(intptr_t a, intptr_t b)\n{\n", PICK(attributes),
		    i);
		body();
		puts("}");
		if (f.nested)
			printf("#else\n#define f%u mix\n#endif\n", i);
	}
	printf("function *const random_table[] = {");
	for (unsigned i = 0; i < count; i++)
		printf("f%u, ", i);
	puts("mix};\nconst uint32_t random_count = sizeof random_table / sizeof *random_table;");
}
