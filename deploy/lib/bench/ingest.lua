-- Batches for wrk. Arguments: events in a batch, "one" or "many" installs, a file with one write key a line,
-- milliseconds each connection waits before a request (0: none).
-- Every batch comes from new installs, so that no install meets its limit; keys rotate, so that no app does.

local events, installs, keys = 1, "one", {}
local head, tail, pieces = "", "]}", {}
local number = 0

local function hex(count)
    local digits = {}
    for index = 1, count do digits[index] = string.format("%x", math.random(0, 15)) end
    return table.concat(digits)
end

local function uuid()
    return hex(8) .. "-" .. hex(4) .. "-4" .. hex(3) .. "-8" .. hex(3) .. "-" .. hex(12)
end

function init(arguments)
    events = tonumber(arguments[1])
    installs = arguments[2]
    for key in io.lines(arguments[3]) do keys[#keys + 1] = key end
    math.randomseed(os.time())
    local pause = tonumber(arguments[4])
    -- wrk asks for it only when it is there.
    if pause > 0 then function delay() return pause end end
    head = '{"sent_at":"2026-01-02T03:04:05.678Z","context":{"platform":"ios","os_name":"iOS","os_version":"26.0.1",'
        .. '"app_version":"3.4.0","app_build":"1207","device_model":"iPhone17,3","device_type":"phone","locale":"en-GB",'
        .. '"environment":"production","ip":"203.0.113.7"},"events":['
    for index = 1, events do
        local name = index % 2 == 1 and "session_start" or "session_end"
        local duration = index % 2 == 1 and "" or ',"duration_ms":95000'
        pieces[index] = (index > 1 and "," or "") .. '{"insert_id":"' .. uuid() .. '","name":"' .. name
            .. '","timestamp":"2026-01-02T03:04:05.123Z","session_id":"' .. uuid() .. '","user_id":"acct_' .. hex(12) .. '"'
            .. duration .. ',"install_id":"'
    end
    wrk.method = "POST"
    wrk.headers["Content-Type"] = "application/json"
end

-- A new install costs a counter, not 32 random digits: the generator must not be what is measured.
local function install()
    number = number + 1
    return string.format("%08x-0000-4000-8000-%012x", number % 4294967296, number)
end

function request()
    wrk.headers["X-App-Key"] = keys[number % #keys + 1]
    local one = install()
    local body = { head }
    for index = 1, events do
        local id = installs == "one" and one or install()
        body[#body + 1] = pieces[index]
        body[#body + 1] = id
        body[#body + 1] = '"}'
    end
    body[#body + 1] = tail
    return wrk.format(nil, nil, nil, table.concat(body))
end

local other = {}
function response(status, headers, body)
    if status ~= 200 then other[status] = (other[status] or 0) + 1 end
end

function done(summary, latency, requests)
    io.write(string.format(
        "RESULT %d %d %d %.1f %.1f %d\n",
        summary.requests, summary.duration, summary.errors.status + summary.errors.connect + summary.errors.read
            + summary.errors.write + summary.errors.timeout,
        latency:percentile(50), latency:percentile(99), summary.bytes))
end
