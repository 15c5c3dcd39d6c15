# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += host/view/calls.c host/view/column.c host/view/functions.c host/view/code.c host/view/lines.c host/view/view.c host/view/page.c host/view/phases.c host/view/regions.c host/view/serve.c
LIBS_HOST += -lmicrohttpd -lpthread
TESTS += check_view
# The page is a part of the library if `make web` has made it, or makes it in this run; a package is never without it.
VIEW_PAGE := $(if $(filter web deb,$(MAKECMDGOALS)),$(B)/web/page.html,$(wildcard $(B)/web/page.html))
$(B)/host/host/view/page.o: $(VIEW_PAGE)
$(B)/host/host/view/page.o: CPPFLAGS_HOST += $(if $(VIEW_PAGE),-DVIEW_PAGE='"$(VIEW_PAGE)"')
