# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += host/view/calls.c
LIB_SRCS += host/view/cells.c
LIB_SRCS += host/view/column.c
LIB_SRCS += host/view/delta.c
LIB_SRCS += host/view/functions.c
LIB_SRCS += host/view/code.c
LIB_SRCS += host/view/lines.c
LIB_SRCS += host/view/view.c
LIB_SRCS += host/view/levels.c
LIB_SRCS += host/view/pack.c
LIB_SRCS += host/view/page.c
LIB_SRCS += host/view/phases.c
LIB_SRCS += host/view/regions.c
LIB_SRCS += host/view/serve.c
LIBS_HOST += -lpthread
# Loaded by --serve (host/base/late.h).
$(B)/host/host/view/serve.o $(B)/fuzz/obj/host/view/serve.o: CPPFLAGS_HOST += -DMICROHTTPD_LIBRARY='"$(call library_name,microhttpd)"'
TESTS += check_view
TESTS += check_view_levels
# The page is a part of the library if `make web` has made it, or makes it in this run; a package is never without it.
VIEW_PAGE := $(if $(filter web deb,$(MAKECMDGOALS)),$(B)/web/page.html,$(wildcard $(B)/web/page.html))
$(B)/host/host/view/page.o: $(VIEW_PAGE)
$(B)/host/host/view/page.o: CPPFLAGS_HOST += $(if $(VIEW_PAGE),-DVIEW_PAGE='"$(VIEW_PAGE)"')
