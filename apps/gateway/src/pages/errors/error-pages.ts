import { html } from '../html/html';
import { page, searchField, type Page } from '../layout/page';
import { chargeOf, ERROR_CODES, findErrorCode, type ErrorCode } from './error-codes';

/** All codes, by status. */
export function errorIndexPage(baseUrl: string): Page {
  const codes: readonly (readonly [string, ErrorCode])[] = Object.entries(ERROR_CODES);
  return page({
    title: 'Errors',
    description: 'What each error code means, whether it was charged, and what to do.',
    canonical: `${baseUrl}/errors`,
    body: html`<header class="plain-head">
        <h1>Errors</h1>
        <p>
          Every error is <code>{ "error": "a sentence", "code": "a_word" }</code>. The codes are stable; a program can
          rely on them. No error is ever charged.
        </p>
      </header>
      <section aria-labelledby="codes">
        <h2 id="codes">Codes</h2>
        <dl class="codes">
          ${codes
            .toSorted(([, a], [, b]) => a.status - b.status)
            .map(
              ([code, { status, what }]) =>
                html`<div>
                  <dt>
                    <a href="/errors/${code}"><code>${code}</code></a>
                  </dt>
                  <dd>${status}</dd>
                  <dd>${what}</dd>
                </div>`,
            )}
        </dl>
      </section>`,
  });
}

/** The page of one code; undefined for a word that is none of ours. */
export function errorCodePage(code: string, baseUrl: string): Page | undefined {
  const known = findErrorCode(code);
  if (known === undefined) return undefined;
  return page({
    title: code,
    description: known.what,
    canonical: `${baseUrl}/errors/${code}`,
    body: html`<header class="plain-head">
        <p class="over">Error, status ${known.status}</p>
        <h1><code>${code}</code></h1>
      </header>
      <dl class="answer">
        <div>
          <dt>What happened</dt>
          <dd>${known.what}</dd>
        </div>
        <div>
          <dt>Was anything charged?</dt>
          <dd>${chargeOf(code)}</dd>
        </div>
        <div>
          <dt>What to do</dt>
          <dd>${known.remedy}</dd>
        </div>
      </dl>
      <p class="links"><a href="/errors">All errors</a> <a href="/pricing#never">When nothing is charged</a></p>`,
  });
}

/** What a person sees instead of `{ error, code }`. */
export function refusalPage(status: number, code: string, sentence: string, asked = ''): Page {
  const headline = `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
  return page({
    title: headline,
    description: headline,
    indexed: false,
    search: false,
    body: html`<header class="plain-head">
        <p class="over">
          Error ${status}, <a href="/errors/${code}"><code>${code}</code></a>
        </p>
        <h1>${headline}</h1>
        <p>${findErrorCode(code)?.remedy}</p>
        ${searchField('Host name', asked)}
      </header>
      <p class="links"><a href="/">Start page</a></p>`,
  });
}
