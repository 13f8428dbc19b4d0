import type { HostEvidence } from '../evidence/host-evidence';
import { member, text, type JsonValue } from '../formats/json';
import { detailOf, type Judgement } from '../judgement/judgement';

/** `details.note` of a document that says of itself that nothing is behind it. */
const UNSUPPORTED = 'declares_unsupported';

/** Members that say yes or no about the whole of what a document describes. */
const SWITCHES = ['available', 'enabled', 'supported', 'implemented'] as const;

/** Members that hold them one level down. */
const HOLDERS = ['ucp', 'commerce', 'info', 'serverInfo'] as const;

const UNSUPPORTED_STATUS =
  /^(?:not[ _-]?(?:implemented|available|supported)|unimplemented|unavailable|unsupported|disabled|none|planned|coming[ _-]?soon)$/i;

/**
 * Takes a document at its word when it says that nothing is implemented (behaviour 4.10): the cell is `partial` and says so.
 * A version 0.0.0 says it only where the document names nothing that an agent could use.
 */
export function atItsWord(judgement: Judgement, seen: HostEvidence): Judgement {
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

/** Whether the host itself says that there is nothing to mend: advice would tell it what it knows. */
export function knowsItself(judgement: Judgement): boolean {
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
