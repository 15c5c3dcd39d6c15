-- What a bytecode of Lua can do with the pc: each kind of jump, calls into C and back, metamethods in the middle of a
-- bytecode, errors through both, coroutines, finalisers, tail calls.
local out = 0
local function add(x) out = (out * 31 + math.floor(x)) % 1000003 end

local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
add(fib(18))

-- loops: numeric, float, empty, backwards, generic by C and by Lua iterators, while, repeat, goto, break
for i = 1, 100 do if i % 3 == 0 then add(i) elseif i % 5 == 0 then add(-i) end end
for x = 0.0, 2.0, 0.25 do add(x * 4) end
for _ = 1, 0 do add(1) end
for _ = 1, 5 do end
for i = 10, 1, -3 do add(i) end
for k, v in ipairs({5, 6, 7}) do add(k * v) end
local function count(n) local i = 0 return function() i = i + 1 if i <= n then return i end end end
for i in count(20) do add(i) end
do local i = 0 while i < 50 do i = i + 1 if i == 40 then break end end repeat i = i - 7 until i < 0 add(i) end
do local i = 1 ::top:: i = i * 2 if i < 1000 then goto top end add(i) end

-- sort by a comparator in Lua: C calls back; gsub with a function; pcall and error
local t = {}
for i = 1, 60 do t[i] = (i * 7919) % 101 end
table.sort(t, function(a, b) return a > b end)
for i = 1, #t do add(t[i]) end
add(#string.gsub("hello world of bytes", "%w+", function(w) return w:upper() .. #w end))
for i = 1, 10 do
	local ok = pcall(function() if i % 2 == 0 then error("even") end local x = nil; return x.field end)
	add(ok and 1 or 0)
	local good, what = xpcall(function() return i + {} end, function(m) return #m end)
	add(good and 1 or what)
end
-- an error at the first bytecode of a function, and at a loop's
pcall(function() return missing.field end)
pcall(function(f) return f() end)

-- metamethods: arithmetic, comparison, index, call, concatenation, length, close
local V = {}
V.__index = function(self, k) return k == "twice" and function(s) return s.x * 2 end or 0 end
V.__add = function(a, b) return setmetatable({x = a.x + (type(b) == "number" and b or b.x)}, V) end
V.__lt = function(a, b) return a.x < b.x end
V.__le = function(a, b) return a.x <= b.x end
V.__eq = function(a, b) return a.x == b.x end
V.__concat = function(a, b) return (type(a) == "table" and a.x or a) .. "," .. (type(b) == "table" and b.x or b) end
V.__len = function(a) for _ = 1, 3 do end return a.x end
V.__call = function(self, n) for i = 1, n do self.x = self.x + i end return self.x end
V.__unm = function(a) return setmetatable({x = -a.x}, V) end
V.__close = function(a) add(a.x) end
V.__newindex = function(self, k, v) rawset(self, k, v + 1) end
for i = 1, 20 do
	local a, b = setmetatable({x = i}, V), setmetatable({x = 20 - i}, V)
	local c = a + b + 3
	if a < b then add(1) elseif a <= b then add(2) else add(3) end
	if a == b then add(4) end
	add(c:twice() + #c + #(a .. b .. 1) + a(4) + (-a).x)
	a.y = i
	add(a.y)
	do local closing <close> = a; if i % 4 == 0 then add(9) end end
end
local function closes() local c <close> = setmetatable({x = 5}, V) return c.x end
add(closes())
-- an error in a metamethod, in the middle of a bytecode
V.__mul = function(a, b) for i = 1, 3 do if i == 2 then error("product") end end end
for _ = 1, 5 do pcall(function() return setmetatable({x = 1}, V) * 2 end) end

-- coroutines, also with yields across pcall, iterators and metamethods
local function generate(n) for i = 1, n do coroutine.yield(i) end return 0 end
local co = coroutine.wrap(generate)
for _ = 1, 10 do add(co(9)) end
for v in coroutine.wrap(function() for i = 1, 15 do pcall(coroutine.yield, i) end end) do add(v) end
local Y = {__add = function(a, b) coroutine.yield(b) return b * 2 end, __lt = function(a, b) coroutine.yield(7) return true end}
local y = coroutine.wrap(function() local o = setmetatable({}, Y) local s = 0 for i = 1, 5 do s = s + (o + i) if o < o then s = s + 1 end end return s end)
for _ = 1, 11 do add(y() or 0) end

-- tail calls, of Lua and of C; varargs; many constants; closures; finalisers; code made while the program runs
local function loop(n, acc) if n == 0 then return acc end return loop(n - 1, acc + n) end
add(loop(200, 0))
local function tail_c(x) return math.max(x, 3) end
add(tail_c(9))
local function sum(...) local s = 0 for i = 1, select("#", ...) do s = s + (select(i, ...)) end return s end
add(sum(1, 2, 3, table.unpack(t)))
local big = "return {" .. string.rep("1,", 70) .. string.rep("2,", 700) .. "}"
add(#load(big)())
for i = 1, 12 do add(load("local x = ... for i = 1, 3 do x = x + i end return x")(i)) end
for i = 1, 400 do setmetatable({}, {__gc = function() for _ = 1, 2 do out = out + 0 end end}) end
collectgarbage()
local bits = 0
for i = 1, 40 do bits = (bits << 1 | i & 1) ~ (i >> 2) & 0xFFFF end
add(bits // 3 + bits % 7 + 2 ^ 3)
print(out)
