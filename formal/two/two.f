rtl/trace/rivulet_trace_slots.v
