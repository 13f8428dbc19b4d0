import type { z } from 'zod';

/**
 * What a claim rests on, the strongest first: control of the zone, of a name that the zone leads to by a CNAME, or of the web
 * server. All proofs of one level count as one: a claim that goes from one to the other holds no longer than by one.
 */
export const CLAIM_LEVELS = ['dns', 'dns-delegated', 'http'] as const;
export type ClaimLevel = (typeof CLAIM_LEVELS)[number];

/** What one name server says about the records of a name. */
export interface RecordAnswer {
  /** False where there is no such name. */
  readonly exists: boolean;
  readonly records: readonly string[];
  /** Where a CNAME led to them; null without one. */
  readonly target: string | null;
}
/** One of each name server, undefined where one is silent. */
export type RecordAnswers = readonly (RecordAnswer | undefined)[];

/** An answer of the host, as an exchange has it. Redirects are not followed. */
export interface HostAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  readonly bytes: number;
}

/** What a worker got for a proof: that of its source, and nothing of the other. */
export interface ProofAnswers {
  readonly records: RecordAnswers;
  /** Undefined where none came. */
  readonly document: HostAnswer | undefined;
}

type Values<Shape extends z.ZodRawShape> = Readonly<z.infer<z.ZodObject<Shape>>>;

/** One way to prove control of a host: what to publish, how it is read, and what is said of it. */
interface Proof<Found extends z.ZodRawShape, Published extends z.ZodRawShape> {
  /** What an owner publishes, in a sentence: `a file`. */
  readonly noun: string;
  /** The member of a claim that says what to publish. */
  readonly published: Published;
  readonly publish: (domain: string, challenge: string) => Values<Published>;
  /** What a worker asks for: the TXT records of a name, or a document of the host. */
  readonly source: 'records' | 'document';
  /** That name, or the URL. */
  readonly at: (domain: string) => string;
  /** What a check found, as members of `found`. */
  readonly found: Found;
  readonly read: (answers: ProofAnswers, challenge: string, now: Date) => Values<Found>;
  /** Levels that it can show, and the one that a finding shows: null for none, `unknown` when the check could not tell. */
  readonly levels: readonly ClaimLevel[];
  readonly levelOf: (found: Values<Found>) => ClaimLevel | 'unknown' | null;
  /** On the page of a claim: how it is published, what an owner copies, and what the last check found. */
  readonly heading: string;
  readonly note: string;
  readonly copies: (published: Values<Published>) => readonly (readonly [id: string, label: string, text: string])[];
  /** `quoted` is text of somebody else. */
  readonly rows: (found: Values<Found>) => readonly (readonly [term: string, text: string, by?: 'quoted'])[];
}

/** Describes one way to prove control of a host; `proofs.ts` lists them. */
export function defineProof<Found extends z.ZodRawShape, Published extends z.ZodRawShape>(
  proof: Proof<Found, Published>,
): Proof<Found, Published> {
  return proof;
}
