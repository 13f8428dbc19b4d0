import { PROOFS } from '@app/owners';
import { skippedText } from '@app/reports';
import type { ClaimState } from '../owners/claim-state';
import { html, quoted, type Html } from '../http/html';
import { copyButton } from './layout/page';
import { moment } from '../reports/words/marks';

const STATUS = {
  pending: 'Not verified yet.',
  verified: 'Verified.',
  grace:
    'We no longer find your record. The claim expires 15 days after we last saw your record, unless you restore the record.',
  lapsed: 'Expired.',
  ended: 'Ended.',
} as const satisfies Readonly<Record<ClaimState['status'], string>>;

const LEVEL = {
  dns: 'DNS record',
  'dns-delegated': 'DNS record, through a CNAME',
  http: 'a file on the web server',
} as const satisfies Readonly<Record<NonNullable<ClaimState['level']>, string>>;

const ZONE = {
  moved: 'changed since we last saw your record: verify again in ten minutes',
  gone: 'none, because the domain no longer exists',
} as const;

/** The kinds of proof as text: `a DNS record or a file`. */
export const WHAT = PROOFS.map(({ noun }) => noun).join(' or ');

/** The forms that start a claim, or continue one with its key. */
export function claimStart(domain: string): Html {
  return html`${head(domain, html`Prove that you own this host. Free, no account needed.`)}
    <section class="prose">
      <p>
        Publish ${WHAT}, and we check that it is there. A verified claim gives you free live probes of this host. It
        does not change the report.
      </p>
    </section>
    <div class="pair">
      <section aria-labelledby="new">
        <h2 id="new">New claim</h2>
        <p>You get a key (shown once) and a record to publish.</p>
        ${form(domain, html`<button name="step" value="begin">Start a claim</button>`)}
      </section>
      <section aria-labelledby="known">
        <h2 id="known">Existing claim</h2>
        ${keyForm(domain)}
      </section>
    </div>
    ${back(domain)}`;
}

/** The part of a claim page that is visible until the check has ended; then CSS hides it. */
export function claimChecking(domain: string): Html {
  return html`<div class="waiting">${head(domain, html`<span role="status">Checking…</span>`)}</div>`;
}

/** The form that continues a claim. @param typed the key that was typed before */
export function keyForm(domain: string, typed = ''): Html {
  return form(
    domain,
    html`<label for="key">Claim key <span class="soft">starts with hpo_</span></label>
      <input id="key" name="key" type="password" autocomplete="off" required maxlength="64" value="${typed}" />
      <button name="step" value="check">Show my claim</button>`,
  );
}

/**
 * A claim after a step.
 * @param key undefined after the claim has ended
 * @param message the result of the step
 */
export function claimSteps(claim: ClaimState, key: string | undefined, message: string): Html {
  const { domain } = claim;
  return html`${head(domain, html`${key === undefined ? 'Ended.' : statusOf(claim)}`)}
    <p class="note" role="status">${message}</p>
    ${key !== undefined && html`${keySection(key)} ${toPublish(claim)} ${check(claim, key)} ${ownerProbe(claim, key)} ${ending(domain, key)}`}
    ${back(domain)}`;
}

function statusOf({ status, level }: ClaimState): string {
  return status === 'verified' && level !== null ? `Verified by ${LEVEL[level]}.` : STATUS[status];
}

function keySection(key: string): Html {
  return html`<section aria-labelledby="secret">
    <h2 id="secret">Your claim key</h2>
    <p>This key controls your claim. Save it; we store only a hash.</p>
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
    <h2 id="seen">2. Verify</h2>
    <p>We check twice, a few minutes apart. You can press Verify once a minute; this page then shows the result.</p>
    ${
      found &&
      html`<dl class="answer">
        ${row('Last check', moment(checkedAt ?? ''))}
        ${PROOFS.flatMap(({ rows }) => rows(found)).map(([term, text, by]) => row(term, by ? quoted(text) : text))}
        ${(found.zone === 'moved' || found.zone === 'gone') && row('Name servers', ZONE[found.zone])}
      </dl>`
    }
    ${others.length > 0 && html`<p>Other verified claims on this host: ${others.length}.</p>`}
    ${form(domain, html`${hidden(key)}<button name="step" value="check">Verify</button>`)}
  </section>`;
}

function row(term: string, text: Html | string): Html {
  return html`<div>
    <dt>${term}</dt>
    <dd>${text}</dd>
  </div>`;
}

function ownerProbe({ domain, status, lastProbe }: ClaimState, key: string): Html {
  return html`<section aria-labelledby="probe">
    <h2 id="probe">3. Probe your host for free</h2>
    <p>Full probes, when we have spare capacity. All owners of a host share a daily limit.</p>
    ${
      lastProbe?.skipped &&
      html`<p class="note">
        The last probe was skipped. ${skippedText(lastProbe.skipped).what} ${skippedText(lastProbe.skipped).paid}
      </p>`
    }
    ${
      status === 'verified'
        ? form(domain, html`${hidden(key)}<button name="step" value="probe">Probe ${domain}</button>`)
        : html`<p class="soft">Available once the claim is verified.</p>`
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
    <a href="/hosts/${domain}">Report for ${domain}</a> <a href="/docs#begin_claim">Claim with the API</a>
  </p>`;
}
