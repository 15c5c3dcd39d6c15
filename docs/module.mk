# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# The picture of the README: what the two commands of it print. Simulated numbers are exact, so it can be made anew.
PICTURE := $(B)/picture
picture: $(RIVULET) $(B)/sw/json.elf ## the picture of the README, docs/images/report.svg, from the commands that it shows
	@mkdir -p $(PICTURE)
	@$(RIVULET) run --fast --quiet --set input=ref --set way=stream --profile $(PICTURE)/json.prof $(B)/sw/json.elf >/dev/null
	@scripts/picture docs/images/report.svg 'rivulet report --top 5 json.elf json.prof' \
		$(RIVULET) report --top 5 $(B)/sw/json.elf $(PICTURE)/json.prof
.PHONY: picture
