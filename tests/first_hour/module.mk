# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
CHECKS += check-first-hour
check-first-hour: $(RIVULET) ## the first hour of a new user in a terminal of 80 columns: every screen is the one that was read and kept
	@tests/first_hour/run $(B)
.PHONY: check-first-hour
