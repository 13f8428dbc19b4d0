import type { PaymentRequirements } from '@x402/core/types';
import {
  createEIP712OfferReceiptIssuer,
  createOfferReceiptExtension,
  OFFER_RECEIPT,
  type OfferReceiptDeclaration,
} from '@x402/extensions/offer-receipt';
import { LRUCache } from 'lru-cache';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { Settlement } from './ledger';
import { OFFER_VALIDITY_SEC } from './price-list';

/** A signed offer is handed out again for this long, so that unpaid requests cost a signature only now and then. */
const REUSE_MS = 60_000;
const MAX_KEPT = 1_000;

type Extensions = Readonly<Record<string, unknown>>;

/**
 * Signs offers and receipts (extension `offer-receipt`, EIP-712): a buyer can show what was asked of him and that he
 * paid it (https://github.com/x402-foundation/x402, specs/extensions/extension-offer-and-receipt.md).
 */
export class OfferSigner {
  readonly address: Hex;
  private readonly extension: ReturnType<typeof createOfferReceiptExtension>;
  private readonly offers = new LRUCache<string, Promise<unknown>>({ max: MAX_KEPT, ttl: REUSE_MS });

  /** @param chainId names the key: `did:pkh:eip155:<chainId>:<address>#key-1`. */
  constructor(privateKey: Hex, chainId: number) {
    const account = privateKeyToAccount(privateKey);
    this.address = account.address;
    const kid = `did:pkh:eip155:${chainId}:${account.address}#key-1`;
    this.extension = createOfferReceiptExtension(
      createEIP712OfferReceiptIssuer(kid, (message) => account.signTypedData(message)),
    );
  }

  /** Extensions of a 402 for a resource: our signature under the requirement, good for {@link OFFER_VALIDITY_SEC}. */
  async offerFor(resource: string, requirement: PaymentRequirements): Promise<Extensions> {
    const key = `${requirement.amount} ${resource}`;
    const signing = this.offers.get(key) ?? this.signOffer(resource, requirement);
    this.offers.set(key, signing, { noUpdateTTL: true });
    return { [OFFER_RECEIPT]: structuredClone(await signing) };
  }

  /** Extensions of the receipt of a settled payment, with the transaction in it. */
  async receiptFor(resource: string, settlement: Settlement): Promise<Extensions> {
    const declaration: OfferReceiptDeclaration = { includeTxHash: true };
    const receipt = await this.extension.enrichSettlementResponse?.(declaration, {
      result: { success: true, ...settlement },
      transportContext: { request: { adapter: { getUrl: () => resource } } },
    } as unknown as SettlementContext);
    return { [OFFER_RECEIPT]: receipt };
  }

  private async signOffer(resource: string, requirement: PaymentRequirements): Promise<unknown> {
    const declaration: OfferReceiptDeclaration = { offerValiditySeconds: OFFER_VALIDITY_SEC };
    return this.extension.enrichPaymentRequiredResponse?.(declaration, {
      requirements: [requirement],
      paymentRequiredResponse: { x402Version: 2, resource: { url: resource }, accepts: [requirement] },
    } as unknown as PaymentRequiredContext);
  }
}

type Extension = ReturnType<typeof createOfferReceiptExtension>;
type SettlementContext = Parameters<NonNullable<Extension['enrichSettlementResponse']>>[1];
type PaymentRequiredContext = Parameters<NonNullable<Extension['enrichPaymentRequiredResponse']>>[1];
