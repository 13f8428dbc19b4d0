import type { CellStatus } from '@app/detectors';
import { isPayable, payabilityOf, type HostReport, type PaymentRail } from '@app/reports';

/** A report in one or two sentences, and the mood of it. */
export interface Verdict {
  readonly tone: 'good' | 'middling' | 'bad' | 'quiet';
  readonly headline: string;
  /** Empty for a host nobody looked at. */
  readonly more: string;
}

/** Whether somebody has looked at the host as a whole. */
export function isLookedAt(report: Pick<HostReport, 'probedAt'>): boolean {
  return report.probedAt !== undefined;
}

export function verdictOf(report: HostReport): Verdict {
  if (!isLookedAt(report)) return { tone: 'quiet', headline: 'Nobody has looked at this host yet.', more: '' };
  if (report.reachable === false) {
    return { tone: 'bad', headline: 'The host did not answer.', more: 'Nothing can be said about what it publishes.' };
  }
  const more = publishes(report);
  const rail = report.paymentRails.rails.find(isPayable);
  if (report.paymentRails.payable && rail) {
    return { tone: 'good', headline: `An agent can pay here: ${railTerms(rail)}.`, more };
  }
  const some = countOf(report, 'present') > 0;
  if (isClosed(report)) {
    return { tone: 'middling', headline: 'The host answers, but did not let us look.', more };
  }
  return { tone: some ? 'good' : 'middling', headline: unpaid(report, some), more };
}

/** Whether a host that answers showed nothing and kept something from us: that it has nothing would be a guess. */
export function isClosed(report: Pick<HostReport, 'protocols'>): boolean {
  return countOf(report, 'present') + countOf(report, 'partial') === 0 && countOf(report, 'error') > 0;
}

/** `0.01 USD in USDC on Base by x402`. Names come from our own tables, or are those of the protocols. */
export function railTerms({ amountUsd, assetSymbol, networkName, protocol }: PaymentRail): string {
  const price = amountUsd === null ? 'a price in an asset we do not know' : `${amountUsd} USD`;
  const asset = assetSymbol === null ? '' : ` in ${assetSymbol}`;
  const network = networkName === null ? '' : ` on ${networkName}`;
  return `${price}${asset}${network} by ${protocol}`;
}

function unpaid(report: HostReport, some: boolean): string {
  const payability = payabilityOf(report);
  if (payability === 'untried') {
    return some
      ? 'Agents find something here; whether they can pay was not tried.'
      : 'Nothing for agents was found; paid routes were not tried.';
  }
  if (payability === 'unseen') {
    return `Agents find ${some ? 'something' : 'nothing'} here; whether they can pay could not be seen.`;
  }
  if (report.paymentRails.rails.length > 0) return 'It asks for payment, but not so that an agent could pay.';
  return some ? 'Agents find something here, and nothing to pay for.' : 'Agents find nothing here.';
}

function publishes(report: HostReport): string {
  const partial = countOf(report, 'partial');
  const errors = countOf(report, 'error');
  return [
    `${countOf(report, 'present')} of ${report.protocols.length} protocols are present`,
    ...(partial > 0 ? [`${partial} in part`] : []),
    ...(errors > 0 ? [`${errors} could not be looked at`] : []),
  ]
    .join(', ')
    .concat('.');
}

export function countOf({ protocols }: Pick<HostReport, 'protocols'>, status: CellStatus): number {
  return protocols.filter((cell) => cell.status === status).length;
}
