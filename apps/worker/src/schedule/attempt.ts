import {
  answersChallenge,
  GONE,
  isTaken,
  pauseSec,
  VERIFY_TYPE,
  waitSec,
  webhookHeaders,
  alertBody,
  type Attempted,
  type WebhookKeys,
} from '@app/owners';
import { visible } from '@app/detectors';
import { retryAfterSec, TargetBusyError } from '@app/limits';
import { openSecret, type DueDelivery } from '@app/storage';
import type { Sender, Sent } from '@app/probing';

/** How many characters of an answer the owner of a watch can see. */
const EXCERPT_CHARS = 1_024;

/** The services for attempts. */
export interface AttemptDeps {
  readonly sender: Pick<Sender, 'send'>;
  /** The current keys, followed by old ones that only decrypt. */
  readonly keys: readonly [WebhookKeys, ...WebhookKeys[]];
  readonly baseUrl: string;
}

/** A delivery that was not attempted, with the seconds until it is due again. */
interface PutOff {
  readonly laterSec: number;
}

/**
 * Attempts a delivery once. It is postponed if this process is stopping or its receiver has used up its messages of
 * this minute.
 */
export async function attempt(deps: AttemptDeps, due: DueDelivery): Promise<Attempted | PutOff> {
  const started = performance.now();
  const sent = await sendSigned(deps, due).catch((error: unknown) => {
    if (error instanceof TargetBusyError) return { laterSec: error.retryAfterSec };
    throw error;
  });
  if (typeof sent === 'object' && 'laterSec' in sent) return sent;
  const ms = Math.round(performance.now() - started);
  if (sent === 'secret_lost') return { ...failed(due, 0), status: null, outcome: sent, ms, excerpt: '', gone: false };
  if (sent.kind === 'failure') {
    if (sent.reason === 'budget_spent') return { laterSec: 0 };
    return { ...failed(due, 0), status: null, outcome: sent.reason, ms, excerpt: '', gone: false };
  }
  const { status, body } = sent;
  const excerpt = visible(body, EXCERPT_CHARS);
  if (isTaken(status)) {
    if (answered(due, body)) return { ...TAKEN, status, outcome: String(status), ms, excerpt };
    return { ...failed(due, 0), status, outcome: 'challenge_not_answered', ms, excerpt, gone: false };
  }
  const asked = retryAfterSec(sent.retryAfter, new Date());
  return { ...failed(due, asked), status, outcome: String(status), ms, excerpt, gone: status === GONE };
}

const TAKEN = { taken: true, waitSec: 0, pauseSec: 0, gone: false } as const;

async function sendSigned({ sender, keys, baseUrl }: AttemptDeps, due: DueDelivery): Promise<Sent | 'secret_lost'> {
  const secrets = due.secrets.flatMap((sealed) => {
    const opened = keys.map((key) => openSecret(key, due.watch, sealed)).find((secret) => secret !== undefined);
    return opened ?? [];
  });
  // Without its secret we cannot sign, and the receiver would reject the alert as forged.
  if (due.secrets.length > 0 && secrets.length === 0) return 'secret_lost';
  const body = alertBody(due.alert, baseUrl);
  const message = { id: due.alert.id, timestamp: Math.floor(Date.now() / 1_000), body };
  return sender.send(due.url, webhookHeaders(message, secrets, keys[0].signing), body, due.site);
}

function answered({ alert: { type, subject } }: DueDelivery, body: string): boolean {
  return type !== VERIFY_TYPE || (subject !== null && answersChallenge(body, subject));
}

function failed({ failures, inARow }: DueDelivery, askedSec: number) {
  return {
    taken: false,
    waitSec: waitSec(failures + 1, askedSec, Math.random()) ?? null,
    pauseSec: pauseSec(inARow + 1, askedSec),
  } as const;
}
