import { html } from '../http/html';
import { text } from '../routes/json-schema';
import type { PageContent } from './layout/page';
import { ERROR_CODES, errorEntry, isErrorCode, type ErrorCode } from '../http/error-codes';
import { RequestError } from '../http/request-error';
import { definePage, refusedAsPage } from './page-definition';

export const errorIndex = definePage({
  path: '/errors',
  operationId: 'error_codes',
  summary: 'Error codes',
  content: ({ site: { baseUrl } }) => ({
    title: 'Errors',
    description: 'What each error code means, whether it is charged, and what to do.',
    canonical: `${baseUrl}/errors`,
    body: html`<header class="plain-head">
        <h1>Errors</h1>
        <p>
          Every error has a message and a stable code: <code>{ "error": "a sentence", "code": "a_code" }</code>. Errors
          are not charged. If we cannot tell yet, the page of the code says so.
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
                  <dd>${sentence}</dd>
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
  summary: 'An error code',
  answers: { 404: refusedAsPage('Unknown error code.') },
  content: ({ site }, { params: { code = '' } }) => codePage(code, site.baseUrl),
});

/** @throws {RequestError} 404 for an unknown code */
function codePage(code: string, baseUrl: string): PageContent {
  if (!isErrorCode(code)) {
    throw new RequestError(
      'not_found',
      'Unknown error code. If the status was 402, the code comes from the payment facilitator.',
    );
  }
  const { status, sentence, remedy } = errorEntry(code);
  return {
    title: code,
    description: sentence,
    canonical: `${baseUrl}/errors/${code}`,
    body: html`<header class="plain-head">
        <p class="over">Error ${status}</p>
        <h1><code>${code}</code></h1>
      </header>
      <dl class="answer">
        <div>
          <dt>What happened</dt>
          <dd>${sentence}</dd>
        </div>
        <div>
          <dt>Was it charged?</dt>
          <dd>${chargeOf(code)}</dd>
        </div>
        <div>
          <dt>What to do</dt>
          <dd>${remedy}</dd>
        </div>
      </dl>
      <p class="links"><a href="/errors">All errors</a> <a href="/pricing#never">What is never charged</a></p>`,
  };
}

/** The codes after which a payment may have settled, or may still settle. */
const CHARGE_UNKNOWN: ReadonlySet<string> = new Set<ErrorCode>([
  'settlement_unknown',
  'storage_unavailable',
  'payment_in_progress',
]);

/** An error is never charged. If a settlement is still pending, the page says so (behaviour 9.4). */
function chargeOf(code: string): string {
  return CHARGE_UNKNOWN.has(code)
    ? 'Not known yet. Send the same payment again: if it was charged, you get your answer.'
    : 'No.';
}
