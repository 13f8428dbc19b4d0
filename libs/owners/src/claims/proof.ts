import type { z } from 'zod';

/**
 * The levels of proof, the strongest first: control of the zone, of a name that a CNAME leads to, or of the web server.
 * All proofs of one level count as one: switching between them does not extend a claim.
 */
export const CLAIM_LEVELS = ['dns', 'dns-delegated', 'http'] as const;
export type ClaimLevel = (typeof CLAIM_LEVELS)[number];

/** The answer of one name server about the records of a name. */
export interface RecordAnswer {
  /** False if the name does not exist. */
  readonly exists: boolean;
  readonly records: readonly string[];
  /** The target of the CNAME, if there is one; otherwise null. */
  readonly target: string | null;
}
/** The answers of the name servers, undefined for one that did not answer. */
export type RecordAnswers = readonly (RecordAnswer | undefined)[];

/** An answer of the host in the form of an exchange. Redirects are not followed. */
export interface HostAnswer {
  readonly status: number;
  /** With names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  readonly bytes: number;
}

/** The answers for a proof; only those of its source are set. */
export interface ProofAnswers {
  readonly records: RecordAnswers;
  /** Undefined if there is no answer. */
  readonly document: HostAnswer | undefined;
}

type Values<Shape extends z.ZodRawShape> = Readonly<z.infer<z.ZodObject<Shape>>>;

/** A way to prove control of a host: what to publish, how it is checked, and its texts. */
interface Proof<Found extends z.ZodRawShape, Published extends z.ZodRawShape> {
  /** A noun for it in sentences: `a file`. */
  readonly noun: string;
  /** The field of a claim that says what to publish. */
  readonly published: Published;
  readonly publish: (domain: string, challenge: string) => Values<Published>;
  /** What a worker requests: the TXT records of a name, or a file of the host. */
  readonly source: 'records' | 'document';
  /** The name or URL to request. */
  readonly at: (domain: string) => string;
  /** The result of a check, as fields of `found`. */
  readonly found: Found;
  readonly read: (answers: ProofAnswers, challenge: string, now: Date) => Values<Found>;
  /**
   * The levels that it can prove, and the level that a finding proves: null for none, `unknown` if the check was
   * inconclusive.
   */
  readonly levels: readonly ClaimLevel[];
  readonly levelOf: (found: Values<Found>) => ClaimLevel | 'unknown' | null;
  /** Texts for the page of a claim: how to publish it, what to copy, and the result of the last check. */
  readonly heading: string;
  readonly note: string;
  readonly copies: (published: Values<Published>) => readonly (readonly [id: string, label: string, text: string])[];
  /** `quoted` marks untrusted text. */
  readonly rows: (found: Values<Found>) => readonly (readonly [term: string, text: string, by?: 'quoted'])[];
}

/** Defines a way to prove control of a host; `proofs.ts` lists them. */
export function defineProof<Found extends z.ZodRawShape, Published extends z.ZodRawShape>(
  proof: Proof<Found, Published>,
): Proof<Found, Published> {
  return proof;
}
