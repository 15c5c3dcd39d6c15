# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
RTL_SIM := $(shell cat rtl/rivulet_sim.f)
VERILATOR_LINT = verilator --lint-only -Wall -Wno-DECLFILENAME -Wno-UNUSED -Wno-PINCONNECTEMPTY -Irtl/trace

# The trace unit alone without a waiver, as its users lint it
TRACE_LINT = verilator --lint-only -Wall -Irtl/trace --top-module rivulet_trace $(shell cat rtl/trace/rivulet_trace.f)

# The dense coder, likewise
DENSE_LINT = verilator --lint-only -Wall --top-module rivulet_trace_dense -f rtl/trace/rivulet_trace_dense.f

# The N-Trace encoder, likewise
NTRACE_LINT = verilator --lint-only -Wall -Irtl/ntrace --top-module rivulet_ntrace $(shell cat rtl/ntrace/rivulet_ntrace.f)

lint: ## C, Verilog and documents are formatted and name files that exist; Verilator and Icarus read all RTL without a warning
	@scripts/check-format
	@scripts/count-code --check
	@isa/make-ops isa/insns.def isa/ops.def | cmp -s - isa/ops.def || { echo "lint: isa/ops.def lacks an op of isa/insns.def: make isa-ops"; exit 1; }
	$(VERILATOR_LINT) --top-module rivulet_sim -f rtl/rivulet_sim.f
	$(TRACE_LINT)
	$(TRACE_LINT) $$(tb/trace/parameters tb/trace/configs.def port_all)
	$(TRACE_LINT) $$(tb/trace/parameters tb/trace/configs.def port_all64)
	$(DENSE_LINT)
	$(DENSE_LINT) -GXLEN=64 -GHIST=64 -GENTRIES=1024 -GPLACES=4096 -GREPEAT_BITS=16 -GQUEUE=1024 -GBUFFER=4096 -GCHECK_BITS=12 -GSTART_BITS=31
	$(DENSE_LINT) $$(tb/trace/parameters tb/dense/configs.def least)
	@for port in uart spi bus; do verilator --lint-only -Wall rtl/trace/rivulet_trace_dense_$$port.v || exit 1; done
	@for port in 1 2 3; do verilator --lint-only -Wall --top-module rivulet_trace_dense_port -f rtl/trace/rivulet_trace_dense.f -GPORT=$$port || exit 1; done
	$(VERILATOR_LINT) --top-module rivulet_soc -f rtl/soc/rivulet_soc.f -GTRACE_DENSE=1
	$(VERILATOR_LINT) --top-module rivulet_soc -f rtl/soc/rivulet_soc.f -GTRACE_DENSE=4
	verilator --lint-only -Wall --top-module rivulet_trace_dense_recorder -f rtl/trace/rivulet_trace_dense.f
	verilator --lint-only -Wall --top-module rivulet_trace_arbiter -f rtl/trace/rivulet_trace_arbiter.f
	verilator --lint-only -Wall --top-module rivulet_trace_arbiter -f rtl/trace/rivulet_trace_arbiter.f -GSOURCES=1
	verilator --lint-only -Wall --top-module rivulet_trace_arbiter -f rtl/trace/rivulet_trace_arbiter.f $$(tb/trace/parameters tb/arbiter/configs.def most)
	verilator --lint-only -Wall -Irtl/trace --top-module rivulet_trace_hub -f rtl/trace/rivulet_trace_hub.f
	verilator --lint-only -Wall -Irtl/trace --top-module rivulet_trace_hub -f rtl/trace/rivulet_trace_hub.f -GTABLE_ENTRIES=64 -GTIME_BITS=0
	$(VERILATOR_LINT) -Wno-VARHIDDEN --top-module rivulet_duo -f rtl/soc/rivulet_duo.f
	verilator --lint-only -Wall rtl/trace/rivulet_retire_queue.v
	verilator --lint-only -Wall rtl/trace/rivulet_retire_cross.v
	verilator --lint-only -Wall --top-module rivulet_debug -f rtl/debug/rivulet_debug.f
	$(NTRACE_LINT)
	$(NTRACE_LINT) $$(tb/trace/parameters tb/ntrace/configs.def all)
	$(NTRACE_LINT) $$(tb/trace/parameters tb/ntrace/configs.def all_xlen64)
	@for file in rtl/core/*.v; do verilator --lint-only -Wall -y rtl/core --top-module $$(basename $$file .v) $$file || exit 1; done
	verilator --lint-only -Wall -Irtl/trace --top-module rivulet_retire_check rtl/trace/rivulet_retire_check.v rtl/trace/rivulet_branch_decoder.v
	@out=$$(iverilog -g2005 -Wall -Wno-timescale -Irtl/trace -o /dev/null -s rivulet_sim $(RTL_SIM) 2>&1 | grep -v 'Unable to get version'); \
		if [ -n "$$out" ]; then echo "$$out"; exit 1; fi
	@out=$$(iverilog -g2005 -Wall -Wno-timescale -Irtl/trace -o /dev/null -s rivulet_duo $$(cat rtl/soc/rivulet_duo.f) 2>&1 | grep -v 'Unable to get version'); \
		if [ -n "$$out" ]; then echo "$$out"; exit 1; fi
	@out=$$(iverilog -g2005 -Wall -Wno-timescale -Irtl/ntrace -o /dev/null -s rivulet_ntrace $$(cat rtl/ntrace/rivulet_ntrace.f) 2>&1 | grep -v 'Unable to get version'); \
		if [ -n "$$out" ]; then echo "$$out"; exit 1; fi
	@out=$$(iverilog -g2005 -Wall -Wno-timescale -o /dev/null -s rivulet_trace_dense $$(cat rtl/trace/rivulet_trace_dense.f) 2>&1 | grep -v 'Unable to get version'); \
		if [ -n "$$out" ]; then echo "$$out"; exit 1; fi
.PHONY: lint

# Self-checking four-state benches: tests/rtl/NAME.v
RTL_BENCHES := $(basename $(notdir $(wildcard tests/rtl/*.v)))
RTL_BENCH_FILES := $(shell cat rtl/trace/rivulet_trace.f rtl/ntrace/rivulet_ntrace.f | awk '!seen[$$0]++')
$(B)/rtl/%.vvp: tests/rtl/%.v $(RTL_BENCH_FILES) rtl/trace/rivulet_regs.vh rtl/ntrace/rivulet_ntrace_kinds.vh
	@mkdir -p $(@D)
	iverilog -g2005 -Wall -Wno-timescale -Irtl/trace -Irtl/ntrace -o $@ -s $* $< $(RTL_BENCH_FILES)
check-rtl: $(RTL_BENCHES:%=$(B)/rtl/%.vvp) ## the four-state benches of tests/rtl: FIG. 7 of TSH value by value; triggers, debug mode, reset
	@for t in $^; do out=$$(vvp -n $$t) || exit 1; echo "$$out"; case "$$out" in *", 0 failed") ;; *) exit 1;; esac; done
check-parameters: ## parameters of the trace unit that are not legal stop Verilator, Icarus and Yosys with a sentence
	@tests/rtl/illegal
CHECKS += check-parameters
.PHONY: check-rtl check-parameters
