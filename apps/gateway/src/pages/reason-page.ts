import { html } from '../http/html';
import { REASONS } from '../reports/words/reasons';
import { definePage } from './page-definition';

/** Why a probe could not see something, in words, and what the owner of the host does about it. */
export const reasonIndex = definePage({
  path: '/reasons',
  operationId: 'reasons',
  summary: 'Why a probe could not see something',
  content: ({ site: { baseUrl } }) => ({
    title: 'Reasons',
    description: 'Why a probe could not see what a host publishes, and what its owner does about it.',
    canonical: `${baseUrl}/reasons`,
    body: html`<header class="plain-head">
        <h1>Reasons</h1>
        <p>
          A status that could not be decided has a <code>reason</code>. It never counts as missing: the host may publish
          the document all the same.
        </p>
      </header>
      <section aria-labelledby="all">
        <h2 id="all">All reasons</h2>
        <dl class="reasons">
          ${Object.entries(REASONS).map(
            ([reason, { what, remedy }]) =>
              html`<div id="${reason}">
                <dt><code>${reason}</code></dt>
                <dd>${what} ${remedy}</dd>
              </div>`,
          )}
        </dl>
      </section>`,
  }),
});
