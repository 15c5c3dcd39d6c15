# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# For gdb: steps through start() instruction by instruction. At each, every frame that is active must have the stack
# pointer and the callee-saved registers that it had when it called, by the unwind entries alone.
import gdb

SAVED = ["sp", "fp"] + ["s%d" % i for i in range(1, 12)]


def values(frame):
    return [int(frame.read_register(name)) for name in SAVED]


def step():
    gdb.execute("stepi", to_string=True)


gdb.execute("break *start", to_string=True)
gdb.execute("continue", to_string=True)
mask = (1 << 64) - 1
assembler = [int(gdb.parse_and_eval("(unsigned long)&%s" % name)) & mask for name in ("around",)]
calls = []  # return address, what the caller has when it goes on
steps = wrong = deepest = 0
shown = {}
while True:
    frame = gdb.newest_frame()
    pc = frame.pc() & mask
    while calls and pc == calls[-1][0] and int(frame.read_register("sp")) == calls[-1][1][0]:
        calls.pop()
    function = frame.function()
    if pc in assembler or (function is not None and pc == int(function.value().address) & mask):
        call = (int(frame.read_register("ra")) & mask, values(frame))
        if not calls or calls[-1] != call:
            calls.append(call)
    if not calls:
        break
    deepest = max(deepest, len(calls))
    older, bad = frame, None
    for back, expected in reversed(calls):
        try:
            older = older.older()
            while older is not None and older.type() == gdb.TAILCALL_FRAME:
                older = older.older()  # gdb's idea of what is no frame any more
            found = values(older) if older is not None else None
        except gdb.error as error:
            found = str(error)
        if found != expected or older.pc() & mask != back:
            bad = "frame %s: %s, not %s" % (older.name() if older is not None else "missing", found, expected)
            break
    steps += 1
    if bad is not None:
        wrong += 1
        shown.setdefault(pc, bad)
    step()
for pc in sorted(shown)[:10]:
    print("  0x%x in %s" % (pc, shown[pc]))
print("unwind: %d instructions, up to %d frames, %d wrong" % (steps, deepest, wrong))
