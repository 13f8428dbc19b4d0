/** Contract 3: the ways a host can be paid, each as seen in a live challenge. */
export interface PaymentRail {
  readonly protocol: 'x402' | 'mpp';
  readonly version: string | null;
  /** x402 only. */
  readonly scheme?: string;
  /** mpp only: the payment method (`tempo`, `stripe`, ...). */
  readonly method?: string;
  /** mpp only: `charge`, `session`, ... */
  readonly intent?: string;
  /** CAIP-2 where the protocol has one, otherwise as stated; null when not stated. */
  readonly network: string | null;
  readonly networkName: string | null;
  readonly testnet: boolean;
  readonly asset: string | null;
  readonly assetSymbol: string | null;
  /** Atomic units of the asset, as stated. */
  readonly amount: string | null;
  /** Decimal string computed with integers from our own asset table, or null. */
  readonly amountUsd: string | null;
  readonly payTo: string | null;
  /** URL that answered with the challenge. */
  readonly resource: string;
  readonly httpMethod: 'GET' | 'POST';
  /** Whether the reference client would read this challenge as it stands. */
  readonly strictClientReadable: boolean;
  /** Reason codes of failed checks; an empty list with a live challenge is a payable rail. */
  readonly reasons: readonly string[];
  readonly observedAt: string;
}

export interface PaymentRails {
  /** True only when a live challenge was parsed and at least one rail passes every check. */
  readonly payable: boolean;
  /** Time of the callability look that filled this, or null when none was made. */
  readonly checkedAt: string | null;
  readonly rails: readonly PaymentRail[];
}
