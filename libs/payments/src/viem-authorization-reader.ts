import type { AuthorizationEvents } from './authorization-events';
import type { AuthorizationFate, AuthorizationQuery, AuthorizationReader } from './authorization-fate';

/**
 * Reads `authorizationState` and, if the authorization is used, the event that used it
 * (https://eips.ethereum.org/EIPS/eip-3009): `AuthorizationUsed` with or without the expected transfer, or
 * `AuthorizationCanceled`. If neither event is found, the answer is `unreadable`: nodes prune and lag, and a guess
 * could cost a buyer money. viem is loaded with the first query, because few payments need one.
 */
export class ViemAuthorizationReader implements AuthorizationReader {
  private events: Promise<AuthorizationEvents> | undefined;

  /** @param rpcUrls RPC endpoints; if one fails, the next is used */
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

  /** Undefined if no node answers. */
  private async ask<Answer>(question: (events: AuthorizationEvents) => Promise<Answer>): Promise<Answer | undefined> {
    try {
      this.events ??= import('./authorization-events.js').then((read) => new read.AuthorizationEvents(this.rpcUrls));
      return await question(await this.events);
    } catch {
      return undefined;
    }
  }
}
