import { VERIFY_TYPE, type ChangesOfAlert } from './alert';

/** A stored alert. */
export interface Alert extends Omit<ChangesOfAlert, 'type'> {
  readonly id: string;
  readonly type: string;
  readonly domain: string;
  readonly at: Date;
  readonly seq: number | null;
  readonly coalesced: number | null;
  /** The id of the claim, or the challenge for a receiver. */
  readonly subject: string | null;
}

/**
 * The JSON message for a receiver: the event and its host, the changes, and the URL of the signed report. It is the
 * same text in each attempt, because everything in it is stored with the alert.
 */
export function alertBody(alert: Alert, baseUrl: string): string {
  const { type, domain, at, seq, coalesced, subject, changes, changesOmitted } = alert;
  return JSON.stringify({ type, timestamp: at.toISOString(), data: { domain, ...about() } });

  function about(): object {
    if (type === VERIFY_TYPE) return { challenge: subject };
    if (type.startsWith('claim.')) return { claim: `${baseUrl}/api/v1/claims/${subject ?? ''}` };
    const host = `${baseUrl}/api/v1/hosts/${domain}`;
    return {
      ...{ seq, coalesced },
      report: host,
      statement: `${host}/statement`,
      changesUrl: `${host}/changes`,
      ...{ changes, changesOmitted },
    };
  }
}

/**
 * Whether an answer proves that the receiver read the challenge: it is the challenge itself, or JSON with a field
 * `challenge`.
 */
export function answersChallenge(answer: string, challenge: string): boolean {
  if (answer.trim() === challenge) return true;
  try {
    const read: unknown = JSON.parse(answer);
    return typeof read === 'object' && read !== null && 'challenge' in read && read.challenge === challenge;
  } catch {
    return false;
  }
}
