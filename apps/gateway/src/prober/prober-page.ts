import { DETECTORS, REQUEST_BUDGET } from '@app/detectors';
import { html, type Html } from '../pages/html/html';
import { page, type Page } from '../pages/layout/page';

/** What the page says about this installation. */
export interface ProberFacts {
  readonly userAgent: string;
  readonly productToken: string;
  readonly targets: {
    readonly probesPer15Min: number;
    readonly requestsPerMin: number;
    readonly concurrency: number;
  };
  /** CIDR. */
  readonly egress: readonly string[];
  /** `mailto:` or `https:` URL. */
  readonly contact: string | null;
  readonly directoryUrl: string;
  readonly egressUrl: string;
}

/** The page our user agent points at: for the owner of a host who found us in a log. */
export function proberPage(facts: ProberFacts): Page {
  const { targets } = facts;
  return page({
    title: 'About the prober',
    description: 'Who asks hosts on behalf of hostprobe, for what, how often, and how to opt out.',
    body: html`<header class="plain-head"><h1>About the hostprobe prober</h1></header>
      <section class="prose">
        <p>
          Requests with the user agent <code>${facts.userAgent}</code> come from this service. It reports which
          machine-facing commerce and discovery protocols a host publishes, so that software agents know how to deal
          with it. Somebody asked for a report about your host.
        </p>
        <h2>What we ask for</h2>
        <p>
          A look sends at most ${REQUEST_BUDGET.presence} requests for documents, and at most
          ${REQUEST_BUDGET.callability} more to endpoints that these documents advertise: one unpaid request to a paid
          route, a protocol handshake. It never sends cookies, credentials or payments, never calls a tool, never starts
          work. Beside the home page and two paths that cannot exist, by which we recognise hosts that answer
          everything, it starts with these:
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
        <h2>How much we ask</h2>
        <ul>
          <li>at most ${targets.probesPer15Min} looks at one host in 15 minutes, for all our users together</li>
          <li>
            at most ${targets.requestsPerMin} requests a minute to one host, and ${targets.requestsPerMin * 4} to all
            hosts of one registrable domain or one network block
          </li>
          <li>at most ${targets.concurrency} requests at the same time</li>
          <li>
            after an answer 429 or 503 with <code>Retry-After</code> we leave the host alone for as long as it says, up
            to 15 minutes
          </li>
        </ul>
        <h2>How to know it is us</h2>
        <p>
          Every request is signed (RFC 9421, Web Bot Auth) with the key in our
          <a href="${facts.directoryUrl}">key directory</a>. ${egressSentence(facts)}
        </p>
        <h2>How to opt out</h2>
        <ul>
          <li>
            Scheduled and free looks: a group for us in <code>/robots.txt</code>, heeded within 24 hours:
            <pre>${robotsGroup(facts.productToken)}</pre>
          </li>
          <li>
            All looks, also those that somebody pays for: ${contactSentence(facts.contact)} Name the host; names below
            it are included. Its report then says <code>optedOut</code>.
          </li>
        </ul>
      </section>`,
  });
}

/** What keeps us out, in a file of the owner (RFC 9309). */
function robotsGroup(productToken: string): string {
  return `User-agent: ${productToken}\nDisallow: /`;
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

function egressSentence({ egress, egressUrl }: ProberFacts): Html {
  if (egress.length === 0) return html`This installation does not publish the addresses it sends from.`;
  const ranges = egress.map((range, index) => html`${index > 0 && ', '}<code>${range}</code>`);
  return html`Requests come from ${ranges} (<a href="${egressUrl}">as JSON</a>).`;
}

function contactSentence(contact: string | null): Html {
  if (contact === null) return html`ask the operator of this installation.`;
  return html`write to <a href="${contact}">${contact.replace(/^mailto:/, '')}</a>.`;
}
