/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* What a coverage report was made from: files with their sums, so that an auditor knows whether they are the same. */
#include <inttypes.h>
#include <stdio.h>
#include "host/base/crc.h"
#include "host/base/json.h"
#include "host/base/xml.h"
#include "host/cmd/coverage.h"
#include "version.h"

struct coverage_evidence coverage_evidence_of(const char *path)
{
	static uint8_t buffer[1 << 16];
	struct coverage_evidence evidence = {.file = path};
	FILE *file = path[0] == '-' && path[1] == '\0' ? NULL : fopen(path, "rb");
	size_t got;
	if (file == NULL)
		return evidence;
	while ((got = fread(buffer, 1, sizeof buffer, file)) > 0) {
		evidence.crc = base_crc32(evidence.crc, buffer, got);
		evidence.bytes += got;
	}
	evidence.known = ferror(file) == 0;
	fclose(file);
	return evidence;
}

void coverage_evidence_json(struct json *j, const struct coverage_evidence *evidence)
{
	json_text(j, "file", evidence->file);
	if (evidence->known) {
		json_number(j, "bytes", evidence->bytes);
		json_hex(j, "crc32", evidence->crc, 8);
	}
}

/* ", crc32 0x01234567", or nothing. */
void coverage_evidence_text(const struct coverage_evidence *evidence, FILE *out)
{
	if (evidence->known)
		fprintf(out, ", %s bytes, crc32 0x%08" PRIx32, with_commas(evidence->bytes), evidence->crc);
}

static void put_property(const char *name, const struct coverage_evidence *evidence, FILE *out)
{
	fprintf(out, "   <property name=\"%s\" value=\"", name);
	xml_text(out, evidence->file);
	coverage_evidence_text(evidence, out);
	fputs("\"/>\n", out);
}

void coverage_evidence_junit(const struct covered *c, FILE *out)
{
	fputs("  <properties>\n   <property name=\"tool\" value=\"rivulet " RIVULET_VERSION "\"/>\n", out);
	for (size_t i = 0; i < c->build_count; i++) {
		put_property("program", &c->builds[i].evidence, out);
		fprintf(out, "   <property name=\"build\" value=\"%s\"/>\n", c->builds[i].build);
		for (size_t k = c->builds[i].first; k < c->builds[i].end; k++)
			put_property("run", &c->runs[k].evidence, out);
	}
	for (size_t i = 0; i < c->mcdc.object_count; i++)
		put_property("decisions", &c->mcdc.evidence[i], out);
	fputs("  </properties>\n", out);
}
