/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Perfetto's own traces: the slices of `chrome', a packet for each beginning and end. A name is there once, in the
 * first packet that needs it, with a number, which all later ones have instead. A cycle is written as a microsecond.
 *
 *   track, track │ begin 1 (1 = "main") │ begin 2 (2 = "sort") │ end │ begin 2 │ end │ end
 */
#include <stdlib.h>
#include "host/export/export.h"
#include "host/export/perfetto.pb-c.h"
#include "host/export/stacks.h"

typedef Rivulet__Perfetto__TracePacket Packet;
typedef Rivulet__Perfetto__TrackEvent Event;
typedef Rivulet__Perfetto__TrackDescriptor Track;

enum { SEQUENCE = 1, PROCESS_TRACK = 1, THREAD_TRACK, STARTS_NAMES = 1, HAS_NAMES = 2 };
#define CYCLE UINT64_C(1000) /* nanoseconds */

struct perfetto_writer {
	const struct export_input *input;
	struct export_strings names; /* their numbers count from 1 */
	char (*texts)[SPOTS_NAME];   /* of spots without a symbol: names keeps where they are */
	FILE *out;
	int error;
};

struct stream_buffer {
	ProtobufCBuffer base;
	FILE *out;
};

static void take_bytes(ProtobufCBuffer *buffer, size_t size, const uint8_t *bytes)
{
	fwrite(bytes, 1, size, ((struct stream_buffer *)buffer)->out);
}

/* Traces one behind the other are one trace: so each packet goes out when it is known. */
static void put_packet(struct perfetto_writer *w, Packet *packet)
{
	struct stream_buffer buffer = {{take_bytes}, w->out};
	Rivulet__Perfetto__Trace trace;
	rivulet__perfetto__trace__init(&trace);
	trace.packet = &packet;
	trace.n_packet = 1;
	packet->trusted_packet_sequence_id = SEQUENCE;
	packet->has_trusted_packet_sequence_id = 1;
	packet->has_sequence_flags = packet->sequence_flags != 0;
	protobuf_c_message_pack_to_buffer(&trace.base, &buffer.base);
}

static void put_slice(void *context, bool opens, uint32_t spot, uint64_t at, uint32_t depth)
{
	struct perfetto_writer *w = context;
	Packet packet;
	Event event;
	Rivulet__Perfetto__InternedData data;
	Rivulet__Perfetto__EventName name, *name_list[1] = {&name};
	(void)depth;
	rivulet__perfetto__trace_packet__init(&packet);
	rivulet__perfetto__track_event__init(&event);
	packet.timestamp = at * CYCLE;
	event.track_uuid = THREAD_TRACK;
	packet.has_timestamp = event.has_type = event.has_track_uuid = 1;
	packet.track_event = &event;
	event.type = opens ? RIVULET__PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN
			   : RIVULET__PERFETTO__TRACK_EVENT__TYPE__TYPE_SLICE_END;
	if (opens) {
		const size_t known = w->names.count;
		const int64_t number = export_string(&w->names, spots_name(w->input->spots, spot, w->texts[spot]));
		if (number < 0) {
			w->error = EXPORT_ENOMEM;
			return;
		}
		event.name_iid = (uint64_t)number + 1;
		event.has_name_iid = 1;
		packet.sequence_flags = HAS_NAMES;
		if (w->names.count > known) {
			rivulet__perfetto__interned_data__init(&data);
			rivulet__perfetto__event_name__init(&name);
			name.iid = event.name_iid;
			name.has_iid = 1;
			name.name = w->names.all[number];
			data.event_names = name_list;
			data.n_event_names = 1;
			packet.interned_data = &data;
		}
	}
	put_packet(w, &packet);
}

/* The program, and the unit of time as the name of its thread. */
static void put_tracks(struct perfetto_writer *w, const char *name)
{
	char unit[128];
	Packet packets[2];
	Track tracks[2];
	Rivulet__Perfetto__ProcessDescriptor process;
	Rivulet__Perfetto__ThreadDescriptor thread;
	rivulet__perfetto__process_descriptor__init(&process);
	rivulet__perfetto__thread_descriptor__init(&thread);
	for (int i = 0; i < 2; i++) {
		rivulet__perfetto__trace_packet__init(&packets[i]);
		rivulet__perfetto__track_descriptor__init(&tracks[i]);
		tracks[i].uuid = i == 0 ? PROCESS_TRACK : THREAD_TRACK;
		tracks[i].has_uuid = 1;
		packets[i].track_descriptor = &tracks[i];
	}
	snprintf(unit, sizeof unit, "1 us is 1 %s, grain %llu", w->input->timed ? "cycle" : "instruction",
	    (unsigned long long)w->input->timeline->grain);
	process.pid = thread.pid = thread.tid = 1;
	process.has_pid = thread.has_pid = thread.has_tid = 1;
	process.process_name = (char *)(uintptr_t)name;
	thread.thread_name = unit;
	tracks[0].process = &process;
	tracks[1].thread = &thread;
	tracks[1].parent_uuid = PROCESS_TRACK;
	tracks[1].has_parent_uuid = 1;
	packets[0].sequence_flags = STARTS_NAMES;
	put_packet(w, &packets[0]);
	put_packet(w, &packets[1]);
}

int export_perfetto(const struct export_input *input, FILE *out)
{
	struct perfetto_writer w = {.input = input, .out = out};
	if (input->timeline == NULL)
		return EXPORT_EORDER;
	if (input->timeline->now > INT64_MAX / CYCLE)
		return EXPORT_EOVERFLOW;
	const char *name = export_text(&w.names, input->name == NULL ? "" : input->name);
	w.texts = calloc(input->spots->count + 1, sizeof *w.texts);
	int error = name == NULL || w.texts == NULL ? GATHER_ENOMEM : GATHER_OK;
	if (error == GATHER_OK) {
		put_tracks(&w, name);
		error = timeline_walk(
		    input->timeline, input->result->nodes, input->result->node_count, input->spots, put_slice, &w);
	}
	export_strings_free(&w.names);
	free(w.texts);
	if (error != GATHER_OK || w.error != EXPORT_OK)
		return EXPORT_ENOMEM;
	return ferror(out) ? EXPORT_EWRITE : EXPORT_OK;
}
