import { defined } from '@app/platform';
import type { Detector, Inquiry } from './judgement/detector';
import type { HostEvidence } from './evidence/host-evidence';
import { type JsonObject, member, text, type JsonValue } from './formats/json';
import { gainOf, type Gain } from './judgement/gain';
import { type CellStatus, type Judgement, detailOf } from './judgement/judgement';
import { tidy, visible } from './quoting/tidy';
import { mayShowKey } from './quoting/key-text';
import { mediaType, type Exchange } from './evidence/exchange';

/** How many characters of a body a report quotes; the hash covers the rest. */
const EXCERPT = 200;

/** How many characters of a body are searched for keys; a key that starts in the excerpt ends within these. */
const READ_FOR_KEYS = 2_000;
/** An exchange that decided a cell although its own documents were not requested (`details.decidedBy`). */
function pointerTo(exchange: Exchange): JsonObject {
  const { method, url, observedAt } = exchange;
  const came = exchange.kind === 'answer' ? { status: exchange.status } : { failure: exchange.reason };
  return { method, url: visible(url, 2_048), ...came, observedAt };
}

/**
 * The data of an exchange in a report (behaviour 4.3), enough to repeat the request and to compare the answer. If the
 * document contains a private key, the excerpt is left out, but the hash stays.
 */
function evidenceOf(exchange: Exchange, withholdExcerpt = false): JsonObject {
  const { method, url, requestBody, observedAt } = exchange;
  const redirects = exchange.redirects.map(({ status, location }) => ({ status, location: visible(location, 2_048) }));
  const asked = defined({
    method,
    url: visible(url, 2_048),
    requestBody: requestBody === undefined ? undefined : visible(requestBody, EXCERPT),
    redirects: redirects.length === 0 ? undefined : redirects,
    observedAt,
  });
  if (exchange.kind === 'failure') {
    const { reason, detail, certificate } = exchange;
    return {
      ...asked,
      ...defined({ failure: reason, failureDetail: detail, certificate: certificate && { ...certificate } }),
    };
  }
  return {
    ...asked,
    status: exchange.status,
    contentType: visible(mediaType(exchange), 100) || null,
    bytes: exchange.bytes,
    sha256: exchange.sha256,
    ...(exchange.truncated ? { truncated: true } : {}),
    excerpt:
      withholdExcerpt || mayShowKey(exchange.body.slice(0, READ_FOR_KEYS)) ? null : visible(exchange.body, EXCERPT),
  };
}

/** `details.note` of a document that declares itself unsupported. */
const UNSUPPORTED = 'declares_unsupported';

/** Boolean fields about everything that a document describes. */
const SWITCHES = ['available', 'enabled', 'supported', 'implemented'] as const;

/** Objects that may contain them. */
const HOLDERS = ['ucp', 'commerce', 'info', 'serverInfo'] as const;

const UNSUPPORTED_STATUS =
  /^(?:not[ _-]?(?:implemented|available|supported)|unimplemented|unavailable|unsupported|disabled|none|planned|coming[ _-]?soon)$/i;

/**
 * If a document declares that nothing is implemented (behaviour 4.10), the cell becomes `partial` with a note. Version
 * 0.0.0 only counts if the document contains nothing that an agent could use.
 */
function applyDeclaredUnsupported(judgement: Judgement, seen: HostEvidence): Judgement {
  const { status, decidedBy, details } = judgement;
  if (status !== 'present' && status !== 'partial') return judgement;
  const said = decidedBy.some((exchange) => {
    if (exchange.kind !== 'answer' || exchange.method !== 'GET' || exchange.status >= 300) return false;
    const reading = seen.readingOf(exchange);
    return reading.kind === 'json' && saysUnsupported(reading.value, status === 'partial');
  });
  return said && !knowsItself(judgement)
    ? { ...judgement, status: 'partial', details: { ...details, note: UNSUPPORTED } }
    : judgement;
}

/** Whether the host itself declares the protocol as off, so that advice would not help. */
function knowsItself(judgement: Judgement): boolean {
  return [UNSUPPORTED, 'commerce_disabled', 'transport_none'].includes(detailOf(judgement, 'note') ?? '');
}

function saysUnsupported(document: JsonValue, unusable: boolean): boolean {
  const parts = [document, ...HOLDERS.map((name) => member(document, name))];
  return parts.some(
    (part) =>
      SWITCHES.some((name) => member(part, name) === false) ||
      UNSUPPORTED_STATUS.test((text(member(part, 'status')) ?? '').slice(0, 40).trim()) ||
      (unusable && text(member(part, 'version')) === '0.0.0'),
  );
}

/** Behaviour 4.1 and behaviour 4.3. */
export interface ProtocolCell {
  readonly id: string;
  readonly status: CellStatus;
  readonly version: string | null;
  readonly details: JsonObject;
}

/** Behaviour 4.6. */
export interface Fix extends Gain {
  readonly id: string;
  readonly protocol: string;
  readonly problem: string;
  readonly fix: string;
  readonly spec: string;
}

/** A detector that threw an error, which is a bug in this service; for the log. */
export interface DetectorFailure {
  readonly detector: string;
  readonly stack: string;
}

export interface DetectorResult {
  readonly cell: ProtocolCell;
  readonly fixes: readonly Fix[];
  /** Set if the cell is an `error` because of a bug. */
  readonly failure?: DetectorFailure;
}

/**
 * Runs a detector. It guarantees what no detector may get wrong: evidence in every cell, sanitized quotes, a bug
 * affecting only its own cell, no fix for an `error`, and `.missing` only for `absent`.
 */
export function runDetector(detector: Detector, seen: HostEvidence): DetectorResult {
  try {
    const judgement = settled(detector, applyDeclaredUnsupported(detector.judge(seen), seen), seen);
    const fixes = judgement.status === 'error' ? [] : adviceOf(detector, judgement, seen);
    return { cell: cellOf(detector, judgement), fixes };
  } catch (error) {
    const stack = (error instanceof Error ? error.stack : undefined) ?? String(error);
    const failed = { status: 'error', details: { reason: 'detector_failed' }, decidedBy: [] } as const;
    return { cell: cellOf(detector, failed), fixes: [], failure: { detector: detector.id, stack } };
  }
}

/** If the deciding documents were not all requested, the protocol cannot be absent. */
function settled(detector: Detector, judgement: Judgement, seen: HostEvidence): Judgement {
  const missed = judgement.status === 'absent' ? missedBy(detector, seen)[0] : undefined;
  if (!missed) return judgement;
  const { reason, exchange } = missed;
  const own = exchange === undefined || judgement.decidedBy.includes(exchange);
  const details = { reason, ...defined({ decidedBy: own ? undefined : pointerTo(exchange) }) };
  return { status: 'error', details, decidedBy: judgement.decidedBy };
}

/** Why the deciding documents of a protocol were not reached, one entry per document. */
export function missedBy({ probes, followUps }: Inquiry, seen: HostEvidence) {
  return [...probes, ...(followUps?.(seen) ?? [])].flatMap(({ url, optional }) =>
    optional ? [] : (seen.missed(url) ?? []),
  );
}

/** Puts the name of the host into the examples of a fix, so that they can be copied as they are ({@link FixAdvice}). */
function forHost(fix: string, { domain }: HostEvidence): string {
  const reversed = domain.split('.').reverse().join('.');
  return fix.replaceAll('{host}', domain).replaceAll('{reversed host}', reversed);
}

/** Clients cannot read anything from a folder that the host denies (behaviour 4.8). */
function reachable(fix: string, { deniesWellKnown }: HostEvidence): string {
  if (deniesWellKnown === undefined || !fix.includes('/.well-known/')) return fix;
  return `Your server answers ${deniesWellKnown} to every path under /.well-known/. Allow that folder first. ${fix}`;
}

function cellOf({ id }: Detector, judgement: Judgement): ProtocolCell {
  const { status, version = null, details = {}, findings = [] } = judgement;
  return {
    id,
    status,
    version: version === null ? null : (tidy(version) as string),
    details: {
      ...(tidy(details) as JsonObject),
      ...(findings.length > 0 ? { findings: tidy(findings.map((f) => ({ ...f }))) } : {}),
      evidence: judgement.decidedBy.map((exchange) => evidenceOf(exchange, judgement.withholdExcerpts === true)),
    },
  };
}

function adviceOf(detector: Detector, judgement: Judgement, seen: HostEvidence): readonly Fix[] {
  return detector
    .advise(judgement, seen)
    .filter(({ kind }) => kind !== 'missing' || judgement.status === 'absent')
    .filter(({ kind }) => kind === 'private_key' || !knowsItself(judgement))
    .map(({ kind, problem, fix }) => ({
      id: `${detector.id}.${kind}`,
      protocol: detector.id,
      ...gainOf(detector.gain, kind),
      problem: tidy(problem) as string,
      fix: tidy(reachable(forHost(fix, seen), seen), 4_000) as string,
      spec: detector.spec,
    }));
}
