/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/encoder_words.h"

#include <stddef.h>
#include <string.h>
#include "host/cmd/cmd.h"
#include "host/import/frames.h"

const char encoder_words_help[] =
    "How the encoder was set, words between commas. N-Trace: htm or btm, implicit-return, sequential-jump, all-jumps, "
    "extend, sifive-counts, time-xor. E-Trace: full-address, implicit-return, return-stack=N, sequential-jump, "
    "predictor=N, "
    "jump-cache=N, trap-vector=ADDRESS, stamp-bytes=N, widths of fields. Both: source-bits=N, source=N, coresight=ID "
    "(CoreSight's frames), wrapped (a "
    "ring that was read "
    "from its middle), tick=N (cycles of a unit of its times), sync-halves=N, sync-packets=N, timestamps (export "
    "only). All words: docs/standards.md";
const char encoder_chips_help[] =
    "Settings of a chip's encoder: esp32-c6, esp32-h2, esp32-p4, esp32-c5, esp32-c61 (E-Trace), p550, spacemit "
    "(N-Trace). find: they are found in the bytes";

/* ---- words ---- */

enum kind {
	KIND_FLAG,
	KIND_CLEAR,
	KIND_NUMBER,
	KIND_WIDE,
	KIND_CHOICE /* number is the value */
};
struct word {
	const char *name;
	enum kind kind;
	uint64_t number; /* largest; of a choice: the value */
	size_t place;
	size_t flag; /* set along with it; 0: none */
};
#define TICK offsetof(struct encoder_setting, tick)
#define CORESIGHT "coresight", KIND_NUMBER, FRAMES_ID_MAX, offsetof(struct encoder_setting, trace_id), FRAMED
#define FRAMED offsetof(struct encoder_setting, framed)
#define N(member) offsetof(struct encoder_setting, ntrace.member)
#define E(member) offsetof(struct encoder_setting, etrace.member)

static const struct word ntrace_words[] = {{"htm", KIND_FLAG, 0, N(history), 0}, {"btm", KIND_CLEAR, 0, N(history), 0},
    {"sequential-jump", KIND_FLAG, 0, N(sequential_jump), 0}, {"all-jumps", KIND_FLAG, 0, N(all_jumps), 0},
    {"implicit-return", KIND_CHOICE, 32, N(implicit_return), 0}, {"extend", KIND_FLAG, 0, N(layout.extend), 0},
    {"sifive-counts", KIND_FLAG, 0, N(layout.sifive_counts), 0},
    {"source-bits", KIND_NUMBER, 12, N(layout.source_bits), 0}, {"source", KIND_NUMBER, 4095, N(source), 0},
    {"wrapped", KIND_FLAG, 0, N(wrapped), 0}, {"repeat-branch", KIND_FLAG, 0, N(repeat_branch), 0},
    {"repeat-history", KIND_FLAG, 0, N(repeated_history), 0}, {"time-xor", KIND_FLAG, 0, N(layout.time_xor), 0},
    {"timestamps", KIND_FLAG, 0, N(timestamps), 0}, {"time-bits", KIND_NUMBER, 64, N(layout.time_bits), 0},
    {"address-bits", KIND_NUMBER, 64, N(layout.address_bits), 0}, {"return-stack", KIND_NUMBER, 10, N(stack), 0},
    {CORESIGHT}, {"tick", KIND_WIDE, UINT32_MAX, TICK, 0}, {"sync-halves", KIND_NUMBER, UINT32_MAX, N(sync_halves), 0},
    {NULL, KIND_FLAG, 0, 0, 0}};

static const struct word etrace_words[] = {{"full-address", KIND_FLAG, 0, E(full_address), 0},
    {"difference", KIND_CLEAR, 0, E(full_address), 0}, {"implicit-return", KIND_FLAG, 0, E(implicit_return), 0},
    {"sequential-jump", KIND_FLAG, 0, E(sequential_jump), 0}, {"return-stack", KIND_NUMBER, 8, E(layout.stack), 0},
    {"call-counter", KIND_NUMBER, 8, E(layout.counter), 0},
    {"predictor", KIND_NUMBER, ETRACE_TABLE_BITS, E(layout.predictor), E(predictor)},
    {"jump-cache", KIND_NUMBER, ETRACE_TABLE_BITS, E(layout.cache), E(cache)},
    {"predictor-off", KIND_CLEAR, 0, E(predictor), 0}, {"jump-cache-off", KIND_CLEAR, 0, E(cache), 0},
    {"trap-vector", KIND_WIDE, UINT64_MAX, E(vector), E(implicit_exception)},
    {"address-bits", KIND_NUMBER, 64, E(layout.address), 0}, {"address-shift", KIND_NUMBER, 2, E(layout.shift), 0},
    {"privilege-bits", KIND_NUMBER, 4, E(layout.privilege), 0}, {"cause-bits", KIND_NUMBER, 16, E(layout.cause), 0},
    {"context-bits", KIND_NUMBER, 32, E(layout.context), 0}, {"time-bits", KIND_NUMBER, 64, E(layout.time), 0},
    {"subformat-bits", KIND_NUMBER, 4, E(layout.selector), 0}, {"mode-bits", KIND_NUMBER, 8, E(layout.mode), 0},
    {"encapsulated", KIND_CHOICE, ETRACE_ENCAPSULATED, E(layout.transport), 0},
    {"indexed", KIND_CHOICE, ETRACE_INDEXED, E(layout.transport), 0},
    {"records", KIND_CHOICE, ETRACE_RECORDS, E(layout.transport), 0},
    {"stamp-bytes", KIND_NUMBER, 8, E(layout.time_bytes), 0}, {"type-bits", KIND_NUMBER, 2, E(layout.type_bits), 0},
    {"source-bits", KIND_NUMBER, 16, E(layout.source_bits), 0}, {"source", KIND_NUMBER, 65535, E(source), 0},
    {"wrapped", KIND_FLAG, 0, E(wrapped), 0}, {"sync-packets", KIND_NUMBER, UINT32_MAX, E(sync_packets), 0},
    {CORESIGHT}, {"tick", KIND_WIDE, UINT32_MAX, TICK, 0}, {NULL, KIND_FLAG, 0, 0, 0}};

static bool set_word(struct encoder_setting *setting, const struct word *word, const char *value)
{
	char *place = (char *)setting + word->place;
	uint64_t number = word->number;
	bool valued = word->kind == KIND_NUMBER || word->kind == KIND_WIDE;
	if (valued != (value != NULL) || (valued && !parse_number(value, word->number, &number)))
		return false;
	if (word->kind == KIND_FLAG || word->kind == KIND_CLEAR)
		*(bool *)place = word->kind == KIND_FLAG;
	else if (word->kind == KIND_WIDE)
		*(uint64_t *)place = number;
	else
		*(unsigned *)place = (unsigned)number;
	if (word->flag != 0)
		*(bool *)((char *)setting + word->flag) = true;
	if (word->place == N(history))
		setting->ntrace.find_mode = false;
	return true;
}

const char *encoder_words(struct encoder_setting *setting, char *list)
{
	const struct word *words = setting->form == IMPORT_ETRACE ? etrace_words : ntrace_words;
	char *rest = NULL;
	for (char *text = strtok_r(list, ",", &rest); text != NULL; text = strtok_r(NULL, ",", &rest)) {
		const struct word *word = words;
		size_t length = strcspn(text, "=");
		while (word->name != NULL && (strlen(word->name) != length || strncmp(word->name, text, length) != 0))
			word++;
		const char *value = text[length] == '=' ? text + length + 1 : NULL;
		if (word->name == NULL || !set_word(setting, word, value))
			return text;
	}
	return NULL;
}

/* ---- chips ---- */

static const struct chip {
	const char *name;
	enum import_form form;
	enum etrace_form layout;
	const char *words;
} chips[] = {
    {"esp32-c6", IMPORT_ETRACE, ETRACE_FIRST,
	"indexed,address-bits=32,privilege-bits=1,cause-bits=5,mode-bits=0,full-address"},
    {"esp32-h2", IMPORT_ETRACE, ETRACE_FIRST,
	"indexed,address-bits=32,privilege-bits=1,cause-bits=5,mode-bits=0,full-address"},
    {"esp32-p4", IMPORT_ETRACE, ETRACE_ALIGNED,
	"indexed,address-bits=32,privilege-bits=1,cause-bits=6,mode-bits=1,full-address"},
    {"esp32-c5", IMPORT_ETRACE, ETRACE_ALIGNED,
	"indexed,address-bits=32,privilege-bits=1,cause-bits=6,mode-bits=1,full-address"},
    {"esp32-c61", IMPORT_ETRACE, ETRACE_ALIGNED,
	"indexed,address-bits=32,privilege-bits=1,cause-bits=6,mode-bits=1,full-address"},
    {"p550", IMPORT_NTRACE, ETRACE_RATIFIED,
	"htm,implicit-return,return-stack=10,source-bits=2,address-bits=48,time-bits=40,sifive-counts,time-xor"},
    {"spacemit", IMPORT_NTRACE, ETRACE_RATIFIED, "implicit-return,extend,coresight=0"},
};

void encoder_defaults(struct encoder_setting *setting, enum import_form form)
{
	*setting =
	    (struct encoder_setting){.form = form, .ntrace.find_mode = true, .etrace = {.layout = etrace_defaults(0)}};
}

bool encoder_chip(struct encoder_setting *setting, const char *name)
{
	char words[128];
	for (size_t i = 0; i < sizeof chips / sizeof *chips; i++) {
		if (strcmp(chips[i].name, name) != 0)
			continue;
		encoder_defaults(setting, chips[i].form);
		setting->etrace.layout.form = chips[i].layout;
		strcpy(words, chips[i].words);
		return encoder_words(setting, words) == NULL;
	}
	return false;
}

bool encoder_form(const char *name, enum import_form *form)
{
	static const enum import_form forms[] = {IMPORT_NTRACE, IMPORT_ETRACE};
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		if (strcmp(name, import_form_name(forms[i])) == 0) {
			*form = forms[i];
			return true;
		}
	}
	return false;
}

const char *encoder_check(const struct encoder_setting *setting)
{
	const struct etrace_options *e = &setting->etrace;
	const struct ntrace_options *n = &setting->ntrace;
	if (setting->form == IMPORT_NTRACE && n->layout.address_bits == 1)
		return "address-bits is the width of addresses";
	if (setting->form == IMPORT_NTRACE)
		return n->source >> n->layout.source_bits == 0 ? NULL : "source is more than source-bits have";
	if (e->source >> e->layout.source_bits != 0)
		return "source is more than source-bits have";
	if (e->implicit_return && e->layout.stack == 0 && e->layout.counter == 0)
		return "implicit-return needs return-stack=N or call-counter=N (2 to the N entries)";
	if ((e->predictor && e->layout.predictor == 0) || (e->cache && e->layout.cache == 0))
		return "predictor and jump-cache have at least 2 entries (=1)";
	if (e->layout.address == 1 || e->layout.shift == 0)
		return "address-bits and address-shift are widths of addresses";
	return NULL;
}
