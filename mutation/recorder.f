rtl/trace/rivulet_trace_dense.v
rtl/trace/rivulet_trace_dense_legal.v
rtl/trace/rivulet_trace_dense_pack.v
rtl/trace/rivulet_trace_dense_recorder.v
rtl/trace/rivulet_trace_queue.v
