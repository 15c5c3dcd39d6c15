/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* OTLP profiles as protobuf: the body of a request, or a file for the collector's file receiver. */
#include <stdlib.h>
#include "host/export/otlp_message.h"

int export_otlp(const struct export_input *input, FILE *out)
{
	struct otlp_message message;
	int error = otlp_message_make(&message, input);
	if (error == EXPORT_OK) {
		size_t size = protobuf_c_message_get_packed_size(&message.data.base);
		uint8_t *bytes = malloc(size + 1);
		if (bytes == NULL)
			error = EXPORT_ENOMEM;
		else if (fwrite(bytes, 1, protobuf_c_message_pack(&message.data.base, bytes), out) != size)
			error = EXPORT_EWRITE;
		free(bytes);
	}
	otlp_message_free(&message);
	return error;
}
