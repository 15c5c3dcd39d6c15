# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# A profile as of a table that was full: another number of dropped traces in its end frame.
# Usage: perl full.pl IN OUT DROPPED
use strict;
use warnings;
my ($in, $out, $dropped) = @ARGV;
sub crc { my $c = 0xFFFFFFFF; for (unpack 'C*', $_[0]) { $c ^= $_; $c = $c >> 1 ^ ($c & 1 ? 0xEDB88320 : 0) for 1 .. 8 } $c ^ 0xFFFFFFFF }
sub leb { my ($v, $s) = ($_[0], ''); do { my $b = $v & 127; $v >>= 7; $s .= chr($b | ($v ? 128 : 0)) } while $v; $s }
sub decode { my ($c, $s) = ($_[0], ''); while (length $c) { my $n = ord $c; $s .= substr($c, 1, $n - 1); $c = length $c > $n ? substr($c, $n) : ''; $s .= "\0" if $n < 255 && length $c } $s }
sub encode { my $s = ''; for (split /\0/, $_[0] . "\0x") { $s .= chr(1 + length) . $_ } substr $s, 0, -2 }
open my $f, '<:raw', $in or die; local $/; my $all = <$f>; open my $o, '>:raw', $out or die;
print $o "\0";
for (grep { length } split /\0/, $all) {
	my $content = decode($_);
	if (ord $content == 3) {
		my @bytes = unpack 'C*', substr $content, 2, -4; my @numbers;
		while (@bytes) { my ($v, $s) = (0, 0); while (1) { my $b = shift @bytes; $v |= ($b & 127) << $s; $s += 7; last if $b < 128 } push @numbers, $v }
		$numbers[2] = $dropped;
		$content = substr($content, 0, 2) . join '', map { leb($_) } @numbers;
		$content .= pack 'V', crc($content);
	}
	print $o encode($content), "\0";
}
