import type { HostName } from '@app/hosts';
import type { Hostprobe, ServiceError } from '../../../../packages/client/src/index.js';
import { CommandError, EXIT } from '../terminal/exit-codes';
import { errorOf, foreignServiceError } from './answers';
import { retryingFetch } from './retrying-fetch';

/** Sends one request, with or without a payment. */
export type Send = (request: Request) => Promise<Response>;

/** The result of a client call. */
interface Outcome {
  readonly data?: unknown;
  readonly error?: ServiceError;
}

/** Gets the latest report on a host from a service, unvalidated. Free. @throws {CommandError} if there is no report */
export async function storedReport(url: string, { ascii: domain }: HostName): Promise<unknown> {
  return answerOf(url, retryingFetch(fetch), (service) =>
    service.GET('/api/v1/hosts/{domain}', { params: { path: { domain } } }),
  );
}

/**
 * The response of a service to a client call.
 * @param wallet returns the payer's address; called only after a call has failed
 * @throws {CommandError} if there is no valid response
 */
export async function answerOf(
  url: string,
  send: Send,
  call: (service: Hostprobe) => Promise<Outcome>,
  wallet: { readonly payer: string | null } = { payer: null },
): Promise<unknown> {
  const { hostprobe } = await import('../../../../packages/client/src/index.js');
  const { data, error } = await call(hostprobe({ url, fetch: send })).catch((fault: unknown) => {
    if (fault instanceof CommandError) throw fault;
    if (fault instanceof SyntaxError) throw foreignServiceError();
    throw new CommandError(EXIT.serviceUnavailable, `cannot reach the service at ${url} (${causeOf(fault)})`);
  });
  if (error) throw errorOf(error, wallet.payer);
  return data;
}

/**
 * Why a fetch failed: the code of a system call (ECONNREFUSED), the message of fetch (bad port), or the error's
 * name.
 */
function causeOf(error: unknown): string {
  const cause = memberOf(error, 'cause');
  const told = [memberOf(cause, 'code'), memberOf(cause, 'message'), memberOf(error, 'name')];
  return told.find((one) => typeof one === 'string') ?? 'unknown';
}

function memberOf(holder: unknown, name: string): unknown {
  return typeof holder === 'object' && holder !== null ? (holder as Record<string, unknown>)[name] : undefined;
}
