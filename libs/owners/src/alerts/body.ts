import { defined } from '@app/platform';
import { VERIFY_TYPE } from './alert';

/** An alert as it is stored. */
export interface Alert {
  readonly id: string;
  readonly type: string;
  readonly domain: string;
  readonly at: Date;
  readonly seq: number | null;
  readonly coalesced: number | null;
  /** Id of the claim, or the challenge of a receiver. */
  readonly subject: string | null;
}

/**
 * What a receiver gets, as JSON text: what kind of thing happened to which host, and where to read of it. Never what
 * changed: that is read where it is signed. The same text in each attempt.
 */
export function alertBody({ type, domain, at, seq, coalesced, subject }: Alert, baseUrl: string): string {
  return JSON.stringify({ type, timestamp: at.toISOString(), data: { domain, ...about() } });

  function about(): object {
    if (type === VERIFY_TYPE) return { challenge: subject };
    if (type.startsWith('claim.')) return { claim: `${baseUrl}/api/v1/claims/${subject ?? ''}` };
    const host = `${baseUrl}/api/v1/hosts/${domain}`;
    return {
      seq,
      ...defined({ coalesced: coalesced ?? undefined }),
      report: host,
      statement: `${host}/statement`,
      changes: `${host}/changes`,
    };
  }
}

/** Whether an answer shows that the receiver read the challenge: it is the challenge, or JSON with a member of that name. */
export function answersChallenge(answer: string, challenge: string): boolean {
  if (answer.trim() === challenge) return true;
  try {
    const read: unknown = JSON.parse(answer);
    return typeof read === 'object' && read !== null && 'challenge' in read && read.challenge === challenge;
  } catch {
    return false;
  }
}
