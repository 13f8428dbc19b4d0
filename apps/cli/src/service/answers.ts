import type { CellStatus } from '@app/detectors';
import type { BatchItem, HostFacts } from '@app/reports';
import { z } from 'zod';
import { CommandError, EXIT, type ExitCode } from '../exit-codes';
import { oneLine } from '../paint';

const STATUSES = ['absent', 'present', 'partial', 'undiscoverable', 'error'] as const satisfies readonly CellStatus[];
/** An object of this shape; what it has beside is kept. */
const loose = <Shape extends z.ZodRawShape>(shape: Shape) => z.object(shape).passthrough();
const words = z.array(z.string());
const nullable = z.string().nullable();

/** The parts of a report (spec 2.1) that a command reads; what else a service says is kept as it is. */
const report = loose({
  domain: z.string(),
  origin: z.string(),
  probedAt: z.string().optional(),
  reachable: z.boolean().optional(),
  protocols: z.array(
    loose({
      id: z.string(),
      status: z.enum(STATUSES),
      version: nullable,
      details: z.record(z.string(), z.unknown()),
    }),
  ),
  fixes: z.array(
    loose({ id: z.string(), protocol: z.string(), problem: z.string(), fix: z.string(), spec: z.string() }),
  ),
  paymentRails: loose({
    payable: z.boolean(),
    rails: z.array(
      loose({
        protocol: z.string(),
        network: nullable,
        networkName: nullable,
        asset: nullable,
        amount: nullable,
        amountUsd: nullable,
        payTo: nullable,
        resource: z.string(),
        httpMethod: z.string(),
        reasons: words,
      }),
    ),
  }),
});

const batch = loose({
  results: z.array(
    z.union([
      loose({
        domain: z.string(),
        ok: z.literal(true),
        reachable: z.boolean(),
        payable: z.boolean(),
        present: words,
        partial: words,
        errors: words,
      }),
      loose({ domain: z.string(), ok: z.literal(false), error: z.string(), code: z.string() }),
    ]),
  ),
});

const problem = z.object({ error: z.string(), code: z.string() });

/** @throws {CommandError} `serviceAway` when it is no report */
export function readReport(body: unknown): HostFacts {
  return shaped(report, body) as HostFacts;
}

/** @throws {CommandError} `serviceAway` when it is no batch answer */
export function readBatch(body: unknown): readonly BatchItem[] {
  return (shaped(batch, body) as { readonly results: readonly BatchItem[] }).results;
}

function shaped(schema: z.ZodType, body: unknown): unknown {
  const reading = schema.safeParse(body);
  if (!reading.success) throw notHostprobe();
  return reading.data;
}

export function notHostprobe(): CommandError {
  return new CommandError(EXIT.serviceAway, 'what answers there is no hostprobe service');
}

/**
 * What the service's refusal means for a command: its own sentence and the exit code of its status (contract 2).
 * @param payer who paid, when a payment was made
 */
export function refusalOf(status: number, body: unknown, payer: string | null): CommandError {
  const reading = problem.safeParse(body);
  if (!reading.success) return notHostprobe();
  const [sentence, code] = [oneLine(reading.data.error), oneLine(reading.data.code)];
  if (status === 402) {
    const who = payer === null ? '' : `wallet ${payer}: `;
    return new CommandError(EXIT.notPaid, `${who}${sentence}; nothing was charged`);
  }
  return new CommandError(exitOf(status, code), `the service answers: ${sentence}`);
}

function exitOf(status: number, code: string): ExitCode {
  if (code === 'invalid_domain') return EXIT.wrongDomain;
  return status === 409 ? EXIT.notPaid : EXIT.serviceAway;
}
