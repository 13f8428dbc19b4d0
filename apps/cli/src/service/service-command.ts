import type { Hostprobe } from '../../../../packages/client/src/index.js';
import type { Command } from '../terminal/command';
import type { Terminal } from '../terminal/terminal';
import { PayingFetch, type Paid, type WalletKey } from './paying-fetch';
import { answerOf, storedReport } from './service-answer';
import { given, type Variables } from '@app/config';
import { z } from 'zod';
import { CommandError, EXIT } from '../terminal/exit-codes';
import { readRunningFile } from '../terminal/running-service';
import { namedService, serviceUrl } from './service-url';

/** A command that calls a service. */
export type ServiceCommand = Extract<Command, { readonly kind: 'report' | 'refresh' | 'batch' }>;

type Purchase = Exclude<ServiceCommand, { kind: 'report' }>;

/** A response of a service, unvalidated, and its price; null if it was free. */
export interface ServiceAnswer {
  readonly body: unknown;
  readonly paid: Paid | null;
}

/** Calls the service, and pays if the command is a purchase. @throws {CommandError} if there is no valid response */
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
    const what = subjectOf(command);
    const wallet = new PayingFetch(key, command.maxUsd ?? quietAsk, what, {
      onPaying: (usd) => {
        progress.step(`waiting for ${what}, ${usd} USDC, charged when it is done`);
      },
      onRetry: () => {
        progress.step(`no answer yet, waiting for ${what} with the same payment`);
      },
    });
    const body = await answerOf(url, wallet.send, (service) => buy(command, service), wallet);
    return { body, paid: wallet.paid };
  } finally {
    progress.done();
  }
}

/** The purchase, as the subject of a sentence. */
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

/** The service that a command calls, and the wallet that pays it. */
interface ServiceAddress {
  /** Without a slash at the end. */
  readonly url: string;
  readonly key: WalletKey;
}

const KEY = /^0x[0-9a-fA-F]{64}$/;

const runningWallet = z.object({
  demoWallet: z
    .object({ privateKey: z.custom<`0x${string}`>((key) => typeof key === 'string' && KEY.test(key)) })
    .nullable(),
});

/**
 * The URL of the service and the key that pays: HOSTPROBE_KEY, or the demo wallet if the service is the one that
 * `npm start` runs here.
 * @throws {CommandError} `usage`
 */
function serviceAddress(option: string | null, env: Variables): ServiceAddress {
  const key = walletKey(env);
  const url = serviceUrl(option, env);
  if (url === undefined) {
    throw new CommandError(
      EXIT.usage,
      'no service is running on this machine; start one with npm start, or name one with --url or HOSTPROBE_URL',
    );
  }
  return { url, key: key ?? (namedService(option, env) === undefined ? demoKey(env) : null) };
}

function demoKey(env: Variables): WalletKey {
  const running = runningWallet.safeParse(readRunningFile(env));
  return running.data?.demoWallet?.privateKey ?? null;
}

function walletKey(env: Variables): WalletKey {
  const key = given(env, 'HOSTPROBE_KEY');
  if (key === undefined) return null;
  if (!KEY.test(key)) throw new CommandError(EXIT.usage, 'HOSTPROBE_KEY must be a private key: 0x and 64 hex digits');
  return key as WalletKey;
}
