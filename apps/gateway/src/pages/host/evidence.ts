import {
  codeWords,
  list,
  member,
  text,
  type Fix,
  type JsonObject,
  type JsonValue,
  type ProtocolCell,
} from '@app/detectors';
import {
  failureWords,
  isReason,
  longName,
  REASONS,
  remarkOn,
  shortName,
  STATUS_WORDS,
  utc,
  type HostReport,
} from '@app/reports';
import { html, quoted, type Html } from '../../http/html';
import { copyButton } from '../layout/page';
import { statusMark } from '../../reports/words/marks';
import { replayLine } from './replay';

/** Members of `details` that have their own place on the page. */
const SHOWN_ELSEWHERE: ReadonlySet<string> = new Set(['evidence', 'findings', 'reason', 'accepts', 'challenges']);
/** Members whose value is one of our codes, shown as a sentence. Other texts are quotes from the host. */
const CODES: ReadonlySet<string> = new Set(['note', 'endpointFailure', 'interfaceState', 'signatureReason']);
/** Further facts are only in the JSON report. */
const MAX_FACTS = 16;

/** The evidence behind each status: requests, responses, and a command to repeat each request. */
export function evidenceList({ protocols, fixes }: Pick<HostReport, 'protocols' | 'fixes'>): Html {
  return html`<div class="evidence-list">${protocols.map((cell) => cellEvidence(cell, fixes))}</div>`;
}

function cellEvidence(cell: ProtocolCell, fixes: readonly Fix[]): Html {
  const { id, status, version, details } = cell;
  const evidence = list(details['evidence']) ?? [];
  const remark = remarkOn(cell, fixes) ?? text(details['name']) ?? text(details['endpoint']);
  return html`<details class="cell-evidence ${status}">
    <summary>
      <h3>${shortName(id)} <span class="long">${longName(id)}</span></h3>
      <span class="status">${statusMark(status)} ${STATUS_WORDS[status]}</span>
      <span class="remark"
        >${version !== null && quoted(version, 24)}${version !== null && remark && ' · '}${remark && quoted(remark, 120)}</span
      >
    </summary>
    <div id="${id}" class="inside">
      ${reasonParagraph(text(details['reason']))} ${detailList(details)} ${findings(list(details['findings']) ?? [])}
      ${
        evidence.length === 0
          ? html`<p class="soft">No requests.</p>`
          : evidence.map((one, index) => exchange(one, `${id}-curl-${index}`))
      }
    </div>
  </details>`;
}

function reasonParagraph(reason: string | undefined): Html | undefined {
  if (reason === undefined) return undefined;
  if (!isReason(reason)) return html`<p>${codeWords(reason)}</p>`;
  return html`<p>${REASONS[reason].what} <a href="/reasons#${reason}">What to do</a></p>`;
}

function detailList(details: JsonObject): Html | undefined {
  const named = Object.entries(details)
    .filter(([name, value]) => !SHOWN_ELSEWHERE.has(name) && value !== undefined && value !== null)
    .slice(0, MAX_FACTS);
  if (named.length === 0) return undefined;
  return html`<dl class="facts">
    ${named.map(
      ([name, value]) =>
        html`<div>
          <dt>${quoted(name, 40)}</dt>
          <dd>${quoted(CODES.has(name) ? failureWords(asText(value)) : asText(value), 300)}</dd>
        </div>`,
    )}
  </dl>`;
}

function asText(value: JsonValue | undefined): string {
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
        ${quoted(codeWords(text(member(one, 'id')) ?? ''), 120)}${at && html` <code>${quoted(at, 200)}</code>`}
        ${other && html`and <code>${quoted(other, 200)}</code>`}
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
      ${responseLine(evidence)}
      <span class="soft">${utc(text(member(evidence, 'observedAt')) ?? '')}</span>
    </p>
    ${excerpt && html`<pre tabindex="0" aria-label="Start of the response">${quoted(excerpt, 200)}</pre>`}
    ${sha256 && html`<p class="hash soft">sha256 <code>${quoted(sha256, 64)}</code></p>`}
    ${
      line &&
      html`<div class="copyable">
        <pre id="${id}" tabindex="0" aria-label="Command to repeat the request">${line}</pre>
        ${copyButton(id, 'Copy curl')}
      </div>`
    }
  </div>`;
}

function responseLine(evidence: JsonValue): Html {
  const failure = text(member(evidence, 'failure'));
  if (failure !== undefined) {
    const words = failureWords(failure, text(member(evidence, 'failureDetail')));
    return html`<span class="no-answer">No answer. ${quoted(words, 200)}</span>`;
  }
  const status = numberOf(member(evidence, 'status'));
  const bytes = numberOf(member(evidence, 'bytes'));
  const type = text(member(evidence, 'contentType'));
  const hops = (list(member(evidence, 'redirects')) ?? []).length;
  return html`<b class="code">${status}</b> ${type && quoted(type, 60)} ${bytes} bytes
    ${hops > 0 && `after ${hops} redirect${hops === 1 ? '' : 's'}`}
    ${member(evidence, 'truncated') === true && '(cut off)'}`;
}

function numberOf(value: JsonValue | undefined): number | string {
  return typeof value === 'number' ? value : '?';
}
