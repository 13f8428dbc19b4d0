import { createHash } from 'node:crypto';
import { DETECTORS, REQUEST_BUDGET } from '@app/detectors';

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

const STYLE =
  ':root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}' +
  'code{font-size:.9em;overflow-wrap:anywhere}table{border-collapse:collapse}td,th{text-align:left;padding:.2rem 1rem .2rem 0;vertical-align:top}';

/** Nothing is loaded, run or framed; the one style is named by its hash. */
export const PROBER_PAGE_CSP = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The page our user agent points at: for the owner of a host who found us in a log. */
export function proberPage(facts: ProberFacts): string {
  const { targets } = facts;
  return page(
    'About the hostprobe prober',
    `<p>Requests with the user agent <code>${escaped(facts.userAgent)}</code> come from this service. It reports which
machine-facing commerce and discovery protocols a host publishes, so that software agents know how to deal with it. Somebody
asked for a report about your host.</p>
<h2>What we ask for</h2>
<p>A look sends at most ${REQUEST_BUDGET.presence} requests for documents, and at most ${REQUEST_BUDGET.callability} more to
endpoints that these documents advertise: one unpaid request to a paid route, a protocol handshake. It never sends cookies,
credentials or payments, never calls a tool, never starts work. Beside the home page and two paths that cannot exist, by which
we recognise hosts that answer everything, it starts with these:</p>
<table><thead><tr><th>Protocol</th><th>Requests</th></tr></thead><tbody>${requestRows()}</tbody></table>
<h2>How much we ask</h2>
<ul>
<li>at most ${targets.probesPer15Min} looks at one host in 15 minutes, for all our users together</li>
<li>at most ${targets.requestsPerMin} requests a minute to one host, and ${targets.requestsPerMin * 4} to all hosts of one
registrable domain or one network block</li>
<li>at most ${targets.concurrency} requests at the same time</li>
<li>after an answer 429 or 503 with <code>Retry-After</code> we leave the host alone for as long as it says, up to 15 minutes</li>
</ul>
<h2>How to know it is us</h2>
<p>Every request is signed (RFC 9421, Web Bot Auth) with the key in our
<a href="${escaped(facts.directoryUrl)}">key directory</a>. ${egressSentence(facts)}</p>
<h2>How to opt out</h2>
<ul>
<li>Scheduled and free looks: a group for us in <code>/robots.txt</code>, heeded within 24 hours:
<pre>User-agent: ${escaped(facts.productToken)}
Disallow: /</pre></li>
<li>All looks, also those that somebody pays for: ${contactSentence(facts.contact)} Name the host; names below it are included.
Its report then says <code>optedOut</code>.</li>
</ul>`,
  );
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${STYLE}</style></head>
<body><main><h1>${title}</h1>
${body}
</main></body>
</html>
`;
}

function requestRows(): string {
  return DETECTORS.map(({ id, probes }) => {
    const requests = probes.map(({ method, url }) => `<code>${escaped(`${method} ${url}`)}</code>`);
    return `<tr><td>${escaped(id)}</td><td>${requests.join('<br>') || 'none of its own'}</td></tr>`;
  }).join('');
}

function egressSentence({ egress, egressUrl }: ProberFacts): string {
  if (egress.length === 0) return 'This installation does not publish the addresses it sends from.';
  const ranges = egress.map((range) => `<code>${escaped(range)}</code>`).join(', ');
  return `Requests come from ${ranges} (<a href="${escaped(egressUrl)}">as JSON</a>).`;
}

function contactSentence(contact: string | null): string {
  if (contact === null) return 'ask the operator of this installation.';
  return `write to <a href="${escaped(contact)}">${escaped(contact.replace(/^mailto:/, ''))}</a>.`;
}

function escaped(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
