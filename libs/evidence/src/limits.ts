import { RAW_BYTES, type Answer, type Exchange } from '@app/detectors';

/** How many bytes are kept of the exchanges of one probe. */
export interface EvidenceLimits {
  /** The maximum for one body. */
  readonly body: number;
  /** The maximum for everything: bodies, headers and other data of the exchanges. */
  readonly probe: number;
}

export const EVIDENCE_LIMITS: EvidenceLimits = { body: RAW_BYTES, probe: 2 * 1_024 * 1_024 };

/** The limits for a free probe. */
export const FREE_EVIDENCE_LIMITS: EvidenceLimits = {
  body: EVIDENCE_LIMITS.body / 4,
  probe: EVIDENCE_LIMITS.probe / 4,
};

type Kept = Pick<Answer, 'body' | 'raw' | 'truncated'>;

/**
 * Applies the limits: bodies that are too long are truncated and marked, and exchanges that do not fit are left out.
 * Hash and size stay those of the complete body, so that a truncated one can be recognized (`isWhole` of the
 * detectors).
 */
export function withinLimits(exchanges: readonly Exchange[], limits: EvidenceLimits): readonly Exchange[] {
  let left = limits.probe;
  const bodies = new Map<string, Kept>(); // equal bodies are stored once
  return exchanges.flatMap((exchange): readonly Exchange[] => {
    left -= Buffer.byteLength(JSON.stringify({ ...exchange, body: '', raw: undefined }));
    if (left < 0) return [];
    if (exchange.kind === 'failure') return [exchange];
    const kept = bodies.get(exchange.sha256) ?? keptOf(exchange, Math.min(limits.body, left));
    if (!bodies.has(exchange.sha256)) left -= bodyBytes(kept).length;
    bodies.set(exchange.sha256, kept);
    return [{ ...exchange, ...kept, truncated: exchange.truncated || kept.truncated }];
  });
}

/** The available bytes of a body, as received. */
export function bodyBytes({ body, raw }: Pick<Answer, 'body' | 'raw'>): Buffer {
  return raw ? Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength) : Buffer.from(body);
}

/** A body as text, and also as bytes if the text does not represent them. */
export function bodyOf(bytes: Uint8Array): Pick<Answer, 'body' | 'raw'> {
  const body = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  return Buffer.from(body).equals(bytes) ? { body } : { body, raw: bytes };
}

function keptOf(answer: Answer, bytes: number): Kept {
  const { body, raw, truncated } = answer;
  if (raw === undefined) {
    const kept = cut(body, bytes);
    return { body: kept, truncated: truncated || kept.length < body.length };
  }
  const kept = raw.subarray(0, bytes);
  return { ...bodyOf(kept), truncated: truncated || kept.length < answer.bytes };
}

/** The longest prefix of a text with at most this many bytes in UTF-8. */
function cut(text: string, bytes: number): string {
  if (text.length * 3 <= bytes) return text;
  const encoded = Buffer.from(text);
  if (encoded.length <= bytes) return text;
  // An incomplete character at the end is dropped.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(encoded.subarray(0, bytes), { stream: true });
}
