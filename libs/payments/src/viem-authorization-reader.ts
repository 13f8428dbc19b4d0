import type { AuthorizationEvents } from './authorization-events';
import type { AuthorizationFate, AuthorizationQuery, AuthorizationReader } from './authorization-fate';

/**
 * Reads `authorizationState` and, when it is taken, which event took it (https://eips.ethereum.org/EIPS/eip-3009):
 * `AuthorizationUsed` with the expected transfer beside it, `AuthorizationUsed` without, or `AuthorizationCanceled`.
 * With neither event in sight the answer is `unreadable`: nodes prune and lag, and a guess could lose a buyer's money. viem is
 * read with the first question: few payments come to one.
 */
export class ViemAuthorizationReader implements AuthorizationReader {
  private events: Promise<AuthorizationEvents> | undefined;

  /** @param rpcUrls RPC endpoints, the next one is used when one fails */
  constructor(private readonly rpcUrls: readonly string[]) {}

  async fateOf(query: AuthorizationQuery, stated?: string): Promise<AuthorizationFate> {
    return (await this.ask((events) => events.fateOf(query, stated))) ?? { kind: 'unreadable' };
  }

  balanceOf(holder: Pick<AuthorizationQuery, 'asset' | 'payer'>): Promise<bigint | undefined> {
    return this.ask((events) => events.balanceOf(holder));
  }

  hasCode(holder: Pick<AuthorizationQuery, 'payer'>): Promise<boolean | undefined> {
    return this.ask((events) => events.hasCode(holder));
  }

  finalBlock(): Promise<bigint | undefined> {
    return this.ask((events) => events.finalBlock());
  }

  /** Undefined when no node gives an answer. */
  private async ask<Answer>(question: (events: AuthorizationEvents) => Promise<Answer>): Promise<Answer | undefined> {
    try {
      this.events ??= import('./authorization-events.js').then((read) => new read.AuthorizationEvents(this.rpcUrls));
      return await question(await this.events);
    } catch {
      return undefined;
    }
  }
}
