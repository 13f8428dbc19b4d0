import { readJson, type JsonFault, type JsonValue } from '../formats/json';

/** How a header value deviates from its specified encoding. */
type EncodingFlaw = 'raw_json' | 'base64url' | 'unpadded' | 'padded' | 'whitespace' | 'double_base64';

export type EncodedReading =
  | { readonly ok: true; readonly value: JsonValue; readonly flaws: readonly EncodingFlaw[] }
  | { readonly ok: false; readonly fault: 'not_base64' | 'not_utf8' | JsonFault };

/** The longest decoded value in characters; response headers are read up to 64 KiB. */
const MAX_CHARS = 65_536;

/**
 * Decodes JSON from a header value: base64 or base64url, with or without padding, with extra white space, or plain
 * JSON. Never throws. Deviations are listed in `flaws`; callers decide which of them matter.
 */
export function readEncodedJson(value: string): EncodedReading {
  const trimmed = value.slice(0, MAX_CHARS).trim();
  if (trimmed.startsWith('{') || trimmed.startsWith('[')) return jsonOf(trimmed, ['raw_json']);
  const first = decodeBase64(trimmed);
  if (first.text === undefined) return { ok: false, fault: first.fault };
  if (/^[A-Za-z0-9+/_-]{8,}={0,2}$/.test(first.text)) {
    const second = decodeBase64(first.text);
    if (second.text !== undefined) return jsonOf(second.text, [...first.flaws, 'double_base64']);
  }
  return jsonOf(first.text, first.flaws);
}

function jsonOf(text: string, flaws: readonly EncodingFlaw[]): EncodedReading {
  const json = readJson(text);
  return json.ok ? { ok: true, value: json.value, flaws } : { ok: false, fault: json.reason };
}

type Decoded =
  | { readonly text: string; readonly flaws: readonly EncodingFlaw[] }
  | { readonly text?: undefined; readonly fault: 'not_base64' | 'not_utf8' };

function decodeBase64(value: string): Decoded {
  const compact = value.replace(/\s+/g, '');
  const body = compact.replace(/={1,2}$/, '');
  if (!/^[A-Za-z0-9+/_-]+$/.test(body) || body.length % 4 === 1) return { fault: 'not_base64' };
  const padding = '='.repeat((4 - (body.length % 4)) % 4);
  const flaws: EncodingFlaw[] = [];
  if (compact !== value) flaws.push('whitespace');
  if (/[-_]/.test(body)) flaws.push('base64url');
  if (padding !== '' && compact === body) flaws.push('unpadded');
  if (compact !== body) flaws.push('padded');
  const binary = atob(body.replace(/-/g, '+').replace(/_/g, '/') + padding);
  try {
    const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), flaws };
  } catch {
    return { fault: 'not_utf8' };
  }
}
