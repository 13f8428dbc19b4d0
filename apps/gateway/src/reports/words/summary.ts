import type { CellStatus } from '@app/detectors';
import type { PriceStep } from './price-steps';
import { causeOf } from './cause';
import {
  isPayable,
  payabilityOf,
  usdOfRail,
  type ChangesReport,
  type HostReport,
  type PaymentRail,
} from '@app/reports';

/** A report with its free history: what every form in which people read it is made of. */
export interface HostReading {
  readonly report: HostReport;
  readonly changes: ChangesReport;
  /** What the changes say of prices. */
  readonly prices?: readonly PriceStep[];
}

/** A report in one or two sentences, and the mood of it. */
export interface Summary {
  readonly tone: 'good' | 'middling' | 'bad' | 'quiet';
  readonly headline: string;
  /** Empty for a host that was never probed. */
  readonly more: string;
}

/** Whether the host was probed as a whole. */
export function isProbed(report: Pick<HostReport, 'probedAt'>): boolean {
  return report.probedAt !== undefined;
}

export function summaryOf(report: HostReport): Summary {
  if (!isProbed(report)) return { tone: 'quiet', headline: 'This host was never probed.', more: '' };
  const headline = causeOf(report)?.what;
  if (report.reachable === false) {
    const more = 'Nothing can be said about what it publishes.';
    return { tone: 'bad', headline: headline ?? 'The host did not answer.', more };
  }
  const more = publishes(report);
  const rail = report.paymentRails.rails.find(isPayable);
  if (report.paymentRails.payable && rail) {
    return { tone: 'good', headline: `An agent can pay here: ${railTerms(rail)}.`, more };
  }
  const some = countOf(report, 'present') > 0;
  if (headline !== undefined) return { tone: 'bad', headline, more: unseen(report) };
  if (isClosed(report)) {
    return { tone: 'middling', headline: 'The host answers, but the probe could not tell what it publishes.', more };
  }
  return { tone: some ? 'good' : 'middling', headline: unpaid(report, some), more };
}

function unseen({ origin }: HostReport): string {
  if (origin.startsWith('http:')) return 'It answers over plain http, which agents do not use.';
  return 'The probe could not tell what it publishes.';
}

/** Whether a host that answers showed nothing and left some questions open: that it has nothing would be a guess. */
export function isClosed(report: Pick<HostReport, 'protocols'>): boolean {
  return countOf(report, 'present') + countOf(report, 'partial') === 0 && countOf(report, 'error') > 0;
}

/** `0.01 USD in USDC on Base by x402`. Names come from tables of the service, or are those of the protocols. */
export function railTerms(rail: PaymentRail): string {
  const { assetSymbol, networkName, protocol } = rail;
  const price = usdOfRail(rail) ?? 'a price in an unknown asset';
  const asset = assetSymbol === null ? '' : ` in ${assetSymbol}`;
  const network = networkName === null ? '' : ` on ${networkName}`;
  return `${price}${asset}${network} by ${protocol}`;
}

/** What there is to say when no way to pay is known. */
export function withoutRails(report: HostReport): string {
  const payability = payabilityOf(report);
  if (payability === 'untried') return 'The paid routes of this host were not tried yet. A live probe tries them.';
  if (payability === 'unseen') return 'The probe could not tell whether the host asks for payment.';
  return 'No route answered with a payment challenge.';
}

function unpaid(report: HostReport, some: boolean): string {
  const payability = payabilityOf(report);
  if (payability === 'untried') {
    return some
      ? 'Agents find something here; whether they can pay was not tried.'
      : 'Nothing for agents was found; paid routes were not tried.';
  }
  if (payability === 'unseen') {
    return `Agents find ${some ? 'something' : 'nothing'} here; the probe could not tell whether they can pay.`;
  }
  if (report.paymentRails.rails.length > 0) return 'It asks for payment in a form that an agent cannot pay.';
  return some ? 'Agents find something here, and nothing to pay for.' : 'Agents find nothing here.';
}

function publishes(report: HostReport): string {
  const partial = countOf(report, 'partial');
  const errors = countOf(report, 'error');
  // What cannot be seen from outside is never present, and so does not count.
  const seen = report.protocols.length - countOf(report, 'undiscoverable');
  return [
    `${countOf(report, 'present')} of ${seen} protocols are present`,
    ...(partial > 0 ? [`${partial} in part`] : []),
    ...(errors > 0 ? [`${errors} could not be probed`] : []),
  ]
    .join(', ')
    .concat('.');
}

export function countOf({ protocols }: Pick<HostReport, 'protocols'>, status: CellStatus): number {
  return protocols.filter((cell) => cell.status === status).length;
}
