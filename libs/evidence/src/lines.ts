import { createHash } from 'node:crypto';
import { isWhole, type Answer, type Exchange, type JsonObject, type ProtocolCell } from '@app/detectors';
import { defined, without } from '@app/platform';
import { z } from 'zod';
import { bodyBytes, bodyOf } from './limits';

/**
 * The lines of a bundle (behaviour 12.13). Each is JSON with a fixed order of fields, so that equal exchanges give
 * equal text.
 */

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const time = z.iso.datetime();
const count = z.int().nonnegative();

/** The maximum number of lines: URLs use four digits, and a probe has about a hundred. */
const MAX_LINES = 9_999;

/** The first line, with data about the probe. */
export const Head = z.strictObject({
  hostprobe: z.literal('bundle/1'),
  domain: z.string(),
  origin: z.string(),
  /** Name and version of the prober. */
  prober: z.string(),
  /** Version of the detector rules. */
  rules: z.string(),
  hash: z.literal('rfc9162-sha256'),
  /** When the first and the last exchange ended. */
  from: time,
  to: time,
  /** The number of lines under the root, including this one. */
  lines: z.int().min(1).max(MAX_LINES),
  /** The number of exchanges that exceeded the limits. */
  leftOut: count,
});
export type Head = z.infer<typeof Head>;

const exchange = {
  method: z.enum(['GET', 'POST']),
  url: z.string(),
  requestBody: z.string().exactOptional(),
  phase: z.enum(['presence', 'callability', 'signals']),
  observedAt: time,
  redirects: z.array(z.strictObject({ status: count, location: z.string() })),
};

const AnswerLine = z.strictObject({
  kind: z.literal('answer'),
  ...exchange,
  finalUrl: z.string(),
  status: count,
  headers: z.array(z.tuple([z.string(), z.string()])),
  /** Size and SHA-256 of the complete body. */
  bytes: count,
  sha256: hash,
  truncated: z.boolean(),
  /** The kept start of a body that exceeds the limit. */
  kept: z.strictObject({ bytes: count, sha256: hash }).exactOptional(),
});
type AnswerLine = z.infer<typeof AnswerLine>;

const FailureLine = z.strictObject({
  kind: z.literal('failure'),
  ...exchange,
  reason: z.string(),
  detail: z.string().exactOptional(),
});

/** A result from bodies that are not completely in the bundle: the cell as the probe derived it. */
const DerivedLine = z.strictObject({
  kind: z.literal('derived'),
  id: z.string(),
  status: z.string(),
  version: z.string().nullable(),
  details: z.custom<JsonObject>((value) => typeof value === 'object' && value !== null),
});
export type DerivedLine = z.infer<typeof DerivedLine>;

export const Line = z.discriminatedUnion('kind', [AnswerLine, FailureLine, DerivedLine]);
export type Line = z.infer<typeof Line>;

/** The line of an exchange, without its body. */
export function exchangeLine(exchange: Exchange): Line {
  const { method, url, requestBody, phase, observedAt, redirects } = exchange;
  const steps = redirects.map(({ status, location }) => ({ status, location }));
  const base = { method, url, ...defined({ requestBody }), phase, observedAt, redirects: steps };
  if (exchange.kind === 'failure') {
    return { kind: 'failure', ...base, reason: exchange.reason, ...defined({ detail: exchange.detail }) };
  }
  const { finalUrl, status, bytes, sha256, truncated } = exchange;
  const headers = exchange.headers.map(([name, value]): [string, string] => [name, value]);
  return { kind: 'answer', ...base, finalUrl, status, headers, bytes, sha256, truncated, ...keptPart(exchange) };
}

export function derivedLine({ id, status, version, details }: ProtocolCell): DerivedLine {
  return { kind: 'derived', id, status, version, details: without(details, 'evidence') };
}

/** The hash under which the body of a line is stored. */
export function keptHash({ kept, sha256 }: AnswerLine): string {
  return kept?.sha256 ?? sha256;
}

/** The exchange of a line; a missing body counts as empty. */
export function exchangeOf(line: Exclude<Line, DerivedLine>, body: Uint8Array | undefined): Exchange {
  if (line.kind === 'failure') return line as Exchange;
  return { ...without(line, 'kept'), ...bodyOf(body ?? Buffer.alloc(0)) };
}

function keptPart(answer: Answer): Pick<AnswerLine, 'kept'> {
  if (isWhole(answer)) return {};
  const bytes = bodyBytes(answer);
  return { kept: { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') } };
}
