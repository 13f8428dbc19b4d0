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

export const signingKeys: PageDefinition = {
  path: DIRECTORY_PATH,
  operationId: 'signing_keys',
  summary: 'Public keys of the prober',
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

export const aboutProber: PageDefinition = {
  path: PROBER_PATH,
  operationId: 'about_prober',
  summary: 'About the prober',
  ...SERVICE,
  answers: validatedAnswer('The page.', HTML, ['Content-Security-Policy']),
  render: (deps) => once(deps, () => keepable(deps.layout(proberPage(deps.config)), CACHED_SEC)),
};

const EGRESS_PATH = `${PROBER_PATH}/egress.json`;
export const egress: PageDefinition = {
  path: EGRESS_PATH,
  operationId: 'egress',
  summary: 'IP addresses of the prober',
  ...SERVICE,
  answers: { 200: response('The address ranges.', [], PREFIXES) },
  render: ({ config }) => ({
    body: JSON.stringify({ prefixes: config.identity.egress }),
    headers: { 'content-type': 'application/json; charset=utf-8', ...CACHED },
  }),
};

/** The worker's limit per probe, which this app cannot import. A test keeps the two equal. */
const MAX_REQUESTS = 40;

/** The robots.txt group that stops free probes (RFC 9309). */
const ROBOTS_GROUP = `User-agent: ${PRODUCT_TOKEN}\nDisallow: /`;

/** The page that the prober's user agent links to, for owners who found the prober in their logs. */
export function proberPage({ http: { publicBaseUrl }, targets, identity }: PageDeps['config']): PageContent {
  const facts = {
    userAgent: userAgentOf(VERSION, publicBaseUrl),
    directoryUrl: `${publicBaseUrl}${DIRECTORY_PATH}`,
    egressUrl: `${publicBaseUrl}${EGRESS_PATH}`,
    ...identity,
  };
  return {
    title: 'About the prober',
    description: 'What the hostprobe prober requests from your site, how often, and how to opt out.',
    body: html`<header class="plain-head"><h1>About the hostprobe prober</h1></header>
      <section class="prose">
        <p>
          Requests with the user agent <code>${facts.userAgent}</code> come from this service. It reports which agent
          protocols a site supports, and whether agents can pay it. Somebody requested a report on your host, or we are
          updating an existing one.
        </p>
        <h2>What a probe requests</h2>
        <p>
          One probe never sends more than ${MAX_REQUESTS} requests, redirects and retries included: at most
          ${REQUEST_BUDGET.presence} for published files (with the home page, <code>robots.txt</code> and two control
          requests), at most ${REQUEST_BUDGET.callability} to the endpoints that these files declare, such as an unpaid
          request to a paid route or a protocol handshake, and at most ${REQUEST_BUDGET.signals} for related files, such
          as a list of agent skills. It also sends ${dnsQuestions('example.com').length} DNS queries.
        </p>
        <p>
          A probe never sends cookies, credentials or payments, never calls a tool and never starts a task. It requests
          the home page, two paths that cannot exist (to recognize hosts that answer every path), and these files:
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
            at most ${targets.probesPer15Min} full probes of one host in 15 minutes, counting all users of the service;
            smaller probes count in proportion, a single request as 0.05
          </li>
          <li>
            at most ${targets.requestsPerMin} requests per minute to one host, and ${targets.requestsPerMin * 4} to all
            hosts of one registrable domain or one network block; free probes get at most half of them
          </li>
          <li>at most ${targets.concurrency} requests at the same time</li>
          <li>
            after a 429 or 503 response with <code>Retry-After</code>, no probe for as long as the host asks, at most 15
            minutes
          </li>
        </ul>
        <h2>How to recognize the prober</h2>
        <p>
          Every request is signed (RFC 9421, Web Bot Auth) with a key from our
          <a href="${facts.directoryUrl}">key directory</a>. ${egressSentence(facts)}
        </p>
        <h2>How to opt out</h2>
        <ul>
          <li>
            To stop scheduled and free probes, add this group to <code>/robots.txt</code>. Every free probe reads the
            file first:
            <pre>${ROBOTS_GROUP}</pre>
            Scheduled probes obey robots.txt as crawlers do (RFC 9309): the group for <code>hostprobe</code>, otherwise
            the group for <code>*</code>. A free probe that somebody asked for obeys only the group for
            <code>hostprobe</code>. Paid probes ignore robots.txt.
          </li>
          <li>
            To stop all probes, including paid ones, ${contactSentence(facts.contact)} Give the host name; subdomains
            are included. The report of the host will show that it opted out.
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
      <td>${requests.length > 0 ? requests : 'no request of its own'}</td>
    </tr>`;
  });
}

function egressSentence({ egress: ranges, egressUrl }: { egress: readonly string[]; egressUrl: string }): Html {
  if (ranges.length === 0) return html`This service does not publish its IP addresses.`;
  const shown = ranges.map((range, index) => html`${index > 0 && ', '}<code>${range}</code>`);
  return html`Requests come from ${shown} (<a href="${egressUrl}">as JSON</a>).`;
}

function contactSentence(contact: string | null): Html {
  if (contact === null) return html`ask the operator of this service.`;
  return html`write to <a href="${contact}">${contact.replace(/^mailto:/, '')}</a>.`;
}
