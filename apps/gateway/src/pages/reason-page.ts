import { REASONS } from '@app/reports';
import { html } from '../http/html';
import { definePage } from './page-definition';

export const reasonIndex = definePage({
  path: '/reasons',
  operationId: 'reasons',
  summary: 'Inconclusive checks',
  content: ({ site: { baseUrl } }) => ({
    title: 'Why some checks were inconclusive',
    description: 'Why a check can be inconclusive, and what the owner of the host can do about it.',
    canonical: `${baseUrl}/reasons`,
    body: html`<header class="plain-head">
        <h1>Why some checks were inconclusive</h1>
        <p>
          An inconclusive check has a <code>reason</code>. It never counts as missing: the host may well publish the
          document.
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
