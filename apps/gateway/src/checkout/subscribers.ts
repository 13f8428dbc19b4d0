import { walletReader, type WalletReader } from '@app/payments';
import type { Config } from '@app/config';
import type { SignInNonceRepository, SubscriptionRepository } from '@app/storage';
import type { HostName } from '@app/hosts';
import {
  keyHash,
  readSignIn,
  SIGN_IN_VALIDITY_SEC,
  signInInvitation,
  subscriptionStatus,
  type ContractVerifier,
  type Subscription,
} from '@app/owners';
import type { ErrorCode } from '../http/error-codes';
import { subscriptionPath } from '../http/paths';
import { RequestError } from '../http/request-error';
import type { Credential } from './credential';
import { sellingNetwork } from './payment-means';

/** Twice the validity of a message, so that clock differences between gateways do not release a nonce too early. */
const NONCE_MEMORY_SEC = 2 * SIGN_IN_VALIDITY_SEC;

/**
 * Finds the subscription of a request. An invalid credential is an error; its caller is not served as if there were
 * none.
 */
export class Subscribers {
  private readonly baseUrl: string;
  /** The network that sign-in messages name, in CAIP-2 form. */
  private readonly network: string;
  private readonly wallets: WalletReader;

  constructor(
    private readonly subscriptions: Pick<SubscriptionRepository, 'findByKey' | 'findByPayer'>,
    private readonly nonces: Pick<SignInNonceRepository, 'take'>,
    config: Config,
  ) {
    this.baseUrl = config.http.publicBaseUrl;
    const network = sellingNetwork(config);
    this.network = network;
    this.wallets = walletReader(config.rpc[network]);
  }

  /**
   * The active subscription to this origin that a credential proves.
   * @throws {RequestError} 401, with a code per reason
   */
  async active(host: HostName, credential: Credential): Promise<Subscription> {
    const subscription = await this.find(host, credential);
    const status = subscriptionStatus(subscription, new Date());
    if (status === 'active') return subscription;
    const sentence =
      status === 'revoked'
        ? 'This subscription was revoked.'
        : `This subscription expired at ${subscription.endsAt.toISOString()}.`;
    throw await this.signInError(host, `subscription_${status}`, sentence);
  }

  /**
   * The subscription to this origin that a credential proves, active or not.
   * @throws {RequestError} 401, with a code per reason
   */
  async find(host: HostName, credential: Credential | undefined): Promise<Subscription> {
    if (!credential) {
      throw await this.signInError(
        host,
        'subscriber_unknown',
        'Send your key as Authorization: Bearer, or sign in with your wallet.',
      );
    }
    if (credential.kind === 'wallet') return this.byWallet(host, credential.header);
    if (credential.kind === 'foreign') throw await this.foreignKeyError(host);
    const subscription = credential.kind === 'found' ? credential.subscription : await this.ofKey(credential.key);
    if (!subscription) throw await this.signInError(host, 'subscription_key_invalid', 'Invalid subscription key.');
    if (subscription.domain === host.ascii) return subscription;
    throw await this.foreignKeyError(host);
  }

  private foreignKeyError(host: HostName): Promise<RequestError> {
    return this.signInError(host, 'subscription_of_another_origin', `This subscription key is not for ${host.ascii}.`);
  }

  /** Looks up a credential; the result is `foreign` for a key of another origin. */
  async concerning(host: HostName, credential: Credential): Promise<Credential> {
    if (credential.kind !== 'key') return credential;
    const subscription = await this.ofKey(credential.key);
    if (!subscription) return credential;
    return subscription.domain === host.ascii ? { kind: 'found', subscription } : { kind: 'foreign' };
  }

  private ofKey(key: string): Promise<Subscription | undefined> {
    return this.subscriptions.findByKey(keyHash(key));
  }

  /**
   * We record the nonce only after the signature was verified, so that nobody can use up somebody else's nonce, and
   * only for wallets that paid, so that made-up wallets leave no rows.
   */
  private async byWallet(host: HostName, header: string): Promise<Subscription> {
    // Only wallets that paid are checked on the chain, so that strangers cannot cause chain reads.
    const ofContract: ContractVerifier = async (address, hash, signature) =>
      (await this.subscriptions.findByPayer(host.ascii, address)) !== undefined &&
      this.wallets.accepts(address, hash, signature).catch(() => false);
    const reading = await readSignIn(header, this.baseUrl, ofContract);
    if (!reading.ok) throw await this.signInError(host, 'sign_in_invalid', reading.error, { reason: reading.reason });
    const subscription = await this.subscriptions.findByPayer(host.ascii, reading.address);
    if (!subscription) {
      throw await this.signInError(
        host,
        'not_subscribed',
        `The wallet ${reading.address} has no subscription to ${host.ascii}.`,
      );
    }
    if (await this.nonces.take(reading.address, reading.nonce, NONCE_MEMORY_SEC)) return subscription;
    throw await this.signInError(host, 'sign_in_nonce_used', 'This signed message was already used. Sign a new one.');
  }

  /** Contains a message to sign, so that a wallet can continue at once. */
  private async signInError(
    host: HostName,
    code: ErrorCode,
    sentence: string,
    extra: Readonly<Record<string, unknown>> = {},
  ): Promise<RequestError> {
    const resource = `${this.baseUrl}${subscriptionPath(host)}`;
    const invitation = await signInInvitation(resource, this.network, new Date());
    return new RequestError(code, sentence, { ...extra, extensions: { 'sign-in-with-x': invitation } });
  }
}
