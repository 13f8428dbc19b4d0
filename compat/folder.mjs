// Challenges from files that this project does not keep: raw answers (`*.http.txt`) and the JSON behind a challenge.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** `{ file, challenge }` for every file in a folder that contains a 402 response. */
export function challengesOfFolder(folder) {
  const files = readdirSync(folder, { recursive: true }).map(String).sort();
  return files.flatMap((file) => {
    const text = /\.(json|txt)$/.test(file) ? readFileSync(join(folder, file), 'utf8') : '';
    const challenge = rawAnswer(text) ?? framed(text);
    return challenge ? [{ file, challenge }] : [];
  });
}

function rawAnswer(text) {
  const [, lines, body] = /^HTTP\/[\d.]+ 402[^\n]*\n(.*?)\r?\n\r?\n(.*)$/s.exec(`${text}\n\n`) ?? [];
  if (lines === undefined) return undefined;
  const headers = {};
  for (const [, name, value] of lines.matchAll(/^([\w-]+):[ \t]*(.*?)\r?$/gm)) {
    (headers[name.toLowerCase()] ??= []).push(value);
  }
  return { status: 402, headers, body: body.trim() };
}

function framed(text) {
  try {
    const value = JSON.parse(text);
    if (!Array.isArray(value?.accepts) || value.items || value.resources) return undefined;
    const encoded = Buffer.from(JSON.stringify(value), 'utf8').toString('base64');
    const isFirst = Number(value.x402Version) === 1;
    return isFirst
      ? { status: 402, headers: {}, body: text }
      : { status: 402, headers: { 'payment-required': encoded }, body: '{}' };
  } catch {
    return undefined;
  }
}
