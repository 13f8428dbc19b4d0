import { KEYS_PATH } from '@app/signing';
import { VERIFY_SCRIPT } from './layout/assets';
import { html, type Html } from '../http/html';
import { definePage } from './page-definition';

const COMMAND =
  'npx hostprobe verify shop.hostprobe.jsonl --statement statement.jwt --keys hostprobe-keys.json --report report.json';

/** Verifies a report in the browser, with files that the visitor saved (behaviour 15.5). */
export const checkReport = definePage({
  path: '/verify',
  operationId: 'check_report',
  summary: 'Verify a report',
  content: ({ site }) => ({
    title: 'Verify a report',
    description: 'Verify the signature, evidence and text of a report in your browser, without contacting any server.',
    canonical: `${site.baseUrl}/verify`,
    script: VERIFY_SCRIPT.path,
    body: html`<header class="plain-head"><h1>Verify a report</h1></header>
      <section class="prose">
        <p>
          A statement records what hostprobe saw at a host at one time. It does not vouch for the owner, safety or
          delivery. This page checks its signature, and that your evidence bundle and report are the ones it refers to.
          Everything runs in your browser; no file is uploaded.
        </p>
        <form id="check" class="check" hidden>
          ${file('statement', 'Statement', 'from /api/v1/hosts/{domain}/statement', true)}
          ${file('keys', 'Keys', 'that you saved from the issuer', true)}
          <label for="issuer">Issuer <span class="soft">the service that signed</span></label>
          <input id="issuer" name="issuer" type="text" inputmode="url" value="${site.baseUrl}" required />
          ${file('bundle', 'Bundle', 'the evidence behind the statement, optional', false)}
          ${file('report', 'Report', 'the report behind the statement, optional', false)}
          <button type="submit">Verify</button>
        </form>
        <div id="outcome" class="check-outcome" role="status" tabindex="-1"></div>
        <noscript><p>This page needs JavaScript. You can also verify on the command line, see below.</p></noscript>
        <p>
          The keys of this service are at <a href="${KEYS_PATH}" download>${KEYS_PATH}</a>. Use keys you saved from the
          issuer yourself; keys shipped with a statement prove nothing.
        </p>
        <h2>Re-run the checks</h2>
        <p>This page checks signatures only. To re-run the detectors on the evidence, use the command line:</p>
        <pre>${COMMAND}</pre>
      </section>`,
  }),
});

function file(name: string, label: string, hint: string, isRequired: boolean): Html {
  return html`<label for="${name}">${label} <span class="soft">${hint}</span></label>
    ${isRequired ? html`<input id="${name}" name="${name}" type="file" required />` : html`<input id="${name}" name="${name}" type="file" />`}`;
}
