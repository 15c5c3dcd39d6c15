/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include <stdlib.h>
#include <string.h>
#include "kernels.h"

#define WORD_MAX 20

enum state {
	START,
	SIGN,
	ZERO, /* a leading 0: "0x" may follow */
	DIGITS,
	HEX_MARK, /* after "0x", no digit yet */
	HEX,
	POINT, /* after the point, no digit yet */
	FRACTION,
	EXPONENT, /* after "e", no digit yet */
	EXPONENT_SIGN,
	POWER,
	NAME,
	INVALID
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex_digit(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static enum state next_state(enum state state, char c)
{
	switch (state) {
	case START:
		if (c == '+' || c == '-')
			return SIGN;
		if (is_letter(c))
			return NAME;
		/* fall through */
	case SIGN:
		return c == '0' ? ZERO : is_digit(c) ? DIGITS : c == '.' ? POINT : INVALID;
	case ZERO:
		if (c == 'x' || c == 'X')
			return HEX_MARK;
		/* fall through */
	case DIGITS:
		return is_digit(c) ? DIGITS : c == '.' ? POINT : c == 'e' || c == 'E' ? EXPONENT : INVALID;
	case HEX_MARK:
	case HEX:
		return is_hex_digit(c) ? HEX : INVALID;
	case POINT:
		return is_digit(c) ? FRACTION : INVALID;
	case FRACTION:
		return is_digit(c) ? FRACTION : c == 'e' || c == 'E' ? EXPONENT : INVALID;
	case EXPONENT:
		if (c == '+' || c == '-')
			return EXPONENT_SIGN;
		/* fall through */
	case EXPONENT_SIGN:
	case POWER:
		return is_digit(c) ? POWER : INVALID;
	case NAME:
		return is_letter(c) || is_digit(c) ? NAME : INVALID;
	case INVALID:
		break;
	}
	return INVALID;
}

static enum token token_of(enum state state)
{
	switch (state) {
	case ZERO:
	case DIGITS:
		return TOKEN_INTEGER;
	case HEX:
		return TOKEN_HEX;
	case FRACTION:
		return TOKEN_FRACTION;
	case POWER:
		return TOKEN_SCIENTIFIC;
	case NAME:
		return TOKEN_NAME;
	default:
		return TOKEN_INVALID;
	}
}

void scan(const char *text, uint32_t count[TOKENS])
{
	enum state state = START;
	for (;; text++) {
		if (*text != ',' && *text != '\0') {
			state = next_state(state, *text);
			continue;
		}
		count[token_of(state)]++;
		state = START;
		if (*text == '\0')
			return;
	}
}

static char *put_digits(char *to, const char *set, unsigned count, struct app_random *random)
{
	unsigned base = (unsigned)strlen(set);
	while (count-- > 0)
		*to++ = set[app_random_below(random, base)];
	return to;
}

static char *put_sign(char *to, struct app_random *random)
{
	uint32_t sign = app_random_below(random, 4);
	if (sign < 2)
		*to++ = sign == 0 ? '-' : '+';
	return to;
}

/* A word that is of this kind by construction, and not longer than WORD_MAX. */
static char *put_word(char *to, enum token token, struct app_random *random)
{
	static const char decimal[] = "0123456789", hex[] = "0123456789abcdefABCDEF", letters[] = "abcxyzABCXYZ_";
	/* Each goes wrong in another state. */
	static const char *const wrong[] = {
	    "", "-", "0x", "12a", "0xfg", "1.", "1.2.3", "3e", "4e+", "5e6e", "na-me", "+-1", "#", ".e1"};
	unsigned digits = 1 + app_random_below(random, 6);
	switch (token) {
	case TOKEN_INTEGER:
		return put_digits(put_sign(to, random), decimal, digits, random);
	case TOKEN_HEX:
		return put_digits(stpcpy(to, "0x"), hex, digits, random);
	case TOKEN_FRACTION:
	case TOKEN_SCIENTIFIC:
		to = put_digits(put_sign(to, random), decimal, app_random_below(random, 4), random);
		*to++ = '.';
		to = put_digits(to, decimal, digits, random);
		if (token == TOKEN_FRACTION)
			return to;
		*to++ = app_random(random) & 1 ? 'e' : 'E';
		return put_digits(put_sign(to, random), decimal, 1 + app_random_below(random, 2), random);
	case TOKEN_NAME:
		to = put_digits(to, letters, digits, random);
		return put_digits(to, decimal, app_random_below(random, 3), random);
	default:
		return stpcpy(to, wrong[app_random_below(random, sizeof wrong / sizeof wrong[0])]);
	}
}

int check_scanner(unsigned words, struct app_random *random)
{
	char *text = malloc(words * (WORD_MAX + 1) + 1), *to = text;
	if (text == NULL)
		return app_check("memory for a text", 0, words);
	uint32_t made[TOKENS] = {0}, found[TOKENS] = {0};
	for (unsigned i = 0; i < words; i++) {
		/* Integers are the most frequent. */
		enum token token = (enum token)app_random_below(random, TOKENS + 3);
		if (token >= TOKENS)
			token = TOKEN_INTEGER;
		if (i > 0)
			*to++ = ',';
		to = put_word(to, token, random);
		made[token]++;
	}
	*to = '\0';
	scan(text, found);
	free(text);
	static const char *const names[] = {"integers", "hexadecimal", "fractions", "scientific", "names", "invalid"};
	int failed = 0;
	for (unsigned token = 0; token < TOKENS; token++)
		failed += app_check(names[token], found[token], made[token]);
	return failed;
}
