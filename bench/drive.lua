-- What wrk runs for bench/drive.ts: sends the requests of a file in turn. The file holds whole
-- requests with a NUL byte between them; "{n}" in one becomes the number of the request.

local parts, count = {}, 0

function init(arguments)
  local file = assert(io.open(arguments[1], "rb"))
  for text in (file:read("*a") .. "\0"):gmatch("(.-)%z") do
    local before, after = text:match("^(.-){n}(.*)$")
    parts[#parts + 1] = { before or text, after }
  end
  file:close()
end

function request()
  count = count + 1
  local part = parts[count % #parts + 1]
  if part[2] then return part[1] .. count .. part[2] end
  return part[1]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"microseconds":%d,"p50":%d,"p99":%d,"refused":%d,"broken":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
