# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += host/image/image.c
LIB_SRCS += host/image/build.c
LIB_SRCS += host/image/hosted.c
LIB_SRCS += host/image/symbols.c
LIB_SRCS += host/image/variables.c
LIB_SRCS += host/image/debug.c
LIB_SRCS += host/image/source.c
LIB_SRCS += host/image/machine.c
LIB_SRCS += host/image/labels.c
LIB_SRCS += host/image/variables.c
TESTS += check_image
$(B)/host/tests/check_image.o: CPPFLAGS_HOST += -DFIXTURE='"$(FIXTURE)"'
$(B)/tests/check_image: | $(FIXTURE)
