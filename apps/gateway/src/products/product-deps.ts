import type { ChainReader } from '@app/payments';
import type { OptOuts } from '@app/limits';
import type { ReadableId } from '@app/networks';
import type { HostRepository, SubscriptionRepository } from '@app/storage';
import type { ReportOffers } from '../reports/report-offers';
import type { ProbeClient } from '../probing-client/probe-client';
import type { Watches } from '../owners/watches';
import type { Installation } from './installation';

/** The services that products use for their work. */
export interface ProductDeps {
  readonly installation: Installation;
  readonly offers: ReportOffers;
  readonly probes: Pick<ProbeClient, 'admit' | 'run'>;
  readonly hosts: Pick<HostRepository, 'findReport'>;
  readonly chains: Readonly<Record<ReadableId, ChainReader>>;
  readonly subscriptions: Pick<SubscriptionRepository, 'purchase' | 'showKey'>;
  readonly watches: Pick<Watches, 'admitSale' | 'buy' | 'bought'>;
  readonly optOuts: Pick<OptOuts, 'covers'>;
  /** The secret from which the keys of purchases are derived; read once per sale. */
  readonly purchaseSecret: () => Promise<string>;
  /** Fair use of a subscription. */
  readonly refreshesPerDay: number;
}
