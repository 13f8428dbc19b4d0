import { list, member, text, type JsonObject, type JsonValue, type ProtocolCell } from '@app/detectors';
import { html, quoted, type Html } from '../../http/html';
import { copyButton } from '../layout/page';
import { statusMark } from '../../reports/words/marks';
import { STATUS_WORDS, longName, shortName, utc } from '../../reports/words/names';
import { isReason, REASONS } from '../../reports/words/reasons';
import { replayLine } from './replay';

/** Members of `details` that the page shows elsewhere. */
const SHOWN_ELSEWHERE: ReadonlySet<string> = new Set(['evidence', 'findings']);
/** Facts of a cell beyond these are left to the JSON report. */
const MAX_FACTS = 16;

/** The evidence of each status: the requests, what came back, and a command to send them again. */
export function evidenceList(cells: readonly ProtocolCell[]): Html {
  return html`<div class="evidence-list">${cells.map(cellEvidence)}</div>`;
}

function cellEvidence({ id, status, version, details }: ProtocolCell): Html {
  const evidence = list(details['evidence']) ?? [];
  const remark = ['reason', 'note', 'name', 'endpoint'].map((name) => text(details[name])).find(Boolean);
  return html`<details class="cell-evidence ${status}">
    <summary>
      <h3>${shortName(id)} <span class="long">${longName(id)}</span></h3>
      <span class="status">${statusMark(status)} ${STATUS_WORDS[status]}</span>
      <span class="remark"
        >${version !== null && quoted(version, 24)}${version !== null && remark && ' · '}${remark && quoted(remark, 80)}</span
      >
    </summary>
    <div id="${id}" class="inside">
      ${explained(text(details['reason']))} ${facts(details)} ${findings(list(details['findings']) ?? [])}
      ${
        evidence.length === 0
          ? html`<p class="soft">No request decides this: it cannot be seen from outside.</p>`
          : evidence.map((one, index) => exchange(one, `${id}-curl-${index}`))
      }
    </div>
  </details>`;
}

function explained(reason: string | undefined): Html | undefined {
  if (reason === undefined || !isReason(reason)) return undefined;
  return html`<p>${REASONS[reason].what} <a href="/reasons#${reason}">What to do</a></p>`;
}

function facts(details: JsonObject): Html | undefined {
  const named = Object.entries(details)
    .filter(([name, value]) => !SHOWN_ELSEWHERE.has(name) && value !== undefined && value !== null)
    .slice(0, MAX_FACTS);
  if (named.length === 0) return undefined;
  return html`<dl class="facts">
    ${named.map(
      ([name, value]) =>
        html`<div>
          <dt>${quoted(name, 40)}</dt>
          <dd>${quoted(shown(value), 300)}</dd>
        </div>`,
    )}
  </dl>`;
}

function shown(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value;
  const items = list(value);
  return items?.every((item) => typeof item === 'string') ? items.join(', ') : JSON.stringify(value);
}

function findings(found: readonly JsonValue[]): Html | undefined {
  if (found.length === 0) return undefined;
  return html`<ul class="findings">
    ${found.map((one) => {
      const at = text(member(one, 'at'));
      const other = text(member(one, 'with'));
      return html`<li>
        <code>${quoted(text(member(one, 'id')) ?? '', 60)}</code> ${at && quoted(at, 200)}
        ${other && html`and ${quoted(other, 200)}`}
      </li>`;
    })}
  </ul>`;
}

function exchange(evidence: JsonValue, id: string): Html {
  const line = replayLine(evidence);
  const excerpt = text(member(evidence, 'excerpt'));
  const sha256 = text(member(evidence, 'sha256'));
  return html`<div class="exchange">
    <p class="asked">
      <b>${quoted(text(member(evidence, 'method')) ?? '', 8)}</b>
      ${quoted(text(member(evidence, 'url')) ?? '', 500)}
    </p>
    <p class="came">
      ${came(evidence)}
      <span class="soft">${utc(text(member(evidence, 'observedAt')) ?? '')}</span>
    </p>
    ${excerpt && html`<pre tabindex="0" aria-label="Start of the answer">${quoted(excerpt, 200)}</pre>`}
    ${sha256 && html`<p class="hash soft">sha256 <code>${quoted(sha256, 64)}</code></p>`}
    ${
      line &&
      html`<div class="copyable">
        <pre id="${id}" tabindex="0" aria-label="Command that asks again">${line}</pre>
        ${copyButton(id, 'Copy curl')}
      </div>`
    }
  </div>`;
}

function came(evidence: JsonValue): Html {
  const failure = text(member(evidence, 'failure'));
  if (failure !== undefined) {
    const detail = text(member(evidence, 'failureDetail'));
    return html`<span class="no-answer">no answer: ${quoted(failure, 40)} ${detail && quoted(detail, 40)}</span>`;
  }
  const status = numberOf(member(evidence, 'status'));
  const bytes = numberOf(member(evidence, 'bytes'));
  const type = text(member(evidence, 'contentType'));
  const hops = (list(member(evidence, 'redirects')) ?? []).length;
  return html`<b class="code">${status}</b> ${type && quoted(type, 60)} ${bytes} bytes
    ${hops > 0 && `after ${hops} redirect${hops === 1 ? '' : 's'}`} ${member(evidence, 'truncated') === true && '(cut)'}`;
}

function numberOf(value: JsonValue | undefined): number | string {
  return typeof value === 'number' ? value : '?';
}
