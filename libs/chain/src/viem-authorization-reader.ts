import type { AuthorizationEvents } from './authorization-events';
import type { AuthorizationFate, AuthorizationQuery, AuthorizationReader } from './authorization-fate';

/**
 * Reads `authorizationState` and, when it is taken, which event took it (https://eips.ethereum.org/EIPS/eip-3009):
 * `AuthorizationUsed` with our transfer beside it, `AuthorizationUsed` without, or `AuthorizationCanceled`. With
 * neither event in sight the answer is `unreadable`: nodes prune and lag, and a guess would lose somebody's money. viem is
 * read with the first question: few payments come to one.
 */
export class ViemAuthorizationReader implements AuthorizationReader {
  private events: Promise<AuthorizationEvents> | undefined;

  /** @param rpcUrls RPC endpoints, the next one asked when one fails */
  constructor(private readonly rpcUrls: readonly string[]) {}

  async fateOf(query: AuthorizationQuery): Promise<AuthorizationFate> {
    try {
      this.events ??= this.open();
      return await (await this.events).fateOf(query);
    } catch {
      return { kind: 'unreadable' };
    }
  }

  private async open(): Promise<AuthorizationEvents> {
    const { AuthorizationEvents } = await import('./authorization-events.js');
    return new AuthorizationEvents(this.rpcUrls);
  }
}
