-- primes, a sort, words, coroutines, closures, numbers, files, errors
local n, sieve = 20000, {}
for i = 2, n do sieve[i] = true end
for i = 2, n do
  if sieve[i] then for j = i * i, n, i do sieve[j] = false end end
end
local count = 0
for i = 2, n do if sieve[i] then count = count + 1 end end
print("primes", count)

local seed, list = 42, {}
local function random()
  seed = (seed * 1103515245 + 12345) & 0x7fffffff
  return seed
end
for i = 1, 3000 do list[i] = random() % 100000 end
table.sort(list)
print("sorted", list[1], list[1500], list[3000])

local words = {}
local text = string.rep("the cat sat on the mat; ", 200)
for w in text:gmatch("%a+") do words[w] = (words[w] or 0) + 1 end
local keys = {}
for k in pairs(words) do keys[#keys + 1] = k end
table.sort(keys)
for _, k in ipairs(keys) do io.write(k, "=", words[k], " ") end
print()

local function permute(a, k)
  k = k or #a
  if k <= 1 then coroutine.yield(table.concat(a)) else
    for i = 1, k do
      a[k], a[i] = a[i], a[k]
      permute(a, k - 1)
      a[k], a[i] = a[i], a[k]
    end
  end
end
for p in coroutine.wrap(function() permute({"a", "b", "c", "d"}) end) do
  io.write(p, " ")
end
print()
print(string.format("%.14g %.10f %d %x %q", 1 / 3, math.pi * 1e5, -7 // 2,
  255, "line\n"))
print(2^53, 10 / 2, 7 % -3, 1e15, 2^0.5, math.exp(10), -0.0)
print(pcall(error, {code = 1}) == false, select("#", pcall(error, "x")))
print(pcall(function() return nil + 1 end))
local f = assert(io.open("out.txt", "w"))
for i = 1, 100 do f:write(i, " ", i * i, "\n") end
f:close()
local sum = 0
for line in io.lines("out.txt") do
  local a, b = line:match("(%d+) (%d+)")
  sum = sum + a * b
end
print("sum", sum, os.rename("out.txt", "moved.txt"), io.open("out.txt"))
print(os.remove("moved.txt"), os.getenv("NOT_THERE"), os.date("!%Y", 0))
print(collectgarbage("count") > 0, #arg, arg[1])
os.exit(7)
