-- script.lua - what `make bench` has the Lua interpreter do: primes, a sort,
-- words of a text, closures, floating point; as often as its argument says.
local units = tonumber(arg[1]) or 1
local total = 0
local seed = 42

local function random()
  seed = (seed * 1103515245 + 12345) & 0x7fffffff
  return seed
end

local function primes(n)
  local sieve, count = {}, 0
  for i = 2, n do sieve[i] = true end
  for i = 2, n do
    if sieve[i] then
      count = count + 1
      for j = i * i, n, i do sieve[j] = false end
    end
  end
  return count
end

local function sorted(n)
  local list = {}
  for i = 1, n do list[i] = random() % 100000 end
  table.sort(list)
  return list[n // 2]
end

local function words(times)
  local count, text = {}, string.rep("the cat sat on the mat; ", times)
  for w in text:gmatch("%a+") do count[w] = (count[w] or 0) + 1 end
  return count.the
end

local function wave(n)
  local sum = 0.0
  local function add(x) sum = sum + x * 0.5 end
  for i = 1, n do add(1.0 / i) end
  return math.floor(sum * 1000)
end

for _ = 1, units do
  total = (total * 31 + primes(300) + sorted(100) + words(10) + wave(300))
          % 1000003
end
print("total", total)
