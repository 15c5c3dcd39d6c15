# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# What a user gets: packaging/install says which files.
PREFIX ?= /usr/local
install: $(RIVULET) ## install command, manual pages, RTL with its FuseSoC core file, headers and runtime below PREFIX (and DESTDIR)
	@DESTDIR='$(DESTDIR)' packaging/install $(RIVULET) '$(PREFIX)'
deb: $(RIVULET) ## Debian packages of the same, with the page (node and npm), in build/deb: rivulet, rivulet-rtl, rivulet-dev
	@packaging/deb $(B) $(RIVULET)
deb-tools: ## install lintian, which judges the packages
	@apt-get install -y --no-install-recommends dpkg-dev lintian
.PHONY: install deb deb-tools

# What is installed is enough: the RTL as the core file lists it, the runtime as firmware compiles it.
CHECKS += check-install
INSTALLED := $(B)/tests/installed
check-install: $(RIVULET) ## what make install installs works without the tree: command, page, RTL, core file, runtime
	@packaging/check $(RIVULET) $(INSTALLED)
.PHONY: check-install
