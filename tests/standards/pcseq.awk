# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# PCINFO, then pcs in order: NexRv's PCSEQ. A branch that goes on behind itself is not taken.
BEGIN { FS = "," }
NR == FNR { type[$1] = $2; behind[before] = $1; before = $1; next }
last != "" { say(last, $1) }
{ last = $1 }
END { say(last, behind[last]) }
function say(at, next_at,  t) {
	t = type[at]
	if (t ~ /^B/ && behind[at] == next_at) t = "BN" substr(t, 2)
	print at "," t
}
