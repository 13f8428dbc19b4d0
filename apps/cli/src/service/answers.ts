import type { CellStatus } from '@app/detectors';
import type { BatchItem, HostFacts } from '@app/reports';
import { z } from 'zod';
import type { ServiceError } from '../../../../packages/client/src/index.js';
import { CommandError, EXIT, type ExitCode } from '../terminal/exit-codes';
import { oneLine } from '../terminal/paint';

const STATUSES = ['absent', 'present', 'partial', 'undiscoverable', 'error'] as const satisfies readonly CellStatus[];
const words = z.array(z.string());
const nullable = z.string().nullable();

/** The members of a report (behaviour 3.1) that a command reads; objects are loose, so what else a service says is kept as it is. */
export const REPORT = z.looseObject({
  domain: z.string(),
  origin: z.string(),
  probedAt: z.string().optional(),
  reachable: z.boolean().optional(),
  protocols: z.array(
    z.looseObject({
      id: z.string(),
      status: z.enum(STATUSES),
      version: nullable,
      details: z.record(z.string(), z.unknown()),
    }),
  ),
  fixes: z.array(
    z.looseObject({ id: z.string(), protocol: z.string(), problem: z.string(), fix: z.string(), spec: z.string() }),
  ),
  paymentRails: z.looseObject({
    payable: z.boolean(),
    rails: z.array(
      z.looseObject({
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

const batch = z.looseObject({
  results: z.array(
    z.union([
      z.looseObject({
        domain: z.string(),
        ok: z.literal(true),
        reachable: z.boolean(),
        payable: z.boolean(),
        present: words,
        partial: words,
        errors: words,
      }),
      z.looseObject({ domain: z.string(), ok: z.literal(false), error: z.string(), code: z.string() }),
    ]),
  ),
});

/** @throws {CommandError} `serviceAway` when it is no report */
export function readReport(body: unknown): HostFacts {
  return shaped(REPORT, body) as HostFacts;
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
 * What an error response of the service means for a command: its own sentence and the exit code of its status (behaviour 2.4).
 * @param payer who paid, when a payment was made
 */
export function errorOf(error: ServiceError, payer: string | null): CommandError {
  if (error.code === 'not_hostprobe') return notHostprobe();
  const sentence = oneLine(error.error);
  if (error.status === 402) {
    const who = payer === null ? '' : `wallet ${payer}: `;
    return new CommandError(EXIT.notPaid, `${who}${sentence}; nothing was charged`);
  }
  return new CommandError(exitOf(error), `the service answers: ${sentence}`);
}

function exitOf({ code, status }: ServiceError): ExitCode {
  if (code === 'invalid_domain') return EXIT.wrongDomain;
  return status === 409 ? EXIT.notPaid : EXIT.serviceAway;
}
