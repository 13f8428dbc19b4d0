import type { CellStatus } from '@app/detectors';
import type { PriceStep } from './price-steps';
import { causeOf } from './cause';
import {
  isPayable,
  payabilityOf,
  skippedText,
  usdOfRail,
  type ChangesReport,
  type HostReport,
  type PaymentRail,
} from '@app/reports';

/** A report with its free history: what pages, Markdown and feeds are rendered from. */
export interface HostReading {
  readonly report: HostReport;
  readonly changes: ChangesReport;
  /** The price changes among the changes. */
  readonly prices?: readonly PriceStep[];
  /** Whether we must wait until the time that the host named. */
  readonly waits?: boolean;
}

/** A report in one or two sentences, with a tone for its color. */
export interface Summary {
  readonly tone: 'good' | 'middling' | 'bad' | 'quiet';
  readonly headline: string;
  /** Empty if the host was never probed. */
  readonly more: string;
}

/** Whether the host was ever fully probed. */
export function isProbed(report: Pick<HostReport, 'probedAt'>): boolean {
  return report.probedAt !== undefined;
}

export function summaryOf(report: HostReport): Summary {
  if (!isProbed(report)) {
    const text = report.skipped && skippedText(report.skipped);
    return { tone: 'quiet', headline: text?.what ?? 'Not probed yet.', more: text?.paid ?? '' };
  }
  const headline = causeOf(report)?.what;
  if (report.reachable === false) {
    const more = 'We could not check what it publishes.';
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
    return { tone: 'middling', headline: 'The host answers, but we could not check what it publishes.', more };
  }
  return { tone: some ? 'good' : 'middling', headline: unpaid(report, some), more };
}

function unseen({ origin }: HostReport): string {
  if (origin.startsWith('http:')) return 'It answers over plain HTTP only, which agents do not use.';
  return 'We could not check what it publishes.';
}

/** Whether nothing was found while some checks were inconclusive: then "has nothing" would be a guess. */
export function isClosed(report: Pick<HostReport, 'protocols'>): boolean {
  return countOf(report, 'present') + countOf(report, 'partial') === 0 && countOf(report, 'error') > 0;
}

/** `0.01 USD in USDC on Base by x402`. The names come from our own tables or from the protocols. */
export function railTerms(rail: PaymentRail): string {
  const { assetSymbol, networkName, protocol } = rail;
  const price = usdOfRail(rail) ?? 'a price in an unknown asset';
  const asset = assetSymbol === null ? '' : ` in ${assetSymbol}`;
  const network = networkName === null ? '' : ` on ${networkName}`;
  return `${price}${asset}${network} by ${protocol}`;
}

/** Why there are no payment options to show. */
export function withoutRails(report: HostReport): string {
  const payability = payabilityOf(report);
  if (payability === 'untried') return 'Payment was not tested yet. A live probe tests it.';
  if (payability === 'unseen') return 'We could not check whether this host asks for payment.';
  return 'No endpoint asked for payment.';
}

function unpaid(report: HostReport, some: boolean): string {
  const payability = payabilityOf(report);
  if (payability === 'untried') {
    return some
      ? 'Agents can use this site. Payment was not tested.'
      : 'No agent protocols found. Payment was not tested.';
  }
  if (payability === 'unseen') {
    return `${some ? 'Agents can use this site.' : 'No agent protocols found.'} We could not check whether they can pay.`;
  }
  if (report.paymentRails.rails.length > 0) return 'It asks for payment, but no known agent client can pay it.';
  return some ? 'Agents can use this site; nothing here is for sale.' : 'No agent protocols found.';
}

function publishes(report: HostReport): string {
  const partial = countOf(report, 'partial');
  const errors = countOf(report, 'error');
  // A protocol that cannot be checked from outside does not count.
  const checked = report.protocols.length - countOf(report, 'undiscoverable');
  return [
    `${countOf(report, 'present')} of ${checked} protocols are present`,
    ...(partial > 0 ? [`${partial} partial`] : []),
    ...(errors > 0 ? [`${errors} could not be checked`] : []),
  ]
    .join(', ')
    .concat('.');
}

export function countOf({ protocols }: Pick<HostReport, 'protocols'>, status: CellStatus): number {
  return protocols.filter((cell) => cell.status === status).length;
}
