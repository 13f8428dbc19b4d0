import type { PaymentRequirements } from '@x402/core/types';
import {
  createEIP712OfferReceiptIssuer,
  createOfferReceiptExtension,
  OFFER_RECEIPT,
  type OfferReceiptDeclaration,
} from '@x402/extensions/offer-receipt';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { Settlement } from './ledger';
import { OFFER_VALIDITY_SEC } from './offer';

type Extensions = Readonly<Record<string, unknown>>;

/** Signs offers and receipts with the seller's key. */
export class OfferIssuer {
  private readonly extension: ReturnType<typeof createOfferReceiptExtension>;

  /** @param chainId part of the key's name: `did:pkh:eip155:<chainId>:<address>#key-1`. */
  constructor(privateKey: Hex, chainId: number) {
    const account = privateKeyToAccount(privateKey);
    const kid = `did:pkh:eip155:${chainId}:${account.address}#key-1`;
    this.extension = createOfferReceiptExtension(
      createEIP712OfferReceiptIssuer(kid, (message) => account.signTypedData(message)),
    );
  }

  async offerFor(resource: string, requirement: PaymentRequirements): Promise<Extensions> {
    const declaration: OfferReceiptDeclaration = { offerValiditySeconds: OFFER_VALIDITY_SEC };
    const offer = await this.extension.enrichPaymentRequiredResponse?.(declaration, {
      requirements: [requirement],
      paymentRequiredResponse: { x402Version: 2, resource: { url: resource }, accepts: [requirement] },
    } as unknown as PaymentRequiredContext);
    return { [OFFER_RECEIPT]: offer };
  }

  async receiptFor(resource: string, settlement: Settlement): Promise<Extensions> {
    const declaration: OfferReceiptDeclaration = { includeTxHash: true };
    const receipt = await this.extension.enrichSettlementResponse?.(declaration, {
      result: { success: true, ...settlement },
      transportContext: { request: { adapter: { getUrl: () => resource } } },
    } as unknown as SettlementContext);
    return { [OFFER_RECEIPT]: receipt };
  }
}

type Extension = ReturnType<typeof createOfferReceiptExtension>;
type SettlementContext = Parameters<NonNullable<Extension['enrichSettlementResponse']>>[1];
type PaymentRequiredContext = Parameters<NonNullable<Extension['enrichPaymentRequiredResponse']>>[1];
