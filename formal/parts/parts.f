rtl/trace/rivulet_trace_repeat.v
rtl/trace/rivulet_trace_sample.v
rtl/trace/rivulet_retire_queue.v
