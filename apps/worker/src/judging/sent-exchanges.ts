import type { Exchange } from '@app/detectors';
import { without } from '@app/objects';
import type { SentExchange } from './task';

/** What a thread was sent of a probe: every exchange goes once, and every body once, by its digest after that. */
export class SentExchanges {
  private readonly exchanges = new Set<Exchange>();
  private readonly bodies = new Set<string>();

  /** Those that the thread has not yet, as they are sent; from then on it has them. */
  add(known: readonly Exchange[]): readonly SentExchange[] {
    return known.filter((exchange) => !this.exchanges.has(exchange)).map((exchange) => this.send(exchange));
  }

  private send(exchange: Exchange): SentExchange {
    this.exchanges.add(exchange);
    if (exchange.kind === 'failure') return exchange;
    const known = this.bodies.has(exchange.sha256);
    this.bodies.add(exchange.sha256);
    const read = without(exchange, 'raw'); // what is judged is the text
    return known ? { ...read, body: null } : read;
  }
}
