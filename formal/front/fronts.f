rtl/trace/rivulet_trace_wb.v
rtl/trace/rivulet_trace_apb.v
rtl/trace/rivulet_trace_axi.v
