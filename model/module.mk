# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += $(addprefix model/,model.c core.c execute.c csr.c pmp.c soc.c elf.c run.c settings.c)
TESTS += check_model check_model_traps check_model_machine check_load
$(B)/host/tests/check_load.o: CPPFLAGS_HOST += -DSCRATCH='"$(B)/tests"'
