# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
$(B)/tests/push_server: tests/push/server.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_HOST) $(CFLAGS_HOST) $< -o $@ -lmicrohttpd -lpthread
CHECKS += check-push
check-push: $(RIVULET) $(B)/tests/push_server $(B)/sw/queens.elf $(B)/sw/hello.elf ## rivulet push against a store that fails, hangs, cuts and refuses
	@tests/push/run $(B) $(B)/tests/push
check-push-clickhouse: $(RIVULET) $(B)/sw/queens.elf ## rivulet push to a ClickHouse of the test (Debian: clickhouse-server, clickhouse-client), not part of check
	@tests/push/clickhouse $(B) $(B)/tests/push-clickhouse
.PHONY: check-push check-push-clickhouse
