rtl/trace/rivulet_trace_dense.v
rtl/trace/rivulet_trace_dense_legal.v
rtl/trace/rivulet_trace_dense_pack.v
rtl/trace/rivulet_trace_dense_uart.v
rtl/trace/rivulet_trace_dense_spi.v
rtl/trace/rivulet_trace_dense_bus.v
rtl/trace/rivulet_trace_dense_port.v
rtl/trace/rivulet_trace_queue.v
