import { DETECTORS, requestsOf } from '@app/detectors';
import { PROBE_KINDS, type ProbeKind } from '@app/limits';
import type { DeepReadonly } from '@app/platform';
import { HostName } from '@app/hosts';
import { EndpointHealth, parsed, PayToFinding, ProtocolAnswer, WHO_IS_PAID } from '@app/reports';
import { z } from 'zod';

/** The outcome of a probe that wrote a report; the report itself is read from storage. */
const WrittenReport = z.object({ domain: z.string(), probedAt: z.string() });

/** The same of one by the clock. */
const ScheduledOutcome = z.union([WrittenReport, z.object({ domain: z.string(), skipped: z.literal('robots_txt') })]);

interface Definition {
  readonly args: z.ZodObject;
  readonly outcome: z.ZodType;
  readonly requests?: (args: never) => number;
}

/**
 * What a worker can do, kind by kind: what it has to know besides the host whose budgets and history the run
 * counts against, and what it answers. The row of a run carries both as JSON, and each end parses them by this.
 * `requests` is how many it sends, as its weight counts them (behaviour 12.3); its pot says it of the others.
 */
export const RUN_KINDS = {
  /** A probe of everything. */
  host: { args: z.object({}), outcome: WrittenReport },
  /** A free probe of the published files, for a reader or on schedule. The host's robots.txt may end it. */
  presence: { args: z.object({ pot: z.literal('scheduled').optional() }), outcome: ScheduledOutcome },
  /** A full probe of a host that somebody watches, or for its owner; the host's robots.txt may end it, too. */
  watch: { args: z.object({ pot: z.literal('owner').optional() }), outcome: ScheduledOutcome },
  protocol: {
    args: z.object({ protocol: z.string() }),
    outcome: ProtocolAnswer,
    requests: ({ protocol }: { readonly protocol: string }) =>
      requestsOf(DETECTORS.filter(({ id }) => id === protocol)),
  },
  endpoint_health: {
    args: z.object({ method: z.enum(['GET', 'POST']), url: z.string() }),
    outcome: EndpointHealth,
    requests: () => 1,
  },
  payto_check: { args: z.object({}), outcome: PayToFinding, requests: () => requestsOf(WHO_IS_PAID) },
  /** The check of a claim; its result is stored with the claim. */
  claim_check: { args: z.object({ claim: z.string() }), outcome: z.object({ claim: z.string() }) },
} as const satisfies Record<string, Definition>;

export type RunKind = keyof typeof RUN_KINDS;

type Args<Kind extends RunKind> = z.infer<(typeof RUN_KINDS)[Kind]['args']>;

/** What a worker has to do. */
export type RunRequest<Kind extends RunKind = RunKind> = {
  [Each in Kind]: { readonly kind: Each; readonly host: HostName } & {
    readonly [Name in keyof Args<Each> as string extends Name ? never : Name]: Args<Each>[Name];
  };
}[Kind];

/** What the worker found. */
export type RunOutcome<Kind extends RunKind = RunKind> = DeepReadonly<z.infer<(typeof RUN_KINDS)[Kind]['outcome']>>;

/** A request as a row of runs keeps it. */
interface RunOrder {
  readonly kind: string;
  readonly domain: string;
  readonly args: unknown;
  /** Two unfinished runs never share it: a second request for the same gets the one that is under way. */
  readonly subject: string;
}

/** @throws {z.ZodError} when the arguments are not those of the kind */
export function orderOf({ kind, host, ...rest }: RunRequest): RunOrder {
  const args = RUN_KINDS[kind].args.parse(rest); // in the order of the schema, for every caller
  const named = Object.entries(args).flatMap(([name, value]) => (name === 'pot' ? [] : [value]));
  return { kind, domain: host.ascii, args, subject: [kind, host.ascii, ...named].join(' ') };
}

/** Whose pot a run draws from (behaviour 12.10). */
export function potOf(run: RunRequest): ProbeKind {
  if (run.kind === 'presence') return run.pot ?? 'first';
  if (run.kind === 'watch') return run.pot ?? 'watch';
  return run.kind === 'claim_check' ? 'claim' : 'paid';
}

/** Requests that a run sends, as its weight counts them (behaviour 12.3). */
export function requestsIn(run: RunRequest): number {
  const { requests }: Definition = RUN_KINDS[run.kind];
  return requests?.(run as never) ?? PROBE_KINDS[potOf(run)].requests;
}

/** A request under the id of its row. */
export type Run<Kind extends RunKind = RunKind> = RunRequest<Kind> & { readonly id: string };

/** Reads the row of a run. @throws when no process of this version could have written it */
export function readRun({ id, kind, domain, args }: Omit<RunOrder, 'subject'> & { readonly id: string }): Run {
  if (!isRunKind(kind)) throw new Error(`a run has the unknown kind ${kind}`);
  const reading = HostName.parse(domain);
  if (!reading.ok) throw new Error(`a run has the invalid host name ${domain}`);
  return { id, kind, host: reading.host, ...RUN_KINDS[kind].args.parse(args ?? {}) } as Run;
}

/** Reads what the worker found, just as it was written. @throws {z.ZodError} when it is not what the kind answers */
export function outcomeOf<Kind extends RunKind>(kind: Kind, outcome: unknown): RunOutcome<Kind> {
  return parsed(RUN_KINDS[kind].outcome, outcome) as RunOutcome<Kind>;
}

function isRunKind(kind: string): kind is RunKind {
  return Object.hasOwn(RUN_KINDS, kind);
}
