rtl/core/rivulet_fetch.v
rtl/core/rivulet_expand.v
rtl/core/rivulet_decode.v
rtl/core/rivulet_shifter.v
rtl/core/rivulet_muldiv.v
rtl/core/rivulet_regfile.v
rtl/core/rivulet_csr.v
rtl/core/rivulet_core.v
