# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += $(addprefix model/trace/,trace.c decoder.c scope.c pair.c sample.c repeat.c fifo.c front.c)
LIB_SRCS += $(addprefix model/,model.c core.c execute.c csr.c pmp.c soc.c elf.c run.c run_config.c)
