import { isPayable, railFacts, usdOfRail, withoutRails, type HostReport, type PaymentRail } from '@app/reports';
import { html, quoted, type Html } from '../../http/html';
import { statusMark } from '../../reports/words/marks';
import { copyButton } from '../layout/page';

/** The payment options of the live challenges, with the failed checks of those that agents cannot use. */
export function railList(report: HostReport): Html {
  const { rails } = report.paymentRails;
  if (rails.length === 0) return html`<p class="soft">${withoutRails(report)}</p>`;
  return html`<ul class="rails">
    ${rails.map(railCard)}
  </ul>`;
}

function railCard(rail: PaymentRail, index: number): Html {
  const payable = isPayable(rail);
  return html`<li class="rail">
    <p class="price">
      <b>${quoted(usdOfRail(rail) ?? 'unknown price', 40)}</b>
      <span>${rail.assetSymbol} ${rail.networkName === null ? '' : `on ${rail.networkName}`}</span>
      ${rail.testnet && html`<em>testnet</em>`}
      <span class="status ${payable ? 'present' : 'partial'}">
        ${statusMark(payable ? 'present' : 'partial')} ${payable ? 'payable' : 'not payable'}
      </span>
    </p>
    <dl class="facts">
      ${railFacts(rail).map(({ label, text, isId, url }) => {
        const id = `rail-${index}-${label.toLowerCase().replaceAll(' ', '-')}`;
        const shown = isId ? html`<code id="${id}">${quoted(text, 300)}</code>` : quoted(text, 300);
        return html`<div>
          <dt>${label}</dt>
          <dd>
            ${url === undefined ? shown : html`<a href="${url}" rel="noreferrer nofollow">${shown}</a>`}
            ${isId && copyButton(id, 'Copy')}
          </dd>
        </div>`;
      })}
    </dl>
  </li>`;
}
