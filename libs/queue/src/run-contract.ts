import { DETECTORS, requestsOf } from '@app/detectors';
import { PROBE_KINDS, type ProbeKind } from '@app/limits';
import type { DeepReadonly } from '@app/platform';
import { HostName } from '@app/hosts';
import { EndpointHealth, parsed, PayToFinding, ProtocolAnswer, Skipped, WHO_IS_PAID } from '@app/reports';
import { z } from 'zod';

/** The outcome of a probe that stored a report. The report itself is read from storage. */
const WrittenReport = z.object({ domain: z.string(), probedAt: z.string() });

/** The outcome of a free or scheduled probe, which the host may not want. */
const ScheduledOutcome = z.union([WrittenReport, z.object({ domain: z.string(), skipped: Skipped })]);

interface Definition {
  readonly args: z.ZodObject;
  readonly outcome: z.ZodType;
  readonly requests?: (args: never) => number;
}

/**
 * The kinds of runs. For each kind: its arguments, in addition to the host whose budgets and history the run counts
 * against, and its outcome. The row of a run has both as JSON, and both processes parse them with these schemas.
 *
 * `requests` is the number of requests for the weight of a run (behaviour 12.3); for kinds without it, the budget's own
 * number applies.
 */
export const RUN_KINDS = {
  /** A probe of everything. */
  host: { args: z.object({}), outcome: WrittenReport },
  /** A free probe of the published files, for a reader or on schedule; skipped where the host does not want it. */
  presence: { args: z.object({ pot: z.literal('scheduled').optional() }), outcome: ScheduledOutcome },
  /** A full probe of a watched host, or for the owner of a host. Skipped if the host does not want it. */
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

/** The work of a run. */
export type RunRequest<Kind extends RunKind = RunKind> = {
  [Each in Kind]: { readonly kind: Each; readonly host: HostName } & {
    readonly [Name in keyof Args<Each> as string extends Name ? never : Name]: Args<Each>[Name];
  };
}[Kind];

/** The result of a run. */
export type RunOutcome<Kind extends RunKind = RunKind> = DeepReadonly<z.infer<(typeof RUN_KINDS)[Kind]['outcome']>>;

/** A request as stored in the row of a run. */
interface RunOrder {
  readonly kind: string;
  readonly domain: string;
  readonly args: unknown;
  /** Unique among unfinished runs: a second request with the same subject joins the running one. */
  readonly subject: string;
}

/** @throws {z.ZodError} if the arguments do not match the kind */
export function orderOf({ kind, host, ...rest }: RunRequest): RunOrder {
  const args = RUN_KINDS[kind].args.parse(rest); // in schema order, for every caller
  const named = Object.entries(args).flatMap(([name, value]) => (name === 'pot' ? [] : [value]));
  return { kind, domain: host.ascii, args, subject: [kind, host.ascii, ...named].join(' ') };
}

/** The budget that a run uses (behaviour 12.10). */
export function potOf(run: RunRequest): ProbeKind {
  if (run.kind === 'presence') return run.pot ?? 'first';
  if (run.kind === 'watch') return run.pot ?? 'watch';
  return run.kind === 'claim_check' ? 'claim' : 'paid';
}

/** The number of requests of a run, for its weight (behaviour 12.3). */
export function requestsIn(run: RunRequest): number {
  const { requests }: Definition = RUN_KINDS[run.kind];
  return requests?.(run as never) ?? PROBE_KINDS[potOf(run)].requests;
}

/** A request with the id of its row. */
export type Run<Kind extends RunKind = RunKind> = RunRequest<Kind> & { readonly id: string };

/** Reads the row of a run. @throws if no process of this version could have written it */
export function readRun({ id, kind, domain, args }: Omit<RunOrder, 'subject'> & { readonly id: string }): Run {
  if (!isRunKind(kind)) throw new Error(`a run has the unknown kind ${kind}`);
  const reading = HostName.parse(domain);
  if (!reading.ok) throw new Error(`a run has the invalid host name ${domain}`);
  return { id, kind, host: reading.host, ...RUN_KINDS[kind].args.parse(args ?? {}) } as Run;
}

/** Reads the stored outcome, unchanged. @throws {z.ZodError} if it does not match the kind */
export function outcomeOf<Kind extends RunKind>(kind: Kind, outcome: unknown): RunOutcome<Kind> {
  return parsed(RUN_KINDS[kind].outcome, outcome) as RunOutcome<Kind>;
}

function isRunKind(kind: string): kind is RunKind {
  return Object.hasOwn(RUN_KINDS, kind);
}
