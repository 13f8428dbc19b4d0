import { BatchAnswer, HostFacts, type BatchItem } from '@app/reports';
import type { z } from 'zod';
import type { ServiceError } from '../../../../packages/client/src/index.js';
import { CommandError, EXIT, type ExitCode } from '../terminal/exit-codes';
import { oneLine } from '../terminal/paint';

/** @throws {CommandError} `serviceUnavailable` if the body is not a report */
export function readReport(body: unknown): HostFacts {
  return shaped(HostFacts, body) as HostFacts;
}

/** @throws {CommandError} `serviceUnavailable` if the body is not a batch result */
export function readBatch(body: unknown): readonly BatchItem[] {
  return (shaped(BatchAnswer, body) as { readonly results: readonly BatchItem[] }).results;
}

/** Validates the body and returns it unchanged, so that unknown members are kept. */
function shaped(schema: z.ZodType, body: unknown): unknown {
  if (!schema.safeParse(body).success) throw foreignServiceError();
  return body;
}

export function foreignServiceError(): CommandError {
  return new CommandError(EXIT.serviceUnavailable, 'the server at this address is not a hostprobe service');
}

/**
 * Turns an error response of the service into an error of the command, with the service's sentence and the exit code
 * for its status (behaviour 2.4).
 * @param payer the address that paid, if a payment was made
 */
export function errorOf(error: ServiceError, payer: string | null): CommandError {
  if (error.code === 'not_hostprobe') return foreignServiceError();
  const sentence = oneLine(error.error);
  if (error.status === 402) {
    const who = payer === null ? '' : `wallet ${payer}: `;
    return new CommandError(EXIT.notPaid, `${who}${sentence.replace(/\.$/, '')}; nothing was charged`);
  }
  return new CommandError(exitOf(error), `the service replied: ${sentence}`);
}

function exitOf({ code, status }: ServiceError): ExitCode {
  if (code === 'invalid_domain') return EXIT.wrongDomain;
  return status === 409 ? EXIT.notPaid : EXIT.serviceUnavailable;
}
