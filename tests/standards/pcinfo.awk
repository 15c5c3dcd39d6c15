# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# objdump -d -M no-aliases: a line of NexRv's PCINFO for each instruction
BEGIN { FS = "\t" }
$1 !~ /^ *[0-9a-f]+:$/ { next }
{
	at = $1; sub(/^ */, "", at); sub(":", "", at)
	word = $2; gsub(/ /, "", word); size = length(word) / 2
	op = $3; split($4, a, "[,() ]+"); type = "L"; dest = ""
	if (op ~ /^(beq|bne|blt|bge|bltu|bgeu)$/) { type = "B"; dest = a[3] }
	else if (op ~ /^c\.(beqz|bnez)$/) { type = "B"; dest = a[2] }
	else if (op == "jal") { type = link(a[1]) ? "C" : "J"; dest = a[2] }
	else if (op == "c.j") { type = "J"; dest = a[1] }
	else if (op == "c.jal") { type = "C"; dest = a[1] }
	else if (op == "c.jr") type = link(a[1]) ? "R" : "JI"
	else if (op == "c.jalr") type = "CI"
	else if (op == "jalr") type = link(a[1]) ? "CI" : link(a[3]) ? "R" : "JI"
	else if (op ~ /^[msdu]ret$/) type = "JI"
	printf "0x%s,%s%d%s\n", toupper(at), type, size, dest == "" ? "" : ",0x" dest
}
function link(name) { return name == "ra" || name == "t0" }
