import type { ClaimResult, ProtectionStore } from "@bough/framework/protect";
import type { redis } from "@/redis.ts";

// Redis runs one script at a time, so each script is atomic. If the
// clock of Redis is set back, a window still ends after its own length.
const INCREMENT = `
local window = tonumber(ARGV[1])
local count, left = redis.call("INCR", KEYS[1]), redis.call("PTTL", KEYS[1])
if left < 0 or left > window then
  redis.call("PEXPIRE", KEYS[1], window)
  left = window
end
return {count, math.max(left, 1)}`;

const CLAIM = `
local owner, fingerprint, value =
  unpack(redis.call("HMGET", KEYS[1], "owner", "fingerprint", "value"))
local left = math.max(redis.call("PTTL", KEYS[1]), 1)
if value then return {"finished", fingerprint, value} end
if owner and owner ~= ARGV[1] then return {"running", fingerprint, tostring(left)} end
redis.call("HSET", KEYS[1], "owner", ARGV[1], "fingerprint", ARGV[2])
redis.call("PEXPIRE", KEYS[1], ARGV[3])
return {"claimed"}`;

/** Only the owner of an unfinished claim may change the claim. */
const IF_OWNER = `
local owner, value = unpack(redis.call("HMGET", KEYS[1], "owner", "value"))
if owner ~= ARGV[1] or value then return 0 end `;
const RENEW = `${IF_OWNER} return redis.call("PEXPIRE", KEYS[1], ARGV[2])`;
const FREE = `${IF_OWNER} return redis.call("DEL", KEYS[1])`;
const FINISH = `${IF_OWNER}
redis.call("HSET", KEYS[1], "value", ARGV[3])
return redis.call("PEXPIRE", KEYS[1], ARGV[2])`;

/** Keeps counters and keys in Redis, for all processes. Redis removes expired keys. */
export function redisStore(client: typeof redis): ProtectionStore {
  function run(script: string, key: string, ...values: unknown[]) {
    const options = { keys: [key], arguments: values.map(String) };
    return client.eval(script, options) as Promise<unknown>;
  }
  return {
    async increment(key, window) {
      const reply = await run(INCREMENT, `counter:${key}`, window);
      const [count, left] = reply as [number, number];
      return { count, left };
    },
    async claim(key, { owner, fingerprint, lease }) {
      const reply = run(CLAIM, `claim:${key}`, owner, fingerprint, lease);
      type Reply = [ClaimResult["state"], string, string];
      const [state, first, rest] = await reply as Reply;
      if (state === "claimed") return { state };
      return state === "running"
        ? { state, fingerprint: first, left: Number(rest) }
        : { state, fingerprint: first, value: Uint8Array.fromBase64(rest) };
    },
    async renew(key, owner, lease) {
      return await run(RENEW, `claim:${key}`, owner, lease) === 1;
    },
    async finish(key, owner, outcome) {
      const name = `claim:${key}`;
      if (outcome === undefined) return await run(FREE, name, owner) === 1;
      const value = outcome.value.toBase64();
      return await run(FINISH, name, owner, outcome.ttl, value) === 1;
    },
  };
}
