/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* JSON documents parsed, asked, written and parsed again; damaged ones refused. */
#include "app.h"

#include <string.h>

#include "documents.h"
#include "json.h"

struct plan {
	uint32_t seed;
	unsigned reports, readings; /* generated documents, and readings in each */
	unsigned fixed;             /* rounds over the fixed documents */
	unsigned cuts;              /* damaged copies of each report */
};
static const struct plan train = {11, 2, 16, 1, 2};
static const struct plan ref = {2718, 26, 56, 24, 6};

#define TEXT_SIZE 8192
static char text[TEXT_SIZE], canonical[TEXT_SIZE], again[TEXT_SIZE];
static uint8_t nodes[14000];

static int parse(const char *from, size_t size, struct json **root)
{
	struct json_arena arena = {nodes, sizeof nodes, 0};
	size_t at;
	return json_parse(&arena, from, size, root, &at);
}

/* Written text, when it is parsed and written again, gives the same text. */
static int check_round_trip(const char *what, const struct json *root)
{
	struct json *copy;
	size_t length = json_write(root, canonical, sizeof canonical);
	int failed = app_check(what, length <= sizeof canonical, true) +
		     app_check(what, (uint32_t)parse(canonical, length, &copy), JSON_OK);
	if (failed)
		return failed;
	size_t second = json_write(copy, again, sizeof again);
	return app_check(what, second, length) + app_check(what, memcmp(canonical, again, length) != 0, 0);
}

static bool text_is(const struct json *value, const char *expected)
{
	return value && value->kind == JSON_STRING && value->length == strlen(expected) &&
	       !memcmp(value->u.text, expected, value->length);
}
static bool number_is(const struct json *value, int64_t thousandths)
{
	return value && value->kind == JSON_NUMBER && value->u.thousandths == thousandths;
}

static int check_manifest(void)
{
	struct json *root;
	int failed =
	    app_check("manifest", (uint32_t)parse(document_manifest, strlen(document_manifest), &root), JSON_OK);
	if (failed)
		return failed;
	failed += app_check("version", text_is(json_find(root, "version"), "2.14.0"), true);
	failed += app_check("wave", text_is(json_find(root, "keywords.4"), "\xF0\x9F\x8C\x8A"), true);
	failed += app_check("umlaut", text_is(json_find(root, "keywords.3"), "h\xC3\xB6he"), true);
	failed += app_check("quotes", text_is(json_find(root, "maintainers.1.name"), "Bo \"Lock\" Keeper"), true);
	failed += app_check("backoff", number_is(json_find(root, "limits.backoff"), 150000), true);
	failed += app_check("drift", number_is(json_find(root, "limits.drift"), -125), true);
	failed += app_check(
	    "absent", json_find(root, "limits.retries.0") == NULL && json_find(root, "files.3") == NULL, true);
	return failed + check_round_trip("manifest again", root);
}

static int check_places(void)
{
	struct json *root;
	size_t size = strlen(document_places);
	int failed = app_check("places", (uint32_t)parse(document_places, size, &root), JSON_OK);
	if (failed)
		return failed;
	failed += app_check("corner", number_is(json_find(root, "features.0.geometry.coordinates.0.2.1"), 49011), true);
	failed += app_check("nested", text_is(json_find(root, "features.2.properties.tags.2.1.0"), "wooden"), true);
	failed += app_check("box", json_find(root, "bbox.3") != NULL, true);
	return failed + check_round_trip("places again", root);
}

/* Documents that no parser may accept. */
static int check_refused(void)
{
	static const char *const bad[] = {"", "{", "[1,]", "{\"a\" 1}", "{\"a\":1,}", "[01]", "[1.]", "[-]", "[1e]",
	    "\"open", "\"\\x\"", "\"\\ud800\"", "\"tab\there\"", "tru", "[1] 2", "{1:2}",
	    "[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]", "nul", "[\"a\" \"b\"]"};
	unsigned accepted = 0;
	struct json *root;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		accepted += parse(bad[i], strlen(bad[i]), &root) == JSON_OK;
	return app_check("bad documents accepted", accepted, 0);
}

static int check_report(const struct plan *plan, struct app_random *random)
{
	struct json *root;
	int64_t expected, sum = 0;
	size_t size = document_report(text, sizeof text, plan->readings, random, &expected);
	int failed = app_check("report", (uint32_t)parse(text, size, &root), JSON_OK);
	if (failed)
		return failed;
	const struct json *readings = json_find(root, "readings");
	if (!readings)
		return app_check("readings are there", 0, 1);
	unsigned invalid = 0;
	for (const struct json *reading = readings->u.first; reading; reading = reading->next) {
		const struct json *value = json_find(reading, "value");
		sum += value ? value->u.thousandths : 0;
		const struct json *valid = json_find(reading, "valid");
		invalid += valid && valid->kind == JSON_NULL;
	}
	failed += app_check("readings", readings->length, plan->readings);
	failed += app_check("sum of the readings", (uint32_t)sum, (uint32_t)expected);
	failed += app_check("invalid readings", invalid <= plan->readings, true);
	failed += check_round_trip("report again", root);
	/* Cut off anywhere before its last bracket, it is no document. */
	unsigned accepted = 0;
	for (unsigned i = 0; i < plan->cuts; i++)
		accepted += parse(text, app_random_below(random, (uint32_t)size - 2), &root) == JSON_OK;
	return failed + app_check("cut reports accepted", accepted, 0);
}

int app_main(int input)
{
	const struct plan *plan = input == APP_TRAIN ? &train : &ref;
	struct app_random random;
	int failed = check_refused();
	app_random_init(&random, plan->seed);
	for (unsigned i = 0; i < plan->fixed; i++)
		failed += check_manifest() + check_places();
	for (unsigned i = 0; i < plan->reports; i++)
		failed += check_report(plan, &random);
	return failed;
}
