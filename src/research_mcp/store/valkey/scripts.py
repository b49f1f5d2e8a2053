"""The scripts that run inside the server: each is one atomic step. They are called with one JSON object.

What the keys hold, all behind the prefix:

    used:INSTANCE|ACCOUNT    hash: units, open ones included, of each hour (`h` and epoch seconds // 3600)
                             and day (`d` and epoch seconds // 86400), and `total`
    accounts:INSTANCE        set of the accounts it was ever used with; instances:ACCOUNT likewise
    billed                   hash: instance -> settled units since the store began
    reservation:KEY          hash: instance, account, hour, units, state, attempt
    open                     sorted set: keys of open reservations by the second they were made
    void:ATTEMPT             an attempt to reserve that was given up and may still arrive
    rests                    hash: name -> [until (epoch seconds, null for no end), reason, detail]
    pace:NAME                the second its slot was taken; goes after the interval
    holder:NAME              whose call took it; goes with it
    answers, answer:ID       sorted set of answers by the second they expire; each answer
    agreements               hash: topic|engine -> share and lists
"""

from __future__ import annotations

import json

from research_mcp.core.wire import JsonValue
from research_mcp.store.budgets import USAGE_KEPT
from research_mcp.store.valkey.link import Command


def call(script: str, prefix: str, arguments: dict[str, JsonValue]) -> Command:
    """The command that runs `script` on the keys behind `prefix`.

    The source goes along each time: it is about a kilobyte, and the server knows it by its hash.
    """
    return ("EVAL", script, 0, prefix, json.dumps(arguments, ensure_ascii=False))


_HOURS_KEPT = 48
"""Hours that are kept apart; longer stretches are sums of days."""

_BEGIN = """
local prefix, a = ARGV[1], cjson.decode(ARGV[2])
local function key(...) return prefix .. table.concat({...}) end
"""

_MONEY = (
    _BEGIN
    + """
local function whole(number) return string.format('%.0f', number) end
local function pair(instance, account) return key('used:', instance, '|', account) end

-- does what was counted in `hour` lie in the stretch that begins with `first`?
local function within(first, hour)
  if first == 'total' then return true end
  local unit = string.sub(first, 1, 1) == 'd' and 24 or 1
  return math.floor(hour / unit) >= tonumber(string.sub(first, 2))
end

-- units of one account in one instance since `first`; what is ahead of a clock that was set back counts
local function pair_used(instance, account, first)
  local at = pair(instance, account)
  if first == 'total' then return tonumber(redis.call('HGET', at, 'total') or 0) end
  local rows, sum = redis.call('HGETALL', at), 0
  local kind, from = string.sub(first, 1, 1), tonumber(string.sub(first, 2))
  for n = 1, #rows, 2 do
    if string.sub(rows[n], 1, 1) == kind and tonumber(string.sub(rows[n], 2)) >= from then
      sum = sum + tonumber(rows[n + 1])
    end
  end
  return sum
end

local function used(scope, name, first)
  local sum = 0
  if scope == 'account' then
    for _, instance in ipairs(redis.call('SMEMBERS', key('instances:', name))) do
      sum = sum + pair_used(instance, name, first)
    end
  else
    for _, account in ipairs(redis.call('SMEMBERS', key('accounts:', name))) do
      sum = sum + pair_used(name, account, first)
    end
  end
  return sum
end

-- keep the newest fields of a kind: by number, not by age, since a clock that runs ahead for a while
-- would have the running month forgotten
local function forget(at, kind, kept)
  local numbers = {}
  for _, field in ipairs(redis.call('HKEYS', at)) do
    if string.sub(field, 1, 1) == kind then table.insert(numbers, tonumber(string.sub(field, 2))) end
  end
  table.sort(numbers)
  for n = 1, #numbers - kept do redis.call('HDEL', at, kind .. whole(numbers[n])) end
end

local function count(instance, account, hour, units)
  local at, day = pair(instance, account), math.floor(hour / 24)
  if redis.call('HEXISTS', at, 'h' .. hour) == 0 then
    forget(at, 'h', HOURS_KEPT)
    forget(at, 'd', DAYS_KEPT)
    redis.call('SADD', key('accounts:', instance), account)
    redis.call('SADD', key('instances:', account), instance)
    redis.call('HINCRBY', key('billed'), instance, 0)
  end
  for _, field in ipairs({'h' .. hour, 'd' .. day, 'total'}) do
    redis.call('HINCRBY', at, field, whole(units))
  end
end
""".replace("HOURS_KEPT", str(_HOURS_KEPT)).replace("DAYS_KEPT", str(USAGE_KEPT // 24))
)

RESERVE = (
    _MONEY
    + """
if redis.call('EXISTS', key('void:', a.attempt)) == 1 then return {'void'} end
local at = key('reservation:', a.key)
local known = redis.call('HMGET', at, 'account', 'instance', 'units', 'state')
if known[4] and known[4] ~= 'refunded' then return {'known', known[1], known[2], known[3]} end
for n, budget in ipairs(a.budgets) do
  local sum = used(budget.scope, budget.name, budget.first)
  if sum + a.units > budget.limit then return {'spent', n, sum} end
end
count(a.instance, a.account, a.hour, a.units)
redis.call('HSET', at, 'instance', a.instance, 'account', a.account, 'hour', a.hour,
  'units', whole(a.units), 'state', 'open', 'attempt', a.attempt)
redis.call('PERSIST', at)
redis.call('ZADD', key('open'), a.now, a.key)
return {'reserved'}
"""
)
"""Check the budgets and set units aside."""

CLOSE = (
    _MONEY
    + """
local at, refund = key('reservation:', a.key), a.units == -1
local row = redis.call('HMGET', at, 'hour', 'units', 'state', 'attempt')
local hour, reserved, state = row[1], tonumber(row[2]), row[3]
if a.attempt and row[4] ~= a.attempt then
  redis.call('SET', key('void:', a.attempt), '', 'EX', a.remembered)
  return
end
if not state and not refund then hour, reserved, state = a.hour, 0, 'open' end
if state ~= 'open' and (state ~= 'lapsed' or refund) then return end
local settled = refund and 0 or a.units
local more = settled - reserved
if state == 'lapsed' then
  more = math.max(0, more)
  settled = more
end
count(a.instance, a.account, hour, more)
redis.call('HINCRBY', key('billed'), a.instance, whole(settled))
redis.call('HSET', at, 'state', refund and 'refunded' or 'settled')
redis.call('EXPIRE', at, a.remembered)
redis.call('ZREM', key('open'), a.key)
"""
)
"""Settle at `units`, or refund for -1. Once closed, only a lapsed one can still grow; one that the store
has lost counts from `hour`.

With `attempt`, only what that attempt reserved is refunded; one that has not arrived is made void.
"""

SWEEP = (
    _MONEY
    + """
local late = redis.call('ZRANGEBYSCORE', key('open'), '-inf', '(' .. a.before)
for _, name in ipairs(late) do
  local at = key('reservation:', name)
  local row = redis.call('HMGET', at, 'instance', 'units')
  if row[1] then
    redis.call('HINCRBY', key('billed'), row[1], row[2])
    redis.call('HSET', at, 'state', 'lapsed')
    redis.call('EXPIRE', at, a.remembered)
  end
  redis.call('ZREM', key('open'), name)
end
return #late
"""
)
"""Count what was left open as spent."""

USAGE = (
    _MONEY
    + """
local open = {}
for _, name in ipairs(redis.call('ZRANGE', key('open'), 0, -1)) do
  local row = redis.call('HMGET', key('reservation:', name), 'instance', 'account', 'hour', 'units')
  if row[1] then table.insert(open, row) end
end
local function reserved(scope, name, first)
  local sum = 0
  for _, row in ipairs(open) do
    local mine = row[scope == 'account' and 2 or 1] == name
    if mine and within(first, tonumber(row[3])) then sum = sum + tonumber(row[4]) end
  end
  return sum
end
local lines = {}
for _, budget in ipairs(a.budgets) do
  table.insert(lines, {used(budget.scope, budget.name, budget.first),
    reserved(budget.scope, budget.name, budget.first)})
end
local billed, instances = redis.call('HGETALL', key('billed')), {}
for n = 1, #billed, 2 do
  local name = billed[n]
  table.insert(instances, {name, tonumber(billed[n + 1]), used('instance', name, a.month),
    used('instance', name, a.day), reserved('instance', name, a.month)})
end
return {lines, instances}
"""
)
"""For each budget: used, reserved. For each instance: name, billed, used this month, today, reserved."""

RESET = (
    _MONEY
    + """
local freed = {}
local function free(instance, account)
  local at = pair(instance, account)
  freed[at] = true
  redis.call('DEL', at)
end
for _, account in ipairs(redis.call('SMEMBERS', key('accounts:', a.instance))) do
  free(a.instance, account)
end
for _, account in ipairs(a.accounts) do
  for _, instance in ipairs(redis.call('SMEMBERS', key('instances:', account))) do
    free(instance, account)
  end
end
for _, name in ipairs(redis.call('ZRANGE', key('open'), 0, -1)) do
  local row = redis.call('HMGET', key('reservation:', name), 'instance', 'account', 'hour', 'units')
  if row[1] and freed[pair(row[1], row[2])] then count(row[1], row[2], row[3], row[4]) end
end
"""
)
"""Forget what the instance and `accounts` have used. Open reservations go on counting."""

PARK = (
    _BEGIN
    + """
local at = key('rests')
local rows, held = redis.call('HGETALL', at), nil
for n = 1, #rows, 2 do
  local ends = cjson.decode(rows[n + 1])[1]
  if ends ~= cjson.null and ends <= a.now then
    redis.call('HDEL', at, rows[n])
  elseif rows[n] == a.name then
    held = ends
  end
end
local new = a.rest[1]
if held == cjson.null and new ~= cjson.null then return end
if held and held ~= cjson.null and new ~= cjson.null and held > new then return end
redis.call('HSET', at, a.name, a.written)
"""
)
"""Let a name rest. A longer rest that already holds is kept; rests that are over go."""

TAKE = (
    _BEGIN
    + """
local at = key('pace:', a.name)
local taken = redis.call('GET', at)
local wait = taken and tonumber(taken) + a.interval - a.now or 0
-- more than one interval ahead: the wall clock was set back
if wait > 0 and wait <= a.interval then return tostring(wait) end
redis.call('SET', at, a.now, 'PX', a.milliseconds)
redis.call('SET', key('holder:', a.name), a.holder, 'PX', a.milliseconds)
return '0'
"""
)
"""Take the slot of a pace, or say how long it is not free."""

GIVE_BACK = (
    _BEGIN
    + """
if redis.call('GET', key('holder:', a.name)) ~= a.holder then return end
redis.call('DEL', key('pace:', a.name), key('holder:', a.name))
"""
)
"""Free the slot of a pace for the holder that took it last."""

KEEP = (
    _BEGIN
    + """
local all = key('answers')
redis.call('ZREMRANGEBYSCORE', all, '-inf', a.now - a.remembered)
redis.call('ZADD', all, a.expires, a.id)
if a.answer ~= '' then redis.call('SET', key('answer:', a.id), a.answer, 'PX', a.milliseconds) end
local live = redis.call('ZRANGEBYSCORE', all, '(' .. a.now, '+inf')
for n = 1, #live - a.most do redis.call('DEL', key('answer:', live[n])) end
"""
)
"""Keep an answer; the oldest make room. Ids stay for a while, so that a loss can be told from a wrong id."""

FIND = (
    _BEGIN
    + """
local expires = redis.call('ZSCORE', key('answers'), a.id)
if not expires then return 'unknown' end
if tonumber(expires) <= a.now then return 'expired' end
return {redis.call('GET', key('answer:', a.id)) or 'evicted'}
"""
)
"""An answer in a list, or the word for why it is not there."""

LEARN = (
    _BEGIN
    + """
local at = key('agreements')
for _, one in ipairs(a.seen) do
  local share, lists = 0, 0
  local known = redis.call('HGET', at, one.name)
  if known then share, lists = string.match(known, '^(%S+) (%d+)$') end
  lists = math.min(lists + one.lists, a.span)
  share = share + (one.share - share) * math.min(1, one.lists / lists)
  redis.call('HSET', at, one.name, string.format('%.9f %d', share, lists))
end
"""
)
"""Fold lists into the moving averages of engines, as `store.memory.folded` does."""
