import type { StoredRun } from '@app/storage';
import { PRIVATE, type Published } from '../http/published';
import { DOMAIN_SCHEMA as DOMAIN } from '../http/inputs';
import { response } from '../routes/responses';
import type { ClaimState } from '../owners/claim-state';
import type { PageContent } from './layout/page';
import { PAGE_HEADERS } from './layout/page-response';
import { hostArgument, readHost } from '../http/arguments';
import { checkSameOrigin } from '../http/form-body';
import { Html, html } from '../http/html';
import type { HeaderSink } from '../http/rate-limits';
import { RequestError } from '../http/request-error';
import { claimChecking, claimSteps, claimStart, keyForm, WHAT } from './claim-steps';
import { progressPath } from './host/probe-progress';
import {
  definePage,
  HTML,
  refusedAsPage,
  refusedForNow,
  type PageDefinition,
  type PageDeps,
  type PageRequest,
} from './page-definition';

/** How long to wait for a check, in milliseconds. Checks rarely take longer, and proxies time out after a minute. */
const LONGEST_CHECK_MS = 20_000;
/** A placeholder for the rest of a page. */
const REST = new Html('<!--rest-->');
const NOT_CHECKED = 'We check at most once a minute. This is the last result.';
const STILL_CHECKING = 'The check is not done yet. Press Verify to see the result.';

/** A page has no quota headers. */
const NO_HEADERS: HeaderSink = { header: () => undefined };

/** The page on which an owner claims a host; it works without a script (behaviour 17.6). */
export const claimPage = definePage({
  path: '/hosts/:domain/claim',
  params: { domain: DOMAIN },
  call: '/hosts/example.com/claim',
  operationId: 'claim_page',
  summary: 'Claim a host',
  answers: { 400: refusedAsPage('This is not a public host name.') },
  content: (_, { params }) => {
    const { ascii } = hostArgument(params['domain']);
    return { ...titled(ascii), body: claimStart(ascii) };
  },
});

/**
 * One step of a claim, named by the pressed button. The key passes from form to form, so that no URL or cookie
 * contains it. A check is answered in one response that first shows "Checking…" and then the result. So it needs
 * neither a script nor a key in a URL.
 */
export const claimStep: PageDefinition = {
  path: '/hosts/:domain/claim/step',
  params: { domain: DOMAIN },
  call: '/hosts/example.com/claim/step',
  method: 'POST',
  operationId: 'claim_step',
  summary: 'Take the next step of a claim',
  answers: {
    200: response(
      'The claim after the step. The result of a check follows in the same answer.',
      ['Content-Security-Policy'],
      HTML,
    ),
    303: response('The progress of the probe that was started.', ['Location']),
    400: refusedAsPage('This is not a public host name, or the step is unknown.'),
    401: response(
      'Wrong claim key for this host, or the claim has ended.',
      ['Content-Security-Policy', 'WWW-Authenticate'],
      HTML,
    ),
    403: refusedAsPage('The form was sent from another site, or the claim is not verified.'),
    429: refusedForNow('Too many claims or free probes.'),
  },
  render: async (deps, request) => {
    const { claims, ownerProbes, limits, layout, config } = deps;
    checkSameOrigin(request, config.http.publicBaseUrl);
    const host = hostArgument(request.params['domain']);
    const { step, key: typed = '' } = request.body ?? {};
    const key = typed.trim();
    const headers = { ...PAGE_HEADERS, ...PRIVATE };
    const pageOf = (...shown: Parameters<typeof claimSteps>): Published => ({
      body: layout({ ...titled(host.ascii), body: claimSteps(...shown) }),
      headers,
    });
    switch (step) {
      case 'begin': {
        await limits.countClaim(request, NO_HEADERS);
        const { key: drawn, ...claim } = await claims.begin(host, request.ip);
        return pageOf(claim, drawn, 'Claim started. Save this key now; you will not see it again.');
      }
      case 'check': {
        const { claim, run } = await claims.check(await claims.idOf(host, key), key, request);
        return run ? { parts: checking(deps, request, claim, key, run), headers } : pageOf(claim, key, NOT_CHECKED);
      }
      case 'probe': {
        const { run } = await ownerProbes.begin(await claims.idOf(host, key), key, NO_HEADERS);
        return { location: progressPath(host, run.id), status: 303 };
      }
      case 'end': {
        const claim = await claims.end(await claims.idOf(host, key), key);
        return pageOf(claim, undefined, 'The claim has ended and was deleted.');
      }
      default:
        throw new RequestError('bad_request');
    }
  },
  correction: ({ params, body }) => {
    const host = readHost(params['domain']);
    return 'value' in host ? keyForm(host.value.ascii, body?.['key']) : undefined;
  },
};

/** Sends the page of a claim up to "Checking…", and the rest after the check. */
async function* checking(
  { claims, probes, layout }: PageDeps,
  request: PageRequest,
  claim: ClaimState,
  key: string,
  run: StoredRun,
): AsyncIterable<string> {
  const { id, domain } = claim;
  const [before = '', after = ''] = layout({ ...titled(domain), body: html`${claimChecking(domain)}${REST}` }).split(
    REST.markup,
  );
  yield before;
  const end = await probes.end(run, LONGEST_CHECK_MS).catch(() => undefined);
  const now = await claims.show(id, key, request).catch(() => claim);
  yield `${claimSteps(now, key, end ? 'Checked just now.' : STILL_CHECKING).markup}${after}`;
}

function titled(domain: string): Pick<PageContent, 'title' | 'description' | 'indexed'> {
  return {
    title: `Claim ${domain}`,
    description: `Prove that you own ${domain} with ${WHAT}. Free, no account needed.`,
    indexed: false,
  };
}
