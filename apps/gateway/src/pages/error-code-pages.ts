import { html } from '../http/html';
import { text } from '../routes/json-schema';
import type { PageContent } from './layout/page';
import { ERROR_CODES, errorEntry, isErrorCode, type ErrorCode } from '../http/error-codes';
import { RequestError } from '../http/request-error';
import { definePage, refusedAsPage } from './page-definition';

/** All codes, by status. */
export const errorIndex = definePage({
  path: '/errors',
  operationId: 'error_codes',
  summary: 'Codes of errors',
  content: ({ site: { baseUrl } }) => ({
    title: 'Errors',
    description: 'What each error code means, whether it was charged, and what to do.',
    canonical: `${baseUrl}/errors`,
    body: html`<header class="plain-head">
        <h1>Errors</h1>
        <p>
          Every error is <code>{ "error": "a sentence", "code": "a_code" }</code>. The codes are stable; a program can
          rely on them. An error costs nothing; where that is not known yet, its page says so.
        </p>
      </header>
      <section aria-labelledby="codes">
        <h2 id="codes">Codes</h2>
        <dl class="codes">
          ${Object.entries(ERROR_CODES)
            .toSorted(([, a], [, b]) => a.status - b.status)
            .map(
              ([code, { status, sentence }]) =>
                html`<div>
                  <dt>
                    <a href="/errors/${code}"><code>${code}</code></a>
                  </dt>
                  <dd>${status}</dd>
                  <dd>${written(sentence)}</dd>
                </div>`,
            )}
        </dl>
      </section>`,
  }),
});

export const errorCode = definePage({
  path: '/errors/:code',
  params: { code: text },
  call: '/errors/payment_required',
  operationId: 'error_code',
  summary: 'What a code means',
  answers: { 404: refusedAsPage('There is no such code.') },
  content: ({ site }, { params: { code = '' } }) => codePage(code, site.baseUrl),
});

/** @throws {RequestError} 404 for a code that is not in the catalogue */
function codePage(code: string, baseUrl: string): PageContent {
  if (!isErrorCode(code)) {
    throw new RequestError(
      'not_found',
      'this service has no such code; with status 402 it is a code of the facilitator',
    );
  }
  const { status, sentence, remedy } = errorEntry(code);
  return {
    title: code,
    description: written(sentence),
    canonical: `${baseUrl}/errors/${code}`,
    body: html`<header class="plain-head">
        <p class="over">Error, status ${status}</p>
        <h1><code>${code}</code></h1>
      </header>
      <dl class="answer">
        <div>
          <dt>What happened</dt>
          <dd>${written(sentence)}</dd>
        </div>
        <div>
          <dt>Was anything charged?</dt>
          <dd>${chargeOf(code)}</dd>
        </div>
        <div>
          <dt>What to do</dt>
          <dd>${remedy}</dd>
        </div>
      </dl>
      <p class="links"><a href="/errors">All errors</a> <a href="/pricing#never">When nothing is charged</a></p>`,
  };
}

/** With these the money may have moved, or may yet. */
const OPEN: ReadonlySet<string> = new Set<ErrorCode>(['settlement_unknown', 'storage_away', 'payment_in_progress']);

/** Whether it cost anything: never, and where it is open that is said (behaviour 9.4). */
function chargeOf(code: string): string {
  return OPEN.has(code) ? 'Not yet known. If it was charged, the same payment brings the answer you paid for.' : 'No.';
}

/** A sentence of an error response with a capital and a full stop. */
export function written(sentence: string): string {
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
}
