# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
check-sweep-slurm: $(RIVULET) $(B)/sw/queens.elf ## rivulet sweep --slurm with a controller and a node of the test (Debian: slurm-wlm, munge; as root), not part of check
	@tests/sweep/slurm $(B) $(B)/tests/sweep
.PHONY: check-sweep-slurm
