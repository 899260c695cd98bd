/**
 * The RateLimiter contract as one atomic step in Redis. It has no `#!lua` line, because only
 * Upstash's own server supports the flags that `@upstash/ratelimit` puts there, and other servers
 * and bridges reject such a script.
 *
 * KEYS: a hash for each policy, from a bucket's number to `requests * width + milliseconds of the
 * last one within the bucket`. ARGV: 1 to take or 0 to peek; the time in milliseconds, or nothing
 * for the store's clock, which all processes share; then limit and window of each policy. Returns 1
 * where all policies allow, otherwise 0; then what remains and resetMs of each policy.
 */
export const windowScript = `
local isTaking = ARGV[1] == '1'
local now = tonumber(ARGV[2])
if not now then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

local isAllowed = true
local policies = {}
for index, key in ipairs(KEYS) do
  local limit = tonumber(ARGV[1 + 2 * index])
  local window = tonumber(ARGV[2 + 2 * index])
  local width = math.ceil(window / 60)
  local current = { number = math.floor(now / width), taken = 0, last = now }
  local used = 0
  local buckets = {}
  local stored = redis.call('HGETALL', key)
  for field = 1, #stored, 2 do
    local number, packed = tonumber(stored[field]), tonumber(stored[field + 1])
    local bucket = { number = number, taken = math.floor(packed / width), last = number * width + packed % width }
    -- One that is a whole window ahead is from before the clock was set back.
    if bucket.last > now - window and bucket.last < now + window then
      used = used + bucket.taken
      if number == current.number then current = bucket else buckets[#buckets + 1] = bucket end
    elseif isTaking then
      redis.call('HDEL', key, stored[field])
    end
  end
  if used >= limit then isAllowed = false end
  policies[index] = { key = key, limit = limit, window = window, width = width, used = used, buckets = buckets, current = current }
end

local result = { isAllowed and 1 or 0 }
for _, policy in ipairs(policies) do
  local current, buckets = policy.current, policy.buckets
  if isAllowed and isTaking then
    policy.used = policy.used + 1
    current.taken = current.taken + 1
    current.last = math.max(current.last, now)
    local packed = current.taken * policy.width + current.last % policy.width
    redis.call('HSET', policy.key, string.format('%.0f', current.number), string.format('%.0f', packed))
    redis.call('PEXPIRE', policy.key, policy.window)
  end
  if current.taken > 0 then buckets[#buckets + 1] = current end
  table.sort(buckets, function(one, other) return one.last < other.last end)

  local reset = policy.window
  local toExpire = math.max(1, policy.used - policy.limit + 1)
  for _, bucket in ipairs(buckets) do
    toExpire = toExpire - bucket.taken
    if toExpire <= 0 then
      reset = bucket.last + policy.window - now
      break
    end
  end
  result[#result + 1] = math.max(0, policy.limit - policy.used)
  result[#result + 1] = reset
end
return result
`;
