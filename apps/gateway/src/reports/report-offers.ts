import type { HostName } from '@app/hosts';
import type { RefreshOffer, StoredText, SubscribeOffer } from '@app/reports';

/** The offers in reports. */
export interface ReportOffers {
  /** How to buy a fresh probe (behaviour 3.6). */
  refresh(host: HostName): RefreshOffer;
  /** The permanent URL of the stored text of a report. @param sha256 in hex @param len length in bytes */
  stored(host: HostName, sha256: string, len: number): StoredText;
  /** How to subscribe, for the change history. */
  subscribe(host: HostName): SubscribeOffer;
}
