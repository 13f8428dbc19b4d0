import type { Hostprobe } from '../../../../packages/client/src/index.js';
import type { Command } from '../terminal/command';
import type { Terminal } from '../terminal/terminal';
import { PayingFetch, type Paid } from './paying-fetch';
import { serviceAddress } from './service-address';
import { answerOf, storedReport } from './service-answer';
import { SpendLimit } from './spend-limit';

/** A command that asks a service. */
export type ServiceCommand = Extract<Command, { readonly kind: 'report' | 'refresh' | 'batch' }>;

type Purchase = Exclude<ServiceCommand, { kind: 'report' }>;

/** An answer of a service, not probed, and what it cost; null when it was free. */
export interface ServiceAnswer {
  readonly body: unknown;
  readonly paid: Paid | null;
}

/** Asks the service, paying when that is what the command does. @throws {CommandError} for whatever is not an answer */
export async function askService(
  command: ServiceCommand,
  { env, progress, ask }: Pick<Terminal, 'env' | 'progress' | 'ask'>,
): Promise<ServiceAnswer> {
  const { url, key } = serviceAddress(command.url, env);
  const quietAsk =
    ask &&
    ((question: string) => {
      progress.done();
      return ask(question);
    });
  progress.step(`asking ${url}`);
  try {
    if (command.kind === 'report') return { body: await storedReport(url, command.host), paid: null };
    const wallet = new PayingFetch(key, new SpendLimit(command.maxUsd, quietAsk), subjectOf(command), (usd) => {
      progress.step(`paying ${usd} USDC, waiting for the probe`);
    });
    const send = (request: Request): Promise<Response> => wallet.send(request);
    const body = await answerOf(
      url,
      send,
      (service) => buy(command, service),
      () => wallet.payer,
    );
    return { body, paid: wallet.paid };
  } finally {
    progress.done();
  }
}

/** What is bought, as the subject of a sentence. */
function subjectOf(command: Purchase): string {
  if (command.kind === 'refresh') return `a live probe of ${command.host.ascii}`;
  return `a batch of ${command.hosts.length} live probes`;
}

function buy(command: Purchase, service: Hostprobe) {
  if (command.kind === 'refresh') {
    const domain = command.host.ascii;
    return service.GET('/api/v1/hosts/{domain}/refresh', { params: { path: { domain } } });
  }
  const domains = command.hosts.map(({ ascii }) => ascii);
  return service.POST('/api/v1/hosts/refresh', { body: { domains, mode: 'full' } });
}
