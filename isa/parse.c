/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* ISA strings: "rv32imc", "rv64i2p1_m2p0_a2p1_zicsr2p0". */
#include "isa/isa.h"

static const struct {
	const char *name;
	unsigned set;
} extensions[] = {{"i", ISA_EXT_I}, {"e", ISA_EXT_I}, {"m", ISA_EXT_M}, {"zmmul", ISA_EXT_M}, {"a", ISA_EXT_A},
    {"f", ISA_EXT_F}, {"d", ISA_EXT_F | ISA_EXT_D}, {"g", ISA_EXT_M | ISA_EXT_A | ISA_EXT_F | ISA_EXT_D},
    {"c", ISA_EXT_C}, {"zca", ISA_EXT_C}, {"zcf", ISA_EXT_C}, {"zcd", ISA_EXT_C}, {"zaamo", ISA_EXT_A},
    {"zalrsc", ISA_EXT_A}, {"b", ISA_EXT_ZBA | ISA_EXT_ZBB | ISA_EXT_ZBS}, {"zba", ISA_EXT_ZBA}, {"zbb", ISA_EXT_ZBB},
    {"zbs", ISA_EXT_ZBS}, {"zbkb", ISA_EXT_ZBKB}, {"zicond", ISA_EXT_ZICOND}, {"zcb", ISA_EXT_C | ISA_EXT_ZCB},
    {"zcmp", ISA_EXT_C | ISA_EXT_ZCMP}, {"zcmt", ISA_EXT_C | ISA_EXT_ZCMT},
    {"zce", ISA_EXT_C | ISA_EXT_ZCB | ISA_EXT_ZCMP | ISA_EXT_ZCMT}, {"s", ISA_EXT_S}, {"zicsr", 0}, {"zifencei", 0}};

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}
static bool letter(char c)
{
	return c >= 'a' && c <= 'z';
}

/* Where a version ("2p1", "2") that starts at s ends. */
static const char *behind_version(const char *s)
{
	while (digit(*s))
		s++;
	if (*s == 'p' && digit(s[1]))
		for (s++; digit(*s);)
			s++;
	return s;
}

static bool same(const char *name, const char *from, const char *to)
{
	for (; from < to && *name == *from; from++)
		name++;
	return from == to && *name == '\0';
}

static unsigned extension(const char *from, const char *to)
{
	for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)
		if (same(extensions[i].name, from, to))
			return extensions[i].set;
	return ISA_EXT_OTHER;
}

/* A name of several letters is up to the next '_', without the version at its end. */
static const char *behind_name(const char *s)
{
	while (letter(*s) || digit(*s))
		s++;
	return s;
}

static const char *without_version(const char *from, const char *to)
{
	const char *end = to;
	while (end > from && digit(end[-1]))
		end--;
	if (end < to && end > from + 1 && end[-1] == 'p' && digit(end[-2]))
		for (end--; end > from && digit(end[-1]);)
			end--;
	return end;
}

int isa_parse(const char *arch, unsigned *set)
{
	unsigned got;
	if (arch[0] != 'r' || arch[1] != 'v')
		return ISA_EARCH;
	if (arch[2] == '3' && arch[3] == '2')
		got = 0;
	else if (arch[2] == '6' && arch[3] == '4')
		got = ISA_RV64;
	else
		return ISA_EARCH;
	const char *s = arch + 4;
	if (*s != 'i' && *s != 'e' && *s != 'g')
		return ISA_EARCH;
	got |= ISA_EXT_I;
	while (*s) {
		const char *name = s, *end;
		if (*s == '_') {
			s++;
			continue;
		}
		if (!letter(*s))
			return ISA_EARCH;
		/* single letters stand one behind the other; z, s and x start longer names */
		if (*s == 'z' || *s == 'x' || (*s == 's' && letter(s[1]))) {
			s = behind_name(s);
			end = without_version(name, s);
		} else {
			end = s + 1;
			s = behind_version(end);
		}
		got |= extension(name, end);
	}
	*set = got;
	return ISA_OK;
}
