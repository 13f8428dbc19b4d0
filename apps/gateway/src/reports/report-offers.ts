import type { HostName } from '@app/hosts';
import type { RefreshOffer, StoredText, SubscribeOffer } from '@app/reports';

/** What reports say of things that are sold. */
export interface ReportOffers {
  /** How to buy a fresh probe (behaviour 3.6). */
  refresh(host: HostName): RefreshOffer;
  /** Where the stored text of a report is found for ever. @param sha256 in hex @param len its bytes */
  stored(host: HostName, sha256: string, len: number): StoredText;
  /** How to become a subscriber, as the change history says. */
  subscribe(host: HostName): SubscribeOffer;
}
