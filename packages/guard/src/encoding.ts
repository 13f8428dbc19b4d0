import { isObject, type JsonObject } from './payment.js';

/** The maximum nesting of brackets. */
const MAX_DEPTH = 128;

/** The object in a JSON text; undefined for anything else, and for a text that is nested too deeply. */
export function objectIn(json: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) && depthOf(json) <= MAX_DEPTH ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The nesting depth of brackets in a JSON text. */
function depthOf(json: string): number {
  let [depth, deepest] = [0, 0];
  for (const [mark] of json.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]/g)) {
    if (mark === '{' || mark === '[') deepest = Math.max(deepest, (depth += 1));
    else if (mark === '}' || mark === ']') depth -= 1;
  }
  return deepest;
}

/** Returns undefined for bytes that are not UTF-8. */
export function textIn(bytes: Uint8Array | undefined): string | undefined {
  try {
    return bytes && new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Decodes base64 in its canonical form only, because another spelling of the same bytes is a change. */
export function bytesIn(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const binary = atob(base64);
    return btoa(binary) === base64 ? Uint8Array.from(binary, (char) => char.charCodeAt(0)) : undefined;
  } catch {
    return undefined;
  }
}

export function base64Of(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

/** Decodes base64url without padding, in its canonical form only. */
export function urlBytesIn(base64url: string): Uint8Array<ArrayBuffer> | undefined {
  const padding = '='.repeat((4 - (base64url.length % 4)) % 4);
  return /^[\w-]*$/.test(base64url)
    ? bytesIn(base64url.replaceAll('-', '+').replaceAll('_', '/') + padding)
    : undefined;
}

export function urlBase64Of(bytes: Uint8Array): string {
  return base64Of(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** SHA-256 of all chunks together. */
export async function sha256(...pieces: readonly Uint8Array[]): Promise<Uint8Array> {
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  pieces.reduce((at, piece) => (whole.set(piece, at), at + piece.length), 0);
  return new Uint8Array(await crypto.subtle.digest('SHA-256', whole));
}
