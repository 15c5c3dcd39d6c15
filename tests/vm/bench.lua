-- Work for tests/vm/lua: what traces cost in code of several kinds.
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
local out = fib(22)
local flags = {}
for i = 2, 20000 do flags[i] = true end
for i = 2, 20000 do
	if flags[i] then for k = i * i, 20000, i do flags[k] = false end out = out + i end
end
local t = {}
for i = 1, 4000 do t[i] = (i * 7919) % 10007 end
table.sort(t, function(a, b) return a < b end)
local Account = {}
Account.__index = Account
function Account.new() return setmetatable({sum = 0, moves = {}}, Account) end
function Account:add(x) self.sum = self.sum + x self.moves[#self.moves + 1] = x end
local account = Account.new()
for i = 1, 20000 do account:add(t[i % #t + 1] // 3) end
local words = {}
for word in string.gmatch(string.rep("the quick brown fox jumps over the lazy dog ", 200), "%a+") do
	words[word] = (words[word] or 0) + 1
end
local s = 0.0
for i = 1, 30000 do s = s + math.sin(i) * (i & 3 == 0 and 1.5 or -0.5) end
print(out + account.sum + words.the + math.floor(s))
