rtl/trace/rivulet_trace_table.v
