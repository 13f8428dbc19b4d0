import { PRIVATE } from '../http/published';
import { DOMAIN_SCHEMA as DOMAIN } from '../http/inputs';
import { response } from '../routes/responses';
import type { ClaimState } from '../owners/claim-state';
import type { PageContent } from './layout/page';
import { PAGE_HEADERS } from './layout/page-response';
import { hostArgument } from '../http/arguments';
import { checkSameOrigin, type FormFields } from '../http/form-body';
import type { HeaderSink } from '../http/rate-limits';
import { RequestError } from '../http/request-error';
import { claimSteps, claimStart, WHAT } from './claim-steps';
import {
  definePage,
  HTML,
  refusedAsPage,
  refusedForNow,
  type PageDefinition,
  type PageDeps,
  type PageRequest,
} from './page-definition';

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

/** One step of a claim, named by the pressed button. The key passes from form to form, so that no URL or cookie contains it. */
export const claimStep: PageDefinition = {
  path: '/hosts/:domain/claim/step',
  params: { domain: DOMAIN },
  call: '/hosts/example.com/claim/step',
  method: 'POST',
  operationId: 'claim_step',
  summary: 'Take the next step of a claim',
  answers: {
    200: response('The claim after the step.', ['Content-Security-Policy'], HTML),
    400: refusedAsPage('This is not a public host name, or the step is unknown.'),
    401: response(
      'Wrong key for a claim of this host, or the claim has ended.',
      ['Content-Security-Policy', 'WWW-Authenticate'],
      HTML,
    ),
    403: refusedAsPage('The form was sent from another site, or the claim is not verified.'),
    429: refusedForNow('Too many claims or free probes.'),
  },
  render: async (deps, request) => {
    checkSameOrigin(request, deps.config.http.publicBaseUrl);
    const domain = hostArgument(request.params['domain']).ascii;
    const { claim, key, message } = await takeStep(deps, request, request.body ?? {});
    const body = claimSteps(claim, key, message);
    return {
      body: deps.layout({ ...titled(domain), body }),
      headers: { ...PAGE_HEADERS, ...PRIVATE },
    };
  },
};

interface StepResult {
  readonly claim: ClaimState;
  /** Undefined once the claim has ended. */
  readonly key?: string;
  readonly message: string;
}

async function takeStep(
  { claims, ownerProbes, limits }: PageDeps,
  request: PageRequest,
  { step, key: typed = '' }: FormFields,
): Promise<StepResult> {
  const host = hostArgument(request.params['domain']);
  if (step === 'begin') {
    await limits.countClaim(request, NO_HEADERS);
    const { key, ...claim } = await claims.begin(host, request.ip);
    return { claim, key, message: 'Claim started. Save this key now; you will not see it again.' };
  }
  const key = typed.trim();
  const id = await claims.idOf(host, key);
  if (step === 'end') return { claim: await claims.end(id, key), message: 'The claim has ended and was deleted.' };
  if (step === 'check') {
    return {
      claim: await claims.show(id, key, request),
      key,
      message: 'Checking… Press Verify again in a moment to see the result.',
    };
  }
  if (step !== 'probe') throw new RequestError('bad_request');
  await ownerProbes.begin(id, key, NO_HEADERS);
  return {
    claim: await claims.show(id, key, request),
    key,
    message: 'Probe started. The host page shows the result when it is done.',
  };
}

function titled(domain: string): Pick<PageContent, 'title' | 'description' | 'indexed'> {
  return {
    title: `Claim ${domain}`,
    description: `Prove that you own ${domain} with ${WHAT}. Free, no account needed.`,
    indexed: false,
  };
}
