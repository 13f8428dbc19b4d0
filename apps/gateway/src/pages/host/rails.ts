import { whoPays, type HostReport, type PaymentRail } from '@app/reports';
import { html, quoted, type Html } from '../../http/html';
import { statusMark } from '../../reports/words/marks';
import { utc } from '../../reports/words/names';
import { withoutRails } from '../../reports/words/summary';

/** The ways to pay that a live challenge showed, and what keeps an agent from using those that fail. */
export function railList(report: HostReport): Html {
  const { rails } = report.paymentRails;
  if (rails.length === 0) return html`<p class="soft">${withoutRails(report)}</p>`;
  return html`<ul class="rails">
    ${rails.map(railCard)}
  </ul>`;
}

function railCard(rail: PaymentRail): Html {
  const payable = rail.reasons.length === 0;
  const { protocol, version, scheme, method, intent } = rail;
  const { paidBy, stopped } = whoPays(rail);
  const how = [version, scheme, method, intent].filter((part) => part !== undefined && part !== null).join(' · ');
  return html`<li class="rail">
    <p class="price">
      <b
        >${rail.amountUsd === null ? 'unknown price' : quoted(`${rail.ceiling ? 'at most ' : ''}${rail.amountUsd} USD`, 40)}</b
      >
      <span>${rail.assetSymbol} ${rail.networkName === null ? '' : `on ${rail.networkName}`}</span>
      ${rail.testnet && html`<em>testnet</em>`}
      <span class="status ${payable ? 'present' : 'partial'}">
        ${statusMark(payable ? 'present' : 'partial')} ${payable ? 'payable' : 'not payable'}
      </span>
    </p>
    <dl class="facts">
      ${fact('Protocol', `${protocol} ${how}`)} ${fact('Pay to', rail.payTo)}
      ${fact('Route', `${rail.httpMethod} ${rail.resource}`)}
      ${fact('Routes', rail.resources > 1 ? `${rail.resources}, the dearest for ${rail.maxAmount ?? '?'} atomic units` : null)}
      ${fact('Asset', rail.asset && `${rail.amount ?? '?'} atomic units of ${rail.asset}`)}
      ${fact('Network', rail.network)} ${fact('Seen', utc(rail.observedAt))} ${fact('Paid by', paidBy)}
      ${fact('Stopped', stopped)} ${fact('Against it', payable ? null : rail.reasons.join(', '))}
    </dl>
  </li>`;
}

function fact(name: string, value: string | null): Html | undefined {
  if (value === null || value === '') return undefined;
  return html`<div>
    <dt>${name}</dt>
    <dd>${quoted(value, 300)}</dd>
  </div>`;
}
