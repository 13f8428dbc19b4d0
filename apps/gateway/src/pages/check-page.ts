import type { HostName } from '@app/hosts';
import { KEYS_PATH } from '@app/signing';
import { html, type Html } from '../http/html';
import { Domain, Optional } from '../http/inputs';
import { onceOf, type Published } from '../http/published';
import { queryArguments } from '../http/validated';
import { inputSchema } from '../routes/input-schema';
import { validatedAnswer } from '../routes/responses';
import { VERIFY_SCRIPT } from './layout/assets';
import { hostInput } from './layout/page';
import { keepable, CALLING_HEADERS } from './layout/page-response';
import { HTML, refusedAsPage, STATIC_SEC, type PageDefinition, type PageDeps } from './page-definition';

class VerifyQuery {
  @Optional()
  @Domain()
  host?: HostName;
}

const withoutHost = onceOf();

/**
 * Verifies a report in the browser, either with the files that the service publishes about a host or with files that
 * the visitor saved (behaviour 15.5).
 */
export const checkReport: PageDefinition = {
  path: '/verify',
  query: inputSchema(VerifyQuery),
  call: '/verify?host=example.com',
  operationId: 'check_report',
  summary: 'Verify a report',
  answers: {
    ...validatedAnswer('The page.', HTML, ['Content-Security-Policy']),
    400: refusedAsPage('This is not a public host name.'),
  },
  render: (deps, { query }) => {
    const { host } = queryArguments(VerifyQuery, query);
    return host ? pageOf(deps, host.ascii) : withoutHost(deps, () => pageOf(deps));
  },
  correction: ({ query: { host } }) => hostForm(typeof host === 'string' ? host : undefined),
};

function pageOf({ site: { baseUrl }, layout }: PageDeps, host?: string): Published {
  const content = {
    title: host === undefined ? 'Verify a report' : `Verify the report for ${host}`,
    description: 'Verify the signature, the evidence and the text of a report in your browser.',
    canonical: `${baseUrl}/verify`,
    script: VERIFY_SCRIPT.path,
    body: body(host, baseUrl),
  };
  return keepable(layout(content), STATIC_SEC, CALLING_HEADERS);
}

function body(host: string | undefined, baseUrl: string): Html {
  return html`<header class="plain-head">
      <h1>Verify a report</h1>
      <p>
        Check in your browser that a report, its evidence and its signature belong together, and that nothing was
        changed since it was signed.
      </p>
    </header>
    <section class="prose">
      ${hostForm(host)}
      <div id="published" class="check-outcome" role="status" data-host="${host}"></div>
      <noscript>
        <p>This page needs JavaScript. You can also verify on the command line, see below.</p>
        ${host !== undefined && html`<p>Download the <a href="/api/v1/hosts/${host}/statement">statement</a>.</p>`}
      </noscript>
      <p>
        A statement records what hostprobe saw at a host at one time. It does not vouch for the owner, safety or
        delivery.
      </p>
      <h2>Re-run the checks</h2>
      <p>This page checks signatures and hashes only. To re-run the detectors on the evidence, use the command line:</p>
      <pre>npx hostprobe verify ${host ?? 'shop.example.com'} --url ${baseUrl}</pre>
      <h2>Verify files that you saved</h2>
      <p>
        The files stay in your browser. Use keys that you saved from the issuer yourself; keys shipped with a statement
        prove nothing. The keys of this service are at <a href="${KEYS_PATH}" download>${KEYS_PATH}</a>.
      </p>
      <form id="files" class="check" hidden>
        ${file('statement', 'Statement', 'from /api/v1/hosts/{domain}/statement', true)}
        ${file('keys', 'Keys', 'that you saved from the issuer', true)}
        <label for="issuer">Issuer <span class="soft">the service that signed</span></label>
        <input id="issuer" name="issuer" type="text" inputmode="url" value="${baseUrl}" required />
        ${file('bundle', 'Evidence', 'the bundle behind the statement, optional', false)}
        ${file('report', 'Report', 'the report behind the statement, optional', false)}
        <button type="submit">Verify files</button>
      </form>
      <div id="outcome" class="check-outcome" role="status" tabindex="-1"></div>
    </section>`;
}

/** A form that GETs `/verify?host=`, so that it works without a script. */
function hostForm(host = ''): Html {
  return html`<form class="check" action="/verify" method="get">
    <label for="host">Host name</label>
    ${hostInput('host', host)}
    <button type="submit">Verify</button>
  </form>`;
}

function file(name: string, label: string, hint: string, isRequired: boolean): Html {
  return html`<label for="${name}">${label} <span class="soft">${hint}</span></label>
    ${isRequired ? html`<input id="${name}" name="${name}" type="file" required />` : html`<input id="${name}" name="${name}" type="file" />`}`;
}
