rtl/trace/rivulet_trace_arbiter.v
rtl/trace/rivulet_trace_queue.v
