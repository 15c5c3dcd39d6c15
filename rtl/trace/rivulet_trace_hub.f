rtl/trace/rivulet_trace_hub.v
rtl/trace/rivulet_trace_arbiter.v
rtl/trace/rivulet_trace_queue.v
rtl/trace/rivulet_trace_table.v
rtl/trace/rivulet_trace_fifo.v
rtl/trace/rivulet_trace_sink.v
