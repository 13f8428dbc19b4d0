import { KEYS_PATH } from '@app/signing';
import { VERIFY_SCRIPT } from './layout/assets';
import { html, type Html } from '../http/html';
import { definePage } from './page-definition';

const COMMAND =
  'npx hostprobe verify shop.hostprobe.jsonl --statement statement.jwt --keys hostprobe-keys.json --report report.json';

/** Where a report is checked in the browser, with files that were saved before (behaviour 15.5). */
export const checkReport = definePage({
  path: '/verify',
  operationId: 'check_report',
  summary: 'Check a report',
  content: ({ site }) => ({
    title: 'Check a report',
    description: 'Check the signature, the evidence and the text of a report in the browser, without asking a service.',
    canonical: `${site.baseUrl}/verify`,
    script: VERIFY_SCRIPT.path,
    body: html`<header class="plain-head"><h1>Check a report</h1></header>
      <section class="prose">
        <p>
          A statement says what one prober saw at one origin at one time. It says nothing of identity, safety or
          delivery. Here its signature is checked, and that bundle and report are the ones it names. That happens in
          this browser: the files are sent nowhere.
        </p>
        <form id="check" class="check" hidden>
          ${file('statement', 'Statement', 'of /api/v1/hosts/{domain}/statement', true)}
          ${file('keys', 'Keys', 'of the issuer, saved beforehand', true)}
          <label for="issuer">Issuer <span class="soft">whose keys they are</span></label>
          <input id="issuer" name="issuer" type="text" inputmode="url" value="${site.baseUrl}" required />
          ${file('bundle', 'Bundle', 'the evidence that the statement names', false)}
          ${file('report', 'Report', 'the text that the statement names', false)}
          <button type="submit">Check</button>
        </form>
        <div id="outcome" class="check-outcome" role="status" tabindex="-1"></div>
        <noscript><p>Without a script this page cannot check anything; the command line can.</p></noscript>
        <p>
          The keys of this service are at <a href="${KEYS_PATH}" download>${KEYS_PATH}</a>. Keys that come with a
          statement show nothing: save those of an issuer that you chose.
        </p>
        <h2>Whether the statuses follow from the evidence</h2>
        <p>This page does not judge the exchanges again. The command line does, with the detectors of the service:</p>
        <pre>${COMMAND}</pre>
      </section>`,
  }),
});

function file(name: string, label: string, hint: string, isRequired: boolean): Html {
  return html`<label for="${name}">${label} <span class="soft">${hint}</span></label>
    ${isRequired ? html`<input id="${name}" name="${name}" type="file" required />` : html`<input id="${name}" name="${name}" type="file" />`}`;
}
