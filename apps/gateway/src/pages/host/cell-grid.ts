import type { ProtocolCell } from '@app/detectors';
import { isPayable, type HostReport } from '@app/reports';
import { html, quoted, type Html } from '../html/html';
import { longName, shortName } from '../protocol-names';
import { STATUS_WORDS, statusMark } from '../statuses';

/** All protocols at a glance, each leading to its evidence; the last tile says whether an agent can pay. */
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

function paymentTile({ paymentRails, callabilityProbedAt }: HostReport): Html {
  const { payable, rails } = paymentRails;
  const good = rails.filter(isPayable).length;
  const [status, words] = payable
    ? (['present', 'payable'] as const)
    : callabilityProbedAt === undefined
      ? (['undiscoverable', 'not tried'] as const)
      : (['absent', 'not payable'] as const);
  return html`<li class="tile pay ${status}">
    <a href="#payment">
      <span class="name">Payment</span>
      <span class="status">${statusMark(status)} ${words}</span>
      <span class="version">${payable && `${good} ${good === 1 ? 'way' : 'ways'} to pay`}</span>
    </a>
  </li>`;
}
