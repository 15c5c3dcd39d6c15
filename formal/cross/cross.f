rtl/trace/rivulet_retire_cross.v
