import { isObject, list, member, readJson, type JsonObject, type JsonValue } from '../formats/json';

/** How far into a page the script is searched, and how much of it is read. */
const SEARCHED = 262_144;
const READ = 65_536;

/**
 * The challenge inside the reference server's HTML paywall, which sets `window.x402 = { … paymentRequirements: […] }`
 * for browsers instead of sending a machine-readable 402. The script is not JSON, the values in it are.
 */
export function inlinePaywall(body: string): JsonObject | undefined {
  const page = body.slice(0, SEARCHED);
  const start = page.indexOf('window.x402');
  if (start < 0) return undefined;
  const script = page.slice(start, start + READ);
  const assigned = /^window\.x402\s{0,20}=\s{0,20}/.exec(script)?.[0].length;
  const whole = assigned === undefined ? undefined : jsonAt(script, assigned);
  if (isObject(whole) && list(member(whole, 'accepts'))) return whole;
  const named = /["']?(paymentRequirements|paymentRequired)["']?\s{0,20}:\s{0,20}/.exec(script);
  if (!named) return undefined;
  const value = jsonAt(script, named.index + named[0].length);
  if (named[1] === 'paymentRequired') return isObject(value) ? value : undefined;
  return Array.isArray(value) ? { x402Version: 1, accepts: value } : undefined;
}

/** The JSON array or object that starts at `start`, found by its balanced brackets. */
function jsonAt(script: string, start: number): JsonValue | undefined {
  if (!/[{[]/.test(script.charAt(start))) return undefined;
  let depth = 0;
  let quoted = false;
  for (let i = start; i < script.length; i += 1) {
    const char = script.charAt(i);
    if (quoted && char === '\\') i += 1;
    else if (char === '"') quoted = !quoted;
    else if (quoted) continue;
    else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
    if (depth > 0 || quoted) continue;
    const json = readJson(script.slice(start, i + 1));
    return json.ok ? json.value : undefined;
  }
  return undefined;
}
