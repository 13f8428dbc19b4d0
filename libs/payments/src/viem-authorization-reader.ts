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
    try {
      return await (await this.opened()).fateOf(query, stated);
    } catch {
      return { kind: 'unreadable' };
    }
  }

  async balanceOf(holder: Pick<AuthorizationQuery, 'asset' | 'payer'>): Promise<bigint | undefined> {
    try {
      return await (await this.opened()).balanceOf(holder);
    } catch {
      return undefined;
    }
  }

  async hasCode(holder: Pick<AuthorizationQuery, 'payer'>): Promise<boolean | undefined> {
    try {
      return await (await this.opened()).hasCode(holder);
    } catch {
      return undefined;
    }
  }

  async finalBlock(): Promise<bigint | undefined> {
    try {
      return await (await this.opened()).finalBlock();
    } catch {
      return undefined;
    }
  }

  private opened(): Promise<AuthorizationEvents> {
    return (this.events ??= this.open());
  }

  private async open(): Promise<AuthorizationEvents> {
    const { AuthorizationEvents } = await import('./authorization-events.js');
    return new AuthorizationEvents(this.rpcUrls);
  }
}
