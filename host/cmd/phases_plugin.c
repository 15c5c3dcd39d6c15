/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet phases --plugin: host/phases/plugin.h. */
#include "host/phases/plugin.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/cmd/phases.h"

struct calls {
	const struct phases_view *view;
	const struct rivulet_plugin *plugin;
	void *context;
	struct rivulet_block *blocks; /* [number of the file] */
	uint32_t known;
	size_t block_room;
	const struct rivulet_block **path;
	size_t path_room;
	bool begun;
	uint64_t stratum;
};

/* What the plug-in sees of the blocks that the file knows by now. Pointers of earlier steps are gone with it. */
static bool know_blocks(struct calls *c)
{
	const uint32_t count = phases_block_count(c->view->file);
	if (!array_room(&c->blocks, (size_t)count + 1, &c->block_room))
		return false;
	for (; c->known < count; c->known++) {
		const struct phases_block *b = phases_block(c->view->file, c->known);
		size_t available = 0;
		const uint8_t *code = image_code(c->view->image, b->address, &available);
		uint64_t start = 0;
		const char *function = image_function(c->view->image, b->address, &start);
		c->blocks[c->known] = (struct rivulet_block){.address = b->address,
		    .bytes = b->bytes,
		    .instructions = b->instructions,
		    .context = b->context,
		    .code = available >= b->bytes ? code : NULL,
		    .function = function,
		    .function_start = start};
	}
	return true;
}

static bool call_plugin(struct calls *c, const struct phases_step *step)
{
	const struct rivulet_plugin *p = c->plugin;
	if (step->lost) {
		if (p->gap != NULL)
			p->gap(c->context);
		return true;
	}
	if (!know_blocks(c) || !array_room(&c->path, (size_t)step->what.count, &c->path_room))
		return false;
	const uint64_t stratum = step->place.at[PHASES_STRATUM];
	if (p->stratum != NULL && (!c->begun || stratum != c->stratum))
		p->stratum(c->context, stratum);
	c->begun = true;
	c->stratum = stratum;
	for (uint32_t i = 0; i < step->what.count; i++)
		c->path[i] = &c->blocks[step->what.blocks[i]];
	const struct rivulet_path path = {.blocks = c->path,
	    .count = step->what.count,
	    .instructions = step->what.instructions,
	    .first = step->place.at[PHASES_INSTRUCTION]};
	if (p->path != NULL)
		p->path(c->context, &path, step->trips);
	for (uint32_t i = 0; p->block != NULL && i < step->what.count; i++)
		p->block(c->context, c->path[i], step->trips);
	return true;
}

static int run_plugin(struct calls *c)
{
	struct phases_step step;
	int more = phases_seek(c->view->file, PHASES_REPEATED, 0) == PHASES_OK;
	while (more == 1 && (more = phases_next(c->view->file, &step)) == 1)
		if (!call_plugin(c, &step))
			more = PHASES_ENOMEM;
	if (c->plugin->close != NULL)
		c->plugin->close(c->context);
	if (more < 0)
		complain("%s: %s", c->view->input, phases_strerror(more));
	free(c->blocks);
	free(c->path);
	return more < 0 ? STATUS_FAILED : STATUS_OK;
}

int phases_run_plugin(const struct phases_view *view, const char *argument)
{
	char path[4096];
	const char *comma = strchr(argument, ',');
	const size_t length = comma != NULL ? (size_t)(comma - argument) : strlen(argument);
	if (length == 0 || length > sizeof path - 3) {
		complain("--plugin %s: a file name is expected", argument);
		return STATUS_FAILED;
	}
	/* a name without a slash is one of the current folder, not of the system's libraries */
	snprintf(path, sizeof path, "%s%.*s", memchr(argument, '/', length) == NULL ? "./" : "", (int)length, argument);
	void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const struct rivulet_plugin *plugin = object == NULL ? NULL : dlsym(object, "rivulet_plugin");
	int status = STATUS_FAILED;
	if (plugin == NULL)
		complain("%s: is no plug-in: %s", path, dlerror());
	else if (plugin->version != RIVULET_PLUGIN_VERSION)
		complain("%s: was made for version %u of host/phases/plugin.h, and this is %u: compile it again", path,
		    plugin->version, RIVULET_PLUGIN_VERSION);
	else {
		struct calls calls = {.view = view, .plugin = plugin};
		const char *given = comma != NULL ? comma + 1 : "";
		calls.context = plugin->open == NULL ? &calls : plugin->open(given);
		if (calls.context == NULL)
			complain("%s: refused its options `%s'", path, given);
		else
			status = run_plugin(&calls);
	}
	if (object != NULL)
		dlclose(object);
	return status;
}
