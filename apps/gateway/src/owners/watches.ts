import { randomUUID } from 'node:crypto';
import {
  ALERT_TYPES,
  BOUGHT_WATCH,
  KEY_PREFIX,
  keyHash,
  newKey,
  newWebhookSecret,
  purchasedWatch,
  type AlertType,
  type WatchSecrets,
} from '@app/owners';
import type { Config } from '@app/config';
import type { OptOuts } from '@app/limits';
import { defined } from '@app/platform';
import {
  isUuid,
  sealSecret,
  type DeliveryRepository,
  type Watch,
  type WatchOwner,
  type WatchRepository,
} from '@app/storage';
import { parseProbeUrl, type HostName, type ProbeUrl } from '@app/hosts';
import type { Subscribers } from '../checkout/subscribers';
import { BAD_CURSOR, type PageInput } from '../http/inputs';
import { RequestError } from '../http/request-error';
import {
  watchState,
  watchSummary,
  type NewWatchState,
  type RotatedWatch,
  type WatchList,
  type WatchState,
} from './watch-state';

const DAY_MS = 86_400_000;

/** Checks the URL of an alert receiver. @throws {RequestError} 400 `invalid_url` */
export function readReceiver(url: string): ProbeUrl {
  const reading = parseProbeUrl(url);
  if (!reading.ok) throw new RequestError('invalid_url', reading.sentence);
  return reading.url;
}

/** The alert types without duplicates. */
export function readTypes(types: readonly AlertType[]): readonly AlertType[] {
  return ALERT_TYPES.filter((type) => types.includes(type));
}

/** The watched host and the receiver of the alerts. */
export interface WatchRequest {
  readonly domain: HostName;
  readonly url: ProbeUrl;
  readonly types: readonly AlertType[];
}

/** The operations of owners, subscribers and buyers on watches (behaviour 19.8). */
export class Watches {
  constructor(
    private readonly watches: WatchRepository,
    private readonly deliveries: DeliveryRepository,
    private readonly subscribers: Subscribers,
    private readonly optOuts: OptOuts,
    private readonly config: Config,
  ) {}

  /**
   * Creates a watch with the key of a claim or of a subscription of the host.
   * @throws {RequestError} 401 for a key that does not allow it, 409 `too_many_watches`, and like {@link admit}
   */
  async begin(wanted: WatchRequest, key: string): Promise<NewWatchState> {
    const owner = await this.ownerOf(wanted.domain, key);
    await this.admit(wanted);
    const own = { key: newKey('watch'), secret: newWebhookSecret() };
    const watch = await this.open(wanted, own, owner);
    if (watch === 'too_many') throw new RequestError('too_many_watches');
    if (watch === 'owner_gone') {
      await this.ownerOf(wanted.domain, key); // throws the reason
      throw new RequestError('claim_key_invalid');
    }
    return { ...(await this.toView(watch)), ...own };
  }

  /** @throws {RequestError} 409 `too_many_watches` of this host, and like {@link admit} */
  async admitSale(wanted: WatchRequest): Promise<void> {
    await this.admit(wanted);
    const { ascii, site } = wanted.domain;
    if (!(await this.watches.isForSale(ascii, site))) throw new RequestError('too_many_watches');
  }

  /** @throws {RequestError} 400 `invalid_url`, 403 `opted_out`, or 503 `no_worker` if the watch cannot start now */
  async admit({ domain, url }: WatchRequest): Promise<void> {
    this.admitReceiver(url);
    if (this.optOuts.covers(domain.ascii)) throw new RequestError('opted_out');
    await this.sealing();
  }

  /** @throws {RequestError} 400 `invalid_url` for a URL of this service, 403 `opted_out` */
  private admitReceiver({ host: { ascii } }: ProbeUrl): void {
    if (ascii === new URL(this.config.http.publicBaseUrl).hostname) {
      throw new RequestError('invalid_url', 'Alerts cannot be sent to this service itself.');
    }
    if (this.optOuts.covers(ascii)) throw new RequestError('opted_out');
  }

  /**
   * The watch that a payment buys; created if it does not exist yet. It lacks the key and the secret, because the
   * ledger stores the answer. Nothing is sent to the receiver until the payment is settled (storage).
   * @throws {RequestError} 409 `too_many_watches` if the host's limit was reached meanwhile; nothing is charged
   * @param serverSecret derives the key and the secret from the payment
   */
  async buy(wanted: WatchRequest, paymentDigest: string, serverSecret: string): Promise<WatchState> {
    const endsAt = new Date(Date.now() + BOUGHT_WATCH.days * DAY_MS);
    const own = purchasedWatch(serverSecret, paymentDigest);
    const begun = await this.open(wanted, own, { kind: 'payment', id: paymentDigest, endsAt });
    const watch = typeof begun === 'object' ? begun : await this.watches.ofPayment(paymentDigest);
    if (!watch) throw new RequestError('too_many_watches');
    return this.toView(watch);
  }

  /**
   * The key and secret of a bought watch, for the first request with that payment or for a request with the same
   * Idempotency-Key (the payment itself is public). Both are null if they were rotated since, or if the watch no longer
   * exists.
   */
  async bought(
    paymentDigest: string,
    serverSecret: string,
    shownTo: 'first' | { readonly name: string | null },
  ): Promise<{ readonly [Member in keyof WatchSecrets]: string | null }> {
    const own = purchasedWatch(serverSecret, paymentDigest);
    if (shownTo === 'first') return own;
    const found = await this.watches.boughtByName(paymentDigest, shownTo.name);
    // After a change of the server secret, they cannot be derived again, and we do not show wrong ones.
    if (found?.keyHash !== keyHash(own.key)) return { key: null, secret: null };
    return found.rotated ? { ...own, secret: null } : own;
  }

  /** @throws {RequestError} 401 `watch_key_invalid`, also for an unknown watch */
  async show(id: string, key: string): Promise<WatchState> {
    return this.toView(await this.found(id, key));
  }

  /**
   * The watches created with a claim or subscription key, or the watch of a watch key, sorted by id.
   * @throws {RequestError} 401 for an unknown key, 400 `invalid_cursor`
   */
  async list(key: string, { limit, cursor }: PageInput): Promise<WatchList> {
    if (cursor !== undefined && !isUuid(cursor)) throw new RequestError('invalid_cursor', BAD_CURSOR);
    const kinds = ['claim', 'subscription'] as const;
    const of = kinds.find((kind) => key.startsWith(KEY_PREFIX[kind])) ?? 'watch';
    const found = await this.watches.ofKey(of, keyHash(key), limit + 1, cursor);
    if (!found) throw new RequestError(`${of}_key_invalid`);
    const watches = found.slice(0, limit).map((watch) => watchSummary(watch, this.config.http.publicBaseUrl));
    return { watches, ...defined({ nextCursor: found.length > limit ? watches.at(-1)?.id : undefined }) };
  }

  /**
   * Changes the receiver, once it has answered the challenge, or the alert types.
   * @throws {RequestError} 400 `invalid_url`, 409 `watch_ended`, and like {@link show}
   */
  async change(id: string, key: string, { url, types }: Partial<Omit<WatchRequest, 'domain'>>): Promise<WatchState> {
    const watch = await this.found(id, key);
    if (url) this.admitReceiver(url);
    const receiver = url && { url: url.href, site: url.host.site };
    const changed = await this.watches.change(watch.id, defined({ receiver, types }));
    if (!changed) throw new RequestError('watch_ended');
    return this.toView(changed);
  }

  /** Ends a watch. @throws like {@link show} */
  async end(id: string, key: string): Promise<void> {
    const watch = await this.found(id, key);
    await this.watches.remove(watch.id);
  }

  /** Adds a new secret and returns it; the old one expires after a day. @throws like {@link show} */
  async rotate(id: string, key: string): Promise<RotatedWatch> {
    const watch = await this.found(id, key);
    const secret = newWebhookSecret();
    await this.watches.changeSecret(watch.id, sealSecret(await this.sealing(), watch.id, secret));
    return { ...(await this.toView(watch)), secret };
  }

  /** Sends an alert again. @throws {RequestError} 404 `delivery_unknown`, and like {@link show} */
  async replay(id: string, key: string, delivery: string): Promise<WatchState> {
    const watch = await this.found(id, key);
    if (!(await this.watches.replay(watch.id, delivery))) throw new RequestError('delivery_unknown');
    return this.toView(watch);
  }

  /** The public keys that verify alerts: a JWK set, the current key first. */
  async keySet(): Promise<object> {
    const keys = await this.deliveries.keys();
    return { keys: keys.map(({ kid, signing: x }) => ({ kty: 'OKP', crv: 'Ed25519', x, kid, use: 'sig' })) };
  }

  private async open(
    { domain: { ascii: domain, site: hostSite }, url: { href: url, host }, types }: WatchRequest,
    { key, secret }: WatchSecrets,
    owner: WatchOwner,
  ): ReturnType<WatchRepository['open']> {
    const id = randomUUID();
    const sealed = sealSecret(await this.sealing(), id, secret);
    const row = { id, domain, hostSite, url, site: host.site, types, keyHash: keyHash(key), secret: sealed };
    return this.watches.open(row, owner);
  }

  private async ownerOf(host: HostName, key: string): Promise<WatchOwner> {
    if (!key.startsWith(KEY_PREFIX.claim)) {
      const { id, endsAt } = await this.subscribers.active(host, { kind: 'key', key });
      return { kind: 'subscription', id, endsAt };
    }
    const claim = await this.watches.claimOf(host.ascii, keyHash(key));
    if (!claim) throw new RequestError('claim_key_invalid');
    const { id, endsAt } = claim;
    if (!endsAt) throw new RequestError('claim_not_verified', 'A watch needs a claim that is verified by DNS.');
    return { kind: 'claim', id, endsAt };
  }

  private async sealing(): Promise<string> {
    const [newest] = await this.deliveries.keys();
    if (!newest) throw new RequestError('no_worker');
    return newest.sealing;
  }

  private async found(id: string, key: string): Promise<Watch> {
    const watch = await this.watches.find(id, keyHash(key));
    if (!watch) throw new RequestError('watch_key_invalid');
    return watch;
  }

  private async toView(watch: Watch): Promise<WatchState> {
    return watchState(watch, await this.watches.deliveries(watch.id), this.config.http.publicBaseUrl);
  }
}
