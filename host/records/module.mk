# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += host/records/block.c host/records/capture.c host/records/crc.c host/records/damage.c host/records/header.c host/records/identity.c host/records/profile.c \
	host/records/port.c host/records/reader.c host/records/scan.c host/records/writer.c
TESTS += check_records check_capture
