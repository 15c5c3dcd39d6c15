# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Memory protection and the kernel.
TESTS += check_model_pmp
