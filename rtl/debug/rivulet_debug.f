rtl/debug/rivulet_debug.v
rtl/debug/rivulet_debug_jtag.v
rtl/debug/rivulet_debug_bus.v
