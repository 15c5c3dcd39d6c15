-- SPDX-License-Identifier: Apache-2.0
-- Copyright 2026 The Rivulet authors
-- work: calls, tables, strings, sorting, closures, metatables
local scale = tonumber(arg and arg[1]) or 1
local function fib(n) if n < 2 then return n end return fib(n-1) + fib(n-2) end
local x = fib(20)
local t = {}
local seed = 42
local function rnd() seed = (seed * 1103515245 + 12345) % 2147483648; return seed end
for i = 1, 4000*scale do t[i] = rnd() end
table.sort(t)
local words = {}
for w in ("the quick brown fox jumps over the lazy dog again and again"):gmatch("%a+") do words[#words+1] = w end
local count = {}
for i = 1, 3000*scale do local w = words[i % #words + 1] .. (i % 17); count[w] = (count[w] or 0) + 1 end
local s = {}
for i = 1, 500*scale do s[#s+1] = string.format("%d:%s", i, words[i % #words + 1]) end
local all = table.concat(s, ","):gsub("o", "0"):upper()
local V = {}
V.__index = V
V.__add = function(a, b) return setmetatable({x = a.x + b.x, y = a.y + b.y}, V) end
local v = setmetatable({x = 0, y = 0}, V)
for i = 1, 3000*scale do v = v + setmetatable({x = i, y = -i}, V) end
local m = 0.0
for i = 1, 100 do for j = 1, 30*scale do m = m + (i * j) % 7 / 3 end end
local q = 0
local sieve = {}
for i = 2, 5000*scale do if not sieve[i] then q = q + 1; for j = i*i, 5000*scale, i do sieve[j] = true end end end
local co = coroutine.wrap(function() for i = 1, 500*scale do coroutine.yield(i) end end)
for i = 1, 500*scale do q = q + co() end
print(x, #t, #all, v.x, m, q, count.fox3)
