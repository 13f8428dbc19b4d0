import type { IncomingTransfer } from './reconcile';

/** The position of an event on the chain. */
interface Position {
  readonly transaction: string;
  readonly logIndex: number;
}

export interface TransferEvent extends Position {
  readonly block: bigint;
  readonly payer: string;
  readonly amount: bigint;
}

export interface UseEvent extends Position {
  readonly authorizer: string;
  readonly nonce: string;
}

/**
 * Finds the authorization of each transfer: the token emits the use right before the transfer
 * (https://eips.ethereum.org/EIPS/eip-3009), and one transaction may contain many of both. Addresses are compared as
 * given, so both lists must come from one reader.
 */
export function authorizedTransfers<Event extends TransferEvent>(
  transfers: readonly Event[],
  uses: readonly UseEvent[],
): readonly (Omit<Event, 'logIndex'> & IncomingTransfer)[] {
  const left = new Map<string, UseEvent[]>();
  for (const use of [...uses].sort(byPosition)) {
    const key = `${use.transaction} ${use.authorizer}`;
    left.set(key, [...(left.get(key) ?? []), use]);
  }
  return [...transfers].sort(byPosition).map(({ logIndex, ...event }) => {
    const candidates = left.get(`${event.transaction} ${event.payer}`) ?? [];
    const nearest = candidates.findLastIndex((use) => use.logIndex < logIndex);
    const [use] = nearest < 0 ? [] : candidates.splice(nearest, 1);
    return { ...event, nonce: use?.nonce ?? null };
  });
}

function byPosition(a: Position, b: Position): number {
  return a.logIndex - b.logIndex;
}
