rtl/trace/rivulet_branch_decoder.v
rtl/trace/rivulet_trace_scope.v
rtl/trace/rivulet_trace_pair.v
rtl/trace/rivulet_trace_sample.v
rtl/trace/rivulet_trace_repeat.v
rtl/trace/rivulet_trace_fifo.v
rtl/trace/rivulet_trace.v
rtl/trace/rivulet_trace_wb.v
