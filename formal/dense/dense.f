rtl/trace/rivulet_trace_queue.v
rtl/trace/rivulet_trace_dense_pack.v
rtl/trace/rivulet_trace_dense.v
