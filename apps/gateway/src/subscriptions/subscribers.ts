import type { SignInNonceRepository, SubscriptionRepository } from '@app/persistence';
import type { HostName } from '@app/reports';
import {
  keyHash,
  readSignIn,
  SIGN_IN_VALIDITY_SEC,
  signInInvitation,
  subscriptionStatus,
  type Subscription,
} from '@app/subscriptions';
import { RequestError } from '../http/request-error';
import type { Credential } from './credential';
import { subscriptionUrl } from './subscription-route';

export interface SubscribersParts {
  readonly subscriptions: Pick<SubscriptionRepository, 'findByKey' | 'findByPayer'>;
  readonly nonces: Pick<SignInNonceRepository, 'take'>;
  readonly baseUrl: string;
  /** Network named in what wallets are asked to sign, CAIP-2. */
  readonly network: string;
}

/** Twice as long as a message is good for: no clock of ours forgets a nonce too early. */
const NONCE_MEMORY_SEC = 2 * SIGN_IN_VALIDITY_SEC;

/** Tells who subscribes to an origin. Whoever shows something that is not good is refused, never taken for the public. */
export class Subscribers {
  constructor(private readonly parts: SubscribersParts) {}

  /**
   * The running subscription of this origin that a credential shows.
   * @throws {RequestError} 401, with a code per reason
   */
  async active(host: HostName, credential: Credential): Promise<Subscription> {
    const subscription = await this.find(host, credential);
    const status = subscriptionStatus(subscription, new Date());
    if (status === 'active') return subscription;
    const sentence =
      status === 'revoked'
        ? 'this subscription was revoked'
        : `this subscription expired at ${subscription.expiresAt.toISOString()}`;
    throw await this.refusal(host, `subscription_${status}`, sentence);
  }

  /**
   * The subscription of this origin that a credential shows, running or not.
   * @throws {RequestError} 401, with a code per reason
   */
  async find(host: HostName, credential: Credential | undefined): Promise<Subscription> {
    if (!credential) {
      throw await this.refusal(
        host,
        'subscriber_unknown',
        'show your key as Authorization: Bearer, or sign in with a wallet',
      );
    }
    if (credential.kind === 'wallet') return this.byWallet(host, credential.header);
    const subscription = credential.kind === 'found' ? credential.subscription : await this.ofKey(credential.key);
    if (!subscription) throw await this.refusal(host, 'subscription_key_invalid', 'this is no key of a subscription');
    if (subscription.domain === host.ascii) return subscription;
    throw await this.refusal(host, 'subscription_of_another_origin', `this key is not for ${host.ascii}`);
  }

  /** A credential as far as it may be about this origin: undefined for the key of another one. */
  async concerning(host: HostName, credential: Credential): Promise<Credential | undefined> {
    if (credential.kind !== 'key') return credential;
    const subscription = await this.ofKey(credential.key);
    if (!subscription) return credential;
    return subscription.domain === host.ascii ? { kind: 'found', subscription } : undefined;
  }

  private async ofKey(key: string): Promise<Subscription | undefined> {
    const hash = keyHash(key);
    return hash === undefined ? undefined : this.parts.subscriptions.findByKey(hash);
  }

  /** The nonce is taken only after the signature held: nobody can use up somebody else's. */
  private async byWallet(host: HostName, header: string): Promise<Subscription> {
    const reading = await readSignIn(header, this.parts.baseUrl);
    if (!reading.ok) throw await this.refusal(host, 'sign_in_invalid', reading.error, { reason: reading.reason });
    if (!(await this.parts.nonces.take(reading.address, reading.nonce, NONCE_MEMORY_SEC))) {
      throw await this.refusal(host, 'sign_in_nonce_used', 'this signed message was used before; sign a new one');
    }
    const subscription = await this.parts.subscriptions.findByPayer(host.ascii, reading.address);
    if (subscription) return subscription;
    throw await this.refusal(host, 'not_subscribed', `${reading.address} has no subscription of ${host.ascii}`);
  }

  /** Comes with a message to sign, so that a wallet can go on at once. */
  private async refusal(
    host: HostName,
    code: string,
    sentence: string,
    extra: Readonly<Record<string, unknown>> = {},
  ): Promise<RequestError> {
    const resource = subscriptionUrl(this.parts.baseUrl, host.ascii);
    const invitation = await signInInvitation(resource, this.parts.network, new Date());
    return new RequestError(401, code, sentence, { ...extra, extensions: { 'sign-in-with-x': invitation } });
  }
}
