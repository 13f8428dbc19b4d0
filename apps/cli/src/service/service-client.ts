import type { HostName } from '@app/reports';
import { CommandError, EXIT } from '../exit-codes';
import { notHostprobe, refusalOf } from './answers';
import { patientFetch } from './patient-fetch';
import type { PaidAnswer, PaidRequest, PayingFetch } from './paying-fetch';

/** An answer of a service, parsed from JSON and not looked at, with what it cost. */
export interface ServiceAnswer {
  readonly body: unknown;
  readonly paid: PaidAnswer['paid'];
}

/** A hostprobe service, asked over HTTP. All methods throw a {@link CommandError} for whatever is not an answer. */
export class ServiceClient {
  constructor(
    /** Without a slash at the end. */
    private readonly url: string,
    private readonly wallet: PayingFetch,
  ) {}

  report(host: HostName): Promise<ServiceAnswer> {
    return this.answer(async () => {
      const response = await patientFetch(fetch)(`${this.url}/api/v1/hosts/${host.ascii}`);
      return { response, paid: null, payer: null };
    });
  }

  refresh(host: HostName): Promise<ServiceAnswer> {
    return this.buy({ url: `${this.url}/api/v1/hosts/${host.ascii}/refresh`, what: `a live look at ${host.ascii}` });
  }

  batch(hosts: readonly HostName[]): Promise<ServiceAnswer> {
    return this.buy({
      url: `${this.url}/api/v1/hosts/refresh`,
      init: {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ domains: hosts.map(({ ascii }) => ascii), mode: 'full' }),
      },
      what: `a batch of ${hosts.length} live looks`,
    });
  }

  private buy(request: PaidRequest): Promise<ServiceAnswer> {
    return this.answer(() => this.wallet.buy(request));
  }

  private async answer(ask: () => Promise<PaidAnswer>): Promise<ServiceAnswer> {
    const { response, paid, payer } = await ask().catch((error: unknown) => {
      throw error instanceof CommandError ? error : this.away(error);
    });
    const body: unknown = await response.json().catch(() => {
      throw notHostprobe();
    });
    if (!response.ok) throw refusalOf(response.status, body, payer);
    return { body, paid };
  }

  private away(error: unknown): CommandError {
    return new CommandError(EXIT.serviceAway, `the service at ${this.url} does not answer (${causeOf(error)})`);
  }
}

/** What made a fetch fail: the code of a system call (ECONNREFUSED), what fetch says (bad port), or the error's name. */
function causeOf(error: unknown): string {
  const cause = memberOf(error, 'cause');
  const told = [memberOf(cause, 'code'), memberOf(cause, 'message'), memberOf(error, 'name')];
  return told.find((one) => typeof one === 'string') ?? 'unknown';
}

function memberOf(holder: unknown, name: string): unknown {
  return typeof holder === 'object' && holder !== null ? (holder as Record<string, unknown>)[name] : undefined;
}
