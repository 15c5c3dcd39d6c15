rtl/trace/rivulet_trace_fifo.v
rtl/trace/rivulet_trace_sink.v
