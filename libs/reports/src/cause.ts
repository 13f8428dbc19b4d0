import { list, member, text, type JsonValue, type ProtocolCell } from '@app/detectors';
import { grouped } from '@app/platform';
import type { HostFacts } from './host-report';
import { isReason, REASONS, tlsWords, WALLS, type Reason } from './reasons';

/** Why a probe could check nothing, in words for the owner of the host. */
export interface Cause {
  readonly reason: Reason;
  /** One sentence. */
  readonly what: string;
  readonly remedy: string;
  /** The firewall rule that allows the prober. */
  readonly rule?: string;
}

type Failure = Pick<HostFacts, 'protocols'> & Partial<Pick<HostFacts, 'reachable'>>;

/** Whether a probe could check nothing, so that a report has only a cause to show. */
export function isFailed(facts: Failure): boolean {
  return facts.reachable === false || causeOf(facts) !== undefined;
}

/**
 * The common reason why a probe could check nothing: no cell found anything, and more than half of the cells have it, or
 * the host did not answer at all. Undefined if the cells of a host that answered differ, or something was found.
 */
export function causeOf({ protocols, reachable }: Failure): Cause | undefined {
  if (protocols.some(({ status }) => status === 'present' || status === 'partial')) return undefined;
  const failed = protocols.filter(({ status }) => status === 'error');
  const causes = grouped(failed, ({ details }) => text(details['reason']) ?? '');
  const [commonest] = [...causes].toSorted(([, a], [, b]) => b.length - a.length);
  if (!commonest) return undefined;
  const [reason, [cell, ...others]] = commonest;
  const isShared = (others.length + 1) * 2 > protocols.length || reachable === false;
  if (!isShared || !isReason(reason)) return undefined;
  return explained(reason, cell);
}

function explained(reason: Reason, { details }: ProtocolCell): Cause {
  const { what, remedy } = REASONS[reason];
  const evidence = (list(details['evidence']) ?? []).find((one) => member(one, 'failure') === reason);
  const said = reason === 'tls_error' ? certificateSentence(evidence) : undefined;
  if (said !== undefined) return { reason, what: said, remedy };
  const wall = reason === 'bot_challenge' ? WALLS[text(details['wall']) ?? ''] : undefined;
  if (wall) {
    return {
      reason,
      what: `${wall.name} challenged our probe.`,
      remedy,
      rule: wall.rule,
    };
  }
  const target = text(details['redirectedTo']);
  return { reason, remedy, what: target === undefined ? what : what.replace(/\.$/, ` (${target}).`) };
}

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });

function certificateSentence(evidence: JsonValue | undefined): string | undefined {
  const fault = text(member(evidence, 'failureDetail'));
  const certificate = member(evidence, 'certificate');
  const day = (name: string) => {
    const at = Date.parse(text(member(certificate, name)) ?? '');
    return Number.isNaN(at) ? undefined : DAY.format(at);
  };
  const [from, to, names] = [day('validFrom'), day('validTo'), text(member(certificate, 'names'))];
  if (fault === 'expired' && to !== undefined) return `The certificate expired on ${to}.`;
  if (fault === 'not_yet_valid' && from !== undefined) return `The certificate is valid only from ${from}.`;
  if (fault === 'name_mismatch' && names) return `The certificate is for another name: ${names}.`;
  return tlsWords(fault);
}
