# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
"""Which code of an edited program is that of the unedited one, read from the map with none of the tools' code."""
import bisect
import struct
import subprocess
import tempfile


def unedited_code(program, with_counters=True):
    """Where the edited program has code of the unedited one, by the map (host/insert/map.h): runs of its counted
    blocks, or of those in functions without counters."""
    with tempfile.NamedTemporaryFile() as part:
        dump = "--dump-section", ".debug_rivulet=" + part.name
        subprocess.run(["riscv64-linux-gnu-objcopy", *dump, program, "/dev/null"], check=True)
        data = part.read()
    words = struct.unpack(f"<{len(data) // 4}I", data[: len(data) // 4 * 4])
    runs, at = [], 0

    def address(i):
        return words[i] | (words[i + 1] << 32 if wide == 2 else 0)

    while at + 2 <= len(words):
        if words[at] != 0x504D5652:
            at += 1
            continue
        end, wide = at + 2 + words[at + 1] // 4, words[at + 6] // 32
        functions, at = words[at + 10], at + 11
        at += 1 + (words[at] + 3) // 4  # the object's name
        for _ in range(functions):
            at += 1 + (words[at] + 3) // 4
            counted, at = bool(words[at] & 1), at + 4
            at += 1 + words[at]
            at += 1 + wide * words[at]
            blocks, at = words[at], at + 2
            for _ in range(blocks):
                edges, count = words[at + 2 * wide + 1], words[at + 2 * wide + 2]
                at += 2 * wide + 3 + 2 * edges
                if counted == with_counters:
                    runs += [(address(at + 2 * wide * r), address(at + wide * (2 * r + 1))) for r in range(count)]
                at += 2 * wide * count
        at = end
    return sorted(run for run in set(runs) if run[0] < run[1])


def within(runs, starts, address):
    i = bisect.bisect(starts, address) - 1
    return i >= 0 and address < runs[i][1]
