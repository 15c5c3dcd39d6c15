# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Blocks, exceptions through frames of C, fibers, catch, dispatch by name, strings, hashes, sorting, floats.
$done = 0
def same(got, want)
  $done += 1
  raise "check #{$done}: #{got.inspect} instead of #{want.inspect}" unless got == want
end

def counter
  n = 0
  ->(step = 1) { n += step }
end
a = counter
b = counter
same(a.call + a.call(2) + b.call, 5)

$falls = 0
def fall(depth)
  raise ArgumentError, depth.to_s if depth == 0
  [1].each { fall(depth - 1) }
ensure
  $falls += 1
end
100.times do |i|
  caught = begin
    fall(i % 20)
  rescue StandardError => e
    e
  end
  same(caught.class, ArgumentError)
end
same($falls, 1050)

fiber = Fiber.new { 50.times { |i| Fiber.yield(i * i) }; :end }
sum = 0
while (value = fiber.resume) != :end
  sum += value
end
same(sum, 40_425)
same(catch(:out) { 10.times { |i| 10.times { |j| throw(:out, i * j) if i * j == 42 } }; 0 }, 42)

class Shape
  include Comparable
  attr_reader :area
  def initialize(area)
    @area = area
  end
  def <=>(other)
    area <=> other.area
  end
  def method_missing(name, *rest)
    "#{name} #{rest.size}"
  end
end
shapes = (0...300).map { |i| Shape.new(i * 7919 % 311) }
sorted = shapes.sort
(1...300).each { |i| same(sorted[i - 1] < sorted[i], true) }
same(shapes.max.area, 310)
same(Shape.new(1).turned(1, 2), "turned 2")

words = {}
("the quick brown fox jumps over the lazy dog " * 20).split(" ").each { |w| words[w] = (words[w] || 0) + 1 }
same(words.sort_by { |w, n| [-n, w] }.first, ["the", 40])
same(words.keys.map(&:upcase).select { |w| w.include?("O") }.join(","), "BROWN,FOX,OVER,DOG")
same("%05.1f|%-4s|%x" % [3.14159, "ab", 255], "003.1|ab  |ff")
same((1..200).inject(:+).to_s.reverse, "00102")
same([3, [1, [2]]].flatten.sort, [1, 2, 3])

def sieve(n)
  composite = Array.new(n, false)
  (2...n).count do |i|
    next false if composite[i]
    j = i * i
    while j < n
      composite[j] = true
      j += i
    end
    true
  end
end
same(sieve(3000), 430)
x = 1.0
30.times { x = (x + 2.0 / x) / 2 }
same((x * 1e6).floor, 1_414_213)
same([1, :two, "three", nil, 4.0].map { |v| case v when Integer then 1 when Symbol then 2 when String then 3 when nil then 4 else 5 end }, [1, 2, 3, 4, 5])
puts "#{$done} checks"
