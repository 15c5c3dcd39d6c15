/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "documents.h"

#include <inttypes.h>
#include <stdio.h>

const char document_manifest[] =
    "{\n  \"name\": \"weir-monitor\",\n  \"version\": \"2.14.0\",\n  \"private\": true,\n"
    "  \"description\": \"Watches gauges along a river \\u2014 levels, flow and \\\"alarm\\\" states\",\n"
    "  \"keywords\": [\"river\", \"gauge\", \"flow\", \"h\\u00f6he\", \"\\ud83c\\udf0a\"],\n"
    "  \"engines\": {\"node\": \">=18.2\", \"npm\": \">=9\"},\n"
    "  \"scripts\": {\n    \"build\": \"tsc -p . && node tools/pack.js --out dist\",\n"
    "    \"test\": \"node --test test/*.test.js\",\n    \"lint\": \"eslint 'src/**/*.ts'\"\n  },\n"
    "  \"dependencies\": {\n    \"line-reader\": \"^4.1.2\",\n    \"modbus-frames\": \"~1.0.7\",\n    \"time-series\": "
    "\"3.x\"\n  },\n"
    "  \"limits\": {\"retries\": 5, \"backoff\": 1.5e2, \"drift\": -0.125, \"offset\": 0, \"window\": 86400},\n"
    "  \"files\": [\"dist/\", \"etc\\/gauges.json\", \"README.md\"],\n"
    "  \"maintainers\": [\n    {\"name\": \"Ada Quill\", \"mail\": \"ada@example.org\", \"active\": true},\n"
    "    {\"name\": \"Bo \\\"Lock\\\" Keeper\", \"mail\": null, \"active\": false}\n  ]\n}\n";

const char document_places[] =
    "{\"type\":\"FeatureCollection\",\"features\":["
    "{\"type\":\"Feature\",\"properties\":{\"name\":\"Upper lock\",\"gates\":2,\"lit\":true},"
    "\"geometry\":{\"type\":\"Polygon\",\"coordinates\":[[[8.412,49.013],[8.415,49.013],[8.415,49.011],[8.412,49.011],["
    "8.412,49.013]]]}},"
    "{\"type\":\"Feature\",\"properties\":{\"name\":\"Mill weir\",\"gates\":0,\"lit\":false},"
    "\"geometry\":{\"type\":\"LineString\",\"coordinates\":[[8.39,49.02],[8.393,49.021],[8.397,49.0215],[8.401,49.022]]"
    "}},"
    "{\"type\":\"Feature\",\"properties\":{\"name\":\"Gauge "
    "7\",\"gates\":null,\"lit\":true,\"tags\":[\"level\",\"flow\",[\"old\",[\"wooden\"]]]},"
    "\"geometry\":{\"type\":\"Point\",\"coordinates\":[8.3995,49.0175]}}],"
    "\"bbox\":[8.39,49.011,8.415,49.022]}";

size_t document_report(char *text, size_t size, unsigned readings, struct app_random *random, int64_t *sum)
{
	static const char *const sensors[] = {"level", "flow", "temp", "turbidity", "oxygen", "rain"};
	static const char *const notes[] = {
	    "", "ok", "ice near the intake", "reading \\\"held\\\"", "0\\u00b0C \\u2264 t", "line\\nbreak\\ttab"};
	unsigned station = app_random_below(random, 900) + 100;
	size_t at = (size_t)snprintf(text, size,
	    "{\"station\": \"ST-%u\", \"online\": %s, \"position\": [%d.%03u, -%u.5],\n \"readings\": [", station,
	    app_random_below(random, 2) ? "true" : "false", (int)app_random_below(random, 90),
	    (unsigned)app_random_below(random, 1000), (unsigned)app_random_below(random, 180));
	*sum = 0;
	for (unsigned i = 0; i < readings; i++) {
		int32_t value = (int32_t)app_random_below(random, 400000) - 100000;
		uint32_t magnitude = value < 0 ? 0 - (uint32_t)value : (uint32_t)value;
		*sum += value;
		at += (size_t)snprintf(text + at, size - at,
		    "%s\n  {\"t\": %u, \"sensor\": \"%s\", \"value\": %s%" PRIu32 ".%03" PRIu32 ", \"valid\": %s",
		    i ? "," : "", 1700000000u + 60 * i, sensors[app_random_below(random, 6)], value < 0 ? "-" : "",
		    magnitude / 1000, magnitude % 1000, app_random_below(random, 8) ? "true" : "null");
		const char *note = notes[app_random_below(random, 6)];
		at += (size_t)snprintf(text + at, size - at, *note ? ", \"note\": \"%s\"}" : "%s}", note);
	}
	return at + (size_t)snprintf(text + at, size - at, "\n ]}\n");
}
