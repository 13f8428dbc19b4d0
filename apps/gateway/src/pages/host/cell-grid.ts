import type { CellStatus, ProtocolCell } from '@app/detectors';
import {
  isPayable,
  longName,
  payabilityOf,
  shortName,
  STATUS_WORDS,
  type HostReport,
  type Payability,
} from '@app/reports';
import { html, quoted, type Html } from '../../http/html';
import { statusMark } from '../../reports/words/marks';

/** All protocols at a glance, each linked to its evidence. The last tile says whether an agent can pay. */
export function cellGrid(report: HostReport): Html {
  return html`<ul class="grid">
    ${report.protocols.map(tile)} ${report.protocols.length > 0 && paymentTile(report)}
  </ul>`;
}

function tile({ id, status, version }: ProtocolCell): Html {
  return html`<li class="tile ${status}">
    <a href="#${id}" title="${longName(id)}">
      <span class="name">${shortName(id)}</span>
      <span class="status">${statusMark(status)} ${STATUS_WORDS[status]}</span>
      <span class="version">${version === null ? '' : quoted(version, 24)}</span>
    </a>
  </li>`;
}

const PAYMENT: Readonly<Record<Payability, readonly [status: CellStatus, words: string]>> = {
  payable: ['present', 'payable'],
  not_payable: ['absent', 'not payable'],
  untried: ['undiscoverable', 'not tested'],
  unseen: ['error', STATUS_WORDS.error],
};

function paymentTile(report: HostReport): Html {
  const { payable, rails } = report.paymentRails;
  const good = rails.filter(isPayable).length;
  const [status, words] = PAYMENT[payabilityOf(report)];
  return html`<li class="tile pay ${status}">
    <a href="#payment">
      <span class="name">Payment</span>
      <span class="status">${statusMark(status)} ${words}</span>
      <span class="version">${payable && `${good} ${good === 1 ? 'way' : 'ways'} to pay`}</span>
    </a>
  </li>`;
}
