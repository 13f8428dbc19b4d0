import { VERSION } from '@app/config';
import { DETECTORS, dnsQuestions, REQUEST_BUDGET } from '@app/detectors';
import { DIRECTORY_PATH, PRODUCT_TOKEN, PROBER_PATH, userAgentOf } from '@app/signing';
import { anyObject, list, object, open, text } from '../routes/json-schema';
import { json, response, validatedAnswer } from '../routes/responses';
import { html, type Html } from '../http/html';
import type { PageContent } from './layout/page';
import { keepable } from './layout/page-response';
import { onceOf } from '../http/published';
import { HTML, type PageDefinition, type PageDeps } from './page-definition';

const SERVICE = { tag: 'service', refused: [] } as const;
const CACHED_SEC = 3_600;
const CACHED = { 'cache-control': `public, max-age=${CACHED_SEC}` };
const KEYS = { 'application/http-message-signatures-directory+json': { schema: open({ keys: list(anyObject) }) } };
const PREFIXES = json(object({ prefixes: list(text) }), { prefixes: ['192.0.2.0/24'] });

/** For verifiers of the prober's signatures. */
export const signingKeys: PageDefinition = {
  path: DIRECTORY_PATH,
  operationId: 'signing_keys',
  summary: 'The keys the prober signs its requests with',
  ...SERVICE,
  answers: {
    200: response('A signed key directory (Web Bot Auth).', ['Content-Digest', 'Signature', 'Signature-Input'], KEYS),
  },
  render: ({ identity }) => {
    const { body, headers } = identity.directory();
    return { body: Buffer.from(body), headers };
  },
};

const once = onceOf();

/** For owners of hosts. */
export const aboutProber: PageDefinition = {
  path: PROBER_PATH,
  operationId: 'about_prober',
  summary: 'About the prober',
  ...SERVICE,
  answers: validatedAnswer('For owners of hosts.', HTML, ['Content-Security-Policy']),
  render: (deps) => once(deps, () => keepable(deps.layout(proberPage(deps.config)), CACHED_SEC)),
};

const EGRESS_PATH = `${PROBER_PATH}/egress.json`;
export const egress: PageDefinition = {
  path: EGRESS_PATH,
  operationId: 'egress',
  summary: 'Addresses that probes come from',
  ...SERVICE,
  answers: { 200: response('Ranges.', [], PREFIXES) },
  render: ({ config }) => ({
    body: JSON.stringify({ prefixes: config.identity.egress }),
    headers: { 'content-type': 'application/json; charset=utf-8', ...CACHED },
  }),
};

/** Most requests of one probe in all; the worker's limit, which this app does not import. A spec holds them equal. */
const REQUESTS_IN_ALL = 40;

/** What an owner writes into robots.txt to stop free probes (RFC 9309). */
const ROBOTS_GROUP = `User-agent: ${PRODUCT_TOKEN}\nDisallow: /`;

/** The page that the user agent of the prober names: for the owner of a host who found the prober in a log. */
export function proberPage({ http: { publicBaseUrl }, targets, identity }: PageDeps['config']): PageContent {
  const facts = {
    userAgent: userAgentOf(VERSION, publicBaseUrl),
    directoryUrl: `${publicBaseUrl}${DIRECTORY_PATH}`,
    egressUrl: `${publicBaseUrl}${EGRESS_PATH}`,
    ...identity,
  };
  return {
    title: 'About the prober',
    description: 'What the prober of hostprobe requests from hosts, how often, and how to opt out.',
    body: html`<header class="plain-head"><h1>About the hostprobe prober</h1></header>
      <section class="prose">
        <p>
          Requests with the user agent <code>${facts.userAgent}</code> come from this service. It reports which
          machine-facing commerce and discovery protocols a host publishes, so that software agents know how to deal
          with it. A user of the service asked for a report about your host, or the service renews one it has.
        </p>
        <h2>What a probe requests</h2>
        <p>
          A probe sends at most ${REQUEST_BUDGET.presence} requests for documents (home page, control requests and
          <code>robots.txt</code> included), at most ${REQUEST_BUDGET.callability} requests to what these documents
          declare, such as one unpaid request to a paid route or the handshake of a protocol, and at most
          ${REQUEST_BUDGET.signals} for neighbours of the protocols, such as a list of agent skills, beside
          ${dnsQuestions('example.com').length} questions to the DNS. One probe never sends more than ${REQUESTS_IN_ALL}
          requests in all, redirect hops and repetitions included.
        </p>
        <p>
          A probe never sends cookies, credentials or payments. It never calls a tool and never starts work. It requests
          the home page, two paths that cannot exist (to recognise hosts that answer every path), and first of all
          these:
        </p>
        <table>
          <thead>
            <tr>
              <th>Protocol</th>
              <th>Requests</th>
            </tr>
          </thead>
          <tbody>
            ${requestRows()}
          </tbody>
        </table>
        <h2>How often a host is probed</h2>
        <ul>
          <li>
            at most ${targets.probesPer15Min} probes of one host in 15 minutes, for all users of the service together; a
            smaller probe counts its share of a full one, a single request 0.05
          </li>
          <li>
            at most ${targets.requestsPerMin} requests a minute to one host, and ${targets.requestsPerMin * 4} to all
            hosts of one registrable domain or one network block, at most half of them for free probes
          </li>
          <li>at most ${targets.concurrency} requests at the same time</li>
          <li>
            after an answer 429 or 503 with <code>Retry-After</code> the host is not probed for as long as it asks, at
            most 15 minutes
          </li>
        </ul>
        <h2>How to recognise the prober</h2>
        <p>
          Every request is signed (RFC 9421, Web Bot Auth) with a key of the
          <a href="${facts.directoryUrl}">key directory</a>. ${egressSentence(facts)}
        </p>
        <h2>How to opt out</h2>
        <ul>
          <li>
            To stop scheduled and free probes, add this group to <code>/robots.txt</code>. It takes effect within 24
            hours:
            <pre>${ROBOTS_GROUP}</pre>
          </li>
          <li>
            To stop all probes, paid ones included, ${contactSentence(facts.contact)} Name the host; every name below it
            is included. Its report then says <code>optedOut</code>.
          </li>
        </ul>
      </section>`,
  };
}

function requestRows(): readonly Html[] {
  return DETECTORS.map(({ id, probes }) => {
    const requests = probes.map(({ method, url }) => html`<code>${method} ${url}</code><br />`);
    return html`<tr>
      <td>${id}</td>
      <td>${requests.length > 0 ? requests : 'none of its own'}</td>
    </tr>`;
  });
}

function egressSentence({ egress: ranges, egressUrl }: { egress: readonly string[]; egressUrl: string }): Html {
  if (ranges.length === 0) return html`This installation does not publish the addresses it sends from.`;
  const shown = ranges.map((range, index) => html`${index > 0 && ', '}<code>${range}</code>`);
  return html`Requests come from ${shown} (<a href="${egressUrl}">as JSON</a>).`;
}

function contactSentence(contact: string | null): Html {
  if (contact === null) return html`ask the operator of this installation.`;
  return html`write to <a href="${contact}">${contact.replace(/^mailto:/, '')}</a>.`;
}
