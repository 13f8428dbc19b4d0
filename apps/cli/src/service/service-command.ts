import type { Variables } from '@app/config';
import type { Command } from '../command-line';
import type { Progress } from '../progress';
import { PayingFetch } from './paying-fetch';
import { serviceAddress } from './service-address';
import { ServiceClient, type ServiceAnswer } from './service-client';
import { SpendLimit, type Ask } from './spend-limit';

/** A command that asks a service. */
export type ServiceCommand = Extract<Command, { readonly kind: 'report' | 'refresh' | 'batch' }>;

export interface ServiceSurroundings {
  readonly env: Variables;
  readonly progress: Progress;
  readonly ask?: Ask;
}

/** Asks the service, paying when that is what the command does. @throws {CommandError} */
export async function askService(
  command: ServiceCommand,
  { env, progress, ask }: ServiceSurroundings,
): Promise<ServiceAnswer> {
  const { url, key } = serviceAddress(command.url, env);
  const quietAsk =
    ask &&
    ((question: string) => {
      progress.done();
      return ask(question);
    });
  const limit = new SpendLimit(command.kind === 'report' ? null : command.maxUsd, quietAsk);
  const wallet = new PayingFetch(key, limit, (usd) => {
    progress.step(`paying ${usd} USDC, looking`);
  });
  const client = new ServiceClient(url, wallet);
  progress.step(`asking ${url}`);
  try {
    if (command.kind === 'batch') return await client.batch(command.hosts);
    return command.kind === 'report' ? await client.report(command.host) : await client.refresh(command.host);
  } finally {
    progress.done();
  }
}
