# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
CHECKS += check-recording
check-recording: $(B)/bin/rivulet $(RECORDING_PROGRAMS) ## records of programs made against recording: --fast, with --profile and without, and the golden model
	@tests/recording/run $(B)
.PHONY: check-recording
