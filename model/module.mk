# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += model/model.c
LIB_SRCS += model/core.c
LIB_SRCS += model/execute.c
LIB_SRCS += model/csr.c
LIB_SRCS += model/pmp.c
LIB_SRCS += model/soc.c
LIB_SRCS += model/elf.c
LIB_SRCS += model/run.c
LIB_SRCS += model/settings.c
TESTS += check_model check_model_traps check_model_machine check_load
$(B)/host/tests/check_load.o: CPPFLAGS_HOST += -DSCRATCH='"$(B)/tests"'
