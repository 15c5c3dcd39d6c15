-- SPDX-License-Identifier: Apache-2.0
-- Copyright 2026 The Rivulet authors
-- Debian's package of Lua has no tests: closures, coroutines, metatables, errors, strings, collection, the compiler.
local done = 0
local function same(got, want)
	done = done + 1
	if got ~= want then
		error(string.format("check %d: %s instead of %s", done, tostring(got), tostring(want)), 2)
	end
end

local function counter()
	local n = 0
	return function(step) n = n + (step or 1); return n end
end
local a, b = counter(), counter()
same(a() + a(2) + b(), 5)

local function permutations(list, n)
	if n == 0 then coroutine.yield(table.concat(list)) end
	for i = 1, n do
		list[i], list[n] = list[n], list[i]
		permutations(list, n - 1)
		list[i], list[n] = list[n], list[i]
	end
end
local seen, number = {}, 0
for word in coroutine.wrap(function() permutations({"a", "b", "c", "d", "e", "f"}, 6) end) do
	same(seen[word], nil)
	seen[word], number = true, number + 1
end
same(number, 720)

local vector = {}
vector.__index = vector
vector.__add = function(x, y) return setmetatable({x[1] + y[1], x[2] + y[2]}, vector) end
vector.__eq = function(x, y) return x[1] == y[1] and x[2] == y[2] end
vector.__lt = function(x, y) return x[1] < y[1] end
vector.__concat = function(x, y) return tostring(x) .. "|" .. tostring(y) end
vector.__tostring = function(x) return "(" .. x[1] .. "," .. x[2] .. ")" end
vector.__call = function(x, k) return x[k] end
vector.__len = function() return 2 end
vector.__close = function(x) x[1] = "closed" end
local v, w = setmetatable({1, 2}, vector), setmetatable({3, 4}, vector)
same(tostring(v + w), "(4,6)")
same(v + w == setmetatable({4, 6}, vector), true)
same(v < w, true)
same(v .. w, "(1,2)|(3,4)")
same(v(2) + #w, 4)
do local closing <close> = v end
same(v[1], "closed")

for depth = 1, 60 do -- errors through calls, coroutines and metamethods
	local function fall(n) if n == 0 then error({depth = depth}) end return fall(n - 1) + 1 end
	local good, what = pcall(fall, depth)
	same(good, false)
	same(what.depth, depth)
	local thread = coroutine.create(function() coroutine.yield(1); fall(depth) end)
	same(select(2, coroutine.resume(thread)), 1)
	same(coroutine.resume(thread), false)
	same(coroutine.status(thread), "dead")
	same(select(2, xpcall(fall, function(e) return e.depth * 2 end, depth)), depth * 2)
end
same(select("#", string.byte("hello", 1, -1)), 5)
same(("x"):rep(3, "-"), "x-x-x")
same(string.format("%5.2f|%-8s|%q|%x|%g", 3.14159, "ab", "a\nb", 255, 1e100), " 3.14|ab      |\"a\\\nb\"|ff|1e+100")
same(("the quick brown fox"):gsub("%w+", function(s) return s:upper() end), "THE QUICK BROWN FOX")
same(("key = value"):match("^(%w+)%s*=%s*(%w+)$"), "key")
same(#string.pack("<i4zs2d", 7, "abc", "de", 1.5), 4 + 4 + 4 + 8)
same(select(2, string.unpack("<i4z", string.pack("<i4z", -7, "abc"))), "abc")
same(7 // 2 * 2 + 7 % 2, 7)
same(-7 // 2, -4)
same(1 << 62 >> 61, 2)
same(math.type(2^53), "float")
same(0x7fffffffffffffff + 1, math.mininteger)
same(tostring(1e15), "1e+15")
same(load("local x <const> = 5; goto out; x = 1 ::out:: return x"), nil)
same(load("for i = 1, 3 do if i == 2 then goto out end end ::out:: return 42")(), 42)
same(#string.dump(load("return 1")) > 40, true)
same(load(string.dump(load("return ...")))(9), 9)

local list = {}
for i = 1, 3000 do list[i] = (i * 7919) % 3001 end
table.sort(list)
for i = 2, #list do same(list[i - 1] < list[i], true) end
table.sort(list, function(x, y) return x > y end)
same(list[1], 3000)
same(table.concat(table.pack(table.unpack(list, 1, 3)), " "), "3000 2999 2998")
same(#table.move(list, 1, 10, 1, {}), 10)

local weak, finalized = setmetatable({}, {__mode = "k"}), 0
for i = 1, 2000 do
	weak[setmetatable({}, {__gc = function() finalized = finalized + 1 end})] = string.rep("s", i % 50) .. i
end
collectgarbage()
collectgarbage()
same(finalized, 2000)
same(next(weak), nil)
for _, mode in ipairs({"generational", "incremental"}) do
	collectgarbage(mode)
	local root
	for i = 1, 5000 do root = {root, i} end
	local sum = 0
	while root do sum, root = sum + root[2], root[1] end
	same(sum, 12502500)
end

local function sieve(n)
	local composite, count = {}, 0
	for i = 2, n do
		if not composite[i] then
			count = count + 1
			for j = i * i, n, i do composite[j] = true end
		end
	end
	return count
end
same(sieve(20000), 2262)
print(done .. " checks")
