import { PROOFS } from '@app/owners';
import type { ClaimState } from '../owners/claim-state';
import { html, quoted, type Html } from '../http/html';
import { copyButton } from './layout/page';
import { moment } from '../reports/words/marks';

const STATUS = {
  pending: 'Not verified yet.',
  verified: 'Verified.',
  grace: 'Control of the host is not seen any more. The claim ends 15 days after it was last seen.',
  lapsed: 'Ended.',
} as const satisfies Readonly<Record<ClaimState['status'], string>>;

const LEVEL = {
  dns: 'the DNS record',
  'dns-delegated': 'the DNS record, which a CNAME leads to',
  http: 'what the web server publishes',
} as const satisfies Readonly<Record<NonNullable<ClaimState['level']>, string>>;

const ZONE = {
  moved: 'others than when control was last seen: have the claim checked again in ten minutes',
  gone: 'the domain is not there any more',
} as const;

/** What an owner may publish, in a sentence. */
export const WHAT = PROOFS.map(({ noun }) => noun).join(' or ');

/** Where a claim begins, or goes on with its key. */
export function claimStart(domain: string): Html {
  return html`${head(domain, html`Show that this host is yours. It takes no account and costs nothing.`)}
    <section class="prose">
      <p>
        You publish ${WHAT}, and this service checks that it is there. A verified claim gives you free probes of this
        host. It changes no status and no byte of the report.
      </p>
    </section>
    <div class="pair">
      <section aria-labelledby="new">
        <h2 id="new">A new claim</h2>
        <p>You get a key, which is shown once, and what to publish.</p>
        ${form(domain, html`<button name="step" value="begin">Begin a claim</button>`)}
      </section>
      <section aria-labelledby="known">
        <h2 id="known">Your claim</h2>
        ${form(
          domain,
          html`<label for="key">Key of the claim <span class="soft">begins with hpo_</span></label>
            <input id="key" name="key" type="password" autocomplete="off" required maxlength="64" />
            <button name="step" value="check">Show my claim</button>`,
        )}
      </section>
    </div>
    ${back(domain)}`;
}

/**
 * A claim after a step.
 * @param key undefined once the claim has ended
 * @param said what the step did
 */
export function claimSteps(claim: ClaimState, key: string | undefined, said: string): Html {
  const { domain, status, level } = claim;
  const rests = level !== null && html`<span class="more">It rests on ${LEVEL[level]}.</span>`;
  const summary = key === undefined ? html`Ended.` : html`${STATUS[status]} ${rests}`;
  return html`${head(domain, summary)}
    <p class="note" role="status">${said}</p>
    ${key !== undefined && html`${keySection(key)} ${toPublish(claim)} ${check(claim, key)} ${rights(claim, key)} ${ending(domain, key)}`}
    ${back(domain)}`;
}

function keySection(key: string): Html {
  return html`<section aria-labelledby="secret">
    <h2 id="secret">The key of your claim</h2>
    <p>It permits all that a claim permits. Save it: only its hash is stored here.</p>
    ${copyable('claim-key', 'Key', key)}
  </section>`;
}

function toPublish(claim: ClaimState): Html {
  const ways = PROOFS.map(
    ({ heading, note, copies }) =>
      html`<h3>${heading}</h3>
        <p class="soft">${note}</p>
        ${copies(claim).map((copied) => copyable(...copied))}`,
  );
  return html`<section aria-labelledby="publish">
    <h2 id="publish">1. Publish one of these</h2>
    ${ways}
  </section>`;
}

function check({ domain, found, checkedAt, others }: ClaimState, key: string): Html {
  return html`<section aria-labelledby="seen">
    <h2 id="seen">2. Have it checked</h2>
    <p>It has to be seen twice, some minutes apart. A check is made at most once a minute.</p>
    ${
      found &&
      html`<dl class="answer">
        ${row('Last check', moment(checkedAt ?? ''))}
        ${PROOFS.flatMap(({ rows }) => rows(found)).map(([term, text, by]) => row(term, by ? quoted(text) : text))}
        ${(found.zone === 'moved' || found.zone === 'gone') && row('Name servers of the domain', ZONE[found.zone])}
      </dl>`
    }
    ${others.length > 0 && html`<p>Others have shown control of this host, too: ${others.length}.</p>`}
    ${form(domain, html`${hidden(key)}<button name="step" value="check">Check</button>`)}
  </section>`;
}

function row(term: string, told: Html | string): Html {
  return html`<div>
    <dt>${term}</dt>
    <dd>${told}</dd>
  </div>`;
}

/** What a verified claim permits. */
function rights({ domain, status, lastProbe }: ClaimState, key: string): Html {
  return html`<section aria-labelledby="rights">
    <h2 id="rights">3. Probe your host, free</h2>
    <p>Full probes, when there is spare capacity. All owners of a host share a daily limit.</p>
    ${
      lastProbe?.skipped === 'robots_txt' &&
      html`<p class="note">
        The last one was not made: the robots.txt of ${domain} asks this service to stay away. Allow hostprobe there and
        press the button again, or buy a probe, which is no crawl.
      </p>`
    }
    ${
      status === 'verified'
        ? form(domain, html`${hidden(key)}<button name="step" value="probe">Probe ${domain}</button>`)
        : html`<p class="soft">Possible once the claim is verified.</p>`
    }
  </section>`;
}

function ending(domain: string, key: string): Html {
  return html`<section aria-labelledby="end">
    <h2 id="end">End the claim</h2>
    ${form(domain, html`${hidden(key)}<button class="quiet" name="step" value="end">End this claim now</button>`)}
  </section>`;
}

function head(domain: string, line: Html): Html {
  return html`<header class="summary">
    <p class="over">Claim a host</p>
    <h1>${domain}</h1>
    <p class="line quiet">${line}</p>
  </header>`;
}

function form(domain: string, fields: Html): Html {
  return html`<form class="check" method="post" action="/hosts/${domain}/claim/step">${fields}</form>`;
}

function hidden(key: string): Html {
  return html`<input type="hidden" name="key" value="${key}" />`;
}

function copyable(id: string, label: string, text: string): Html {
  return html`<div class="copyable">
    <span class="label">${label}</span>
    <pre id="${id}" tabindex="0" aria-label="${label}">${text}</pre>
    ${copyButton(id, 'Copy')}
  </div>`;
}

function back(domain: string): Html {
  return html`<p class="links">
    <a href="/hosts/${domain}">Report of ${domain}</a> <a href="/docs#begin_claim">The same over HTTP</a>
  </p>`;
}
