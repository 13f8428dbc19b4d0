import type { CellStatus } from '@app/detectors';
import { causeOf } from './cause';
import type { HostFacts } from './host-report';
import { skippedText, type Skipped } from './skipped';
import { payabilityOf } from './payability';
import { isPayable, usdOfRail, type PaymentRail } from './rail-members';

/** A host in two sentences. Pages, Markdown, the command line and link previews say the same. */
export interface Summary {
  /** Decides the color. */
  readonly tone: 'good' | 'middling' | 'bad' | 'quiet';
  /** The verdict: one sentence. */
  readonly headline: string;
  /** The counts, or what we could not check; empty if the host was never probed. */
  readonly more: string;
}

type Cells = Pick<HostFacts, 'protocols'>;

/** Whether the host was ever fully probed. */
export function isProbed(facts: Pick<HostFacts, 'probedAt'>): boolean {
  return facts.probedAt !== undefined;
}

/** @param facts `skipped` of a report from the service says why the host was never probed */
export function summaryOf(facts: HostFacts & { readonly skipped?: Skipped | undefined }): Summary {
  if (!isProbed(facts)) {
    const text = facts.skipped && skippedText(facts.skipped);
    return { tone: 'quiet', headline: text?.what ?? 'Not probed yet.', more: text?.paid ?? '' };
  }
  const headline = causeOf(facts)?.what;
  if (facts.reachable === false) {
    const more = 'We could not check what it publishes.';
    return { tone: 'bad', headline: headline ?? 'The host did not answer.', more };
  }
  const more = countsOf(facts);
  const rail = facts.paymentRails.rails.find(isPayable);
  if (facts.paymentRails.payable && rail) {
    return { tone: 'good', headline: `Agents can pay here: ${railTerms(rail)}.`, more };
  }
  const some = countOf(facts, 'present') > 0;
  if (headline !== undefined) return { tone: 'bad', headline, more: unseen(facts) };
  if (!some && isCatchAll(facts)) return { tone: 'middling', headline: CATCH_ALL, more };
  if (isClosed(facts)) {
    return { tone: 'middling', headline: 'The host answers, but we could not check what it publishes.', more };
  }
  // A host that asks for a payment that nobody can make has something to fix.
  const isSound = some && facts.paymentRails.rails.length === 0;
  return { tone: isSound ? 'good' : 'middling', headline: unpaid(facts, some), more };
}

function unseen({ origin }: HostFacts): string {
  if (origin.startsWith('http:')) return 'It answers over plain HTTP only, which agents do not use.';
  return 'We could not check what it publishes.';
}

const CATCH_ALL = 'Every path answers with the same page, so agents find none of the files they look for.';

/** Whether the server sends the same page for most missing files (`details.catchAll`). */
export function isCatchAll({ protocols }: Cells): boolean {
  return protocols.filter(({ details }) => details['catchAll'] === true).length * 2 > protocols.length;
}

/** Whether nothing was found while some checks were inconclusive: then "has nothing" would be a guess. */
export function isClosed(cells: Cells): boolean {
  return countOf(cells, 'present') + countOf(cells, 'partial') === 0 && countOf(cells, 'error') > 0;
}

/** `0.01 USD in USDC on Base over x402`. The names come from our own tables or from the protocols. */
export function railTerms(rail: PaymentRail): string {
  const { assetSymbol, networkName, protocol } = rail;
  const price = usdOfRail(rail) ?? 'a price in an unknown asset';
  const asset = assetSymbol === null ? '' : ` in ${assetSymbol}`;
  const network = networkName === null ? '' : ` on ${networkName}`;
  return `${price}${asset}${network} over ${protocol}`;
}

/** Why there are no payment options to show. */
export function withoutRails(facts: HostFacts): string {
  const payability = payabilityOf(facts);
  if (payability === 'untried') return 'Payment was not tested yet. A live probe tests it.';
  if (payability === 'unseen') return 'We could not check whether this host asks for payment.';
  return 'No endpoint asked for payment.';
}

function unpaid(facts: HostFacts, some: boolean): string {
  const payability = payabilityOf(facts);
  const found = some ? 'Agents can use this site' : 'No agent protocols found';
  if (payability === 'untried') return `${found}; payment was not tested.`;
  if (payability === 'unseen') return `${found}; we could not check whether they can pay.`;
  if (facts.paymentRails.rails.length > 0) return 'It asks for payment, but no known agent client can pay it.';
  return some ? `${found}; nothing here is for sale.` : `${found}.`;
}

/** `10 of 11 protocols`: the count that every form of a report shows. */
export function presentOf(cells: Cells): string {
  return `${countOf(cells, 'present')} of ${cells.protocols.length} protocols`;
}

/** Does not count the page of a catch-all as partial, because it says nothing about a protocol. */
function countsOf(cells: Cells): string {
  const own = cells.protocols.filter(({ details }) => details['catchAll'] !== true);
  const partial = countOf({ protocols: own }, 'partial');
  const errors = countOf(cells, 'error');
  return [
    `${presentOf(cells)} present`,
    ...(partial > 0 ? [`${partial} partial`] : []),
    ...(errors > 0 ? [`${errors} could not be checked`] : []),
  ]
    .join(', ')
    .concat('.');
}

export function countOf({ protocols }: Cells, status: CellStatus): number {
  return protocols.filter((cell) => cell.status === status).length;
}
