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

/** A page tells nothing of a quota in its headers. */
const NO_HEADERS: HeaderSink = { header: () => undefined };

/** Where an owner claims a host, without a script (behaviour 17.6). */
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

/** One step of it: what the pressed button says. The key goes from form to form and is in no address and no cookie. */
export const claimStep: PageDefinition = {
  path: '/hosts/:domain/claim/step',
  params: { domain: DOMAIN },
  call: '/hosts/example.com/claim/step',
  method: 'POST',
  operationId: 'claim_step',
  summary: 'Takes a step of a claim for the form on its page',
  answers: {
    200: response('The claim after that step.', ['Content-Security-Policy'], HTML),
    400: refusedAsPage('This is not a public host name, or the form has no known step.'),
    401: response(
      'The key is not one of a claim of this host, or the claim has ended.',
      ['Content-Security-Policy', 'WWW-Authenticate'],
      HTML,
    ),
    403: refusedAsPage('The form was sent by another site, or the claim is not verified.'),
    429: refusedForNow('Too many claims or free probes.'),
  },
  render: async (deps, request) => {
    checkSameOrigin(request, deps.config.http.publicBaseUrl);
    const domain = hostArgument(request.params['domain']).ascii;
    const { claim, key, said } = await stepped(deps, request, request.body ?? {});
    const body = claimSteps(claim, key, said);
    return {
      body: deps.layout({ ...titled(domain), body }),
      headers: { ...PAGE_HEADERS, ...PRIVATE },
    };
  },
};

interface Stepped {
  readonly claim: ClaimState;
  /** Undefined once the claim has ended. */
  readonly key?: string;
  readonly said: string;
}

async function stepped(
  { claims, ownerProbes, limits }: PageDeps,
  request: PageRequest,
  { step, key: typed = '' }: FormFields,
): Promise<Stepped> {
  const host = hostArgument(request.params['domain']);
  if (step === 'begin') {
    await limits.countClaim(request, NO_HEADERS);
    const { key, ...claim } = await claims.begin(host, request.ip);
    return { claim, key, said: 'The claim is begun. Save its key: it is not shown again.' };
  }
  const key = typed.trim();
  const id = await claims.idOf(host, key);
  if (step === 'end') return { claim: await claims.end(id, key), said: 'The claim has ended. Nothing of it is kept.' };
  if (step === 'check') {
    return {
      claim: await claims.show(id, key, request),
      key,
      said: 'A check was asked for. Press Check in a moment to see it.',
    };
  }
  if (step !== 'probe') throw new RequestError('bad_request');
  await ownerProbes.begin(id, key, NO_HEADERS);
  return {
    claim: await claims.show(id, key, request),
    key,
    said: 'A probe has begun. The page of the host shows it when it is done.',
  };
}

function titled(domain: string): Pick<PageContent, 'title' | 'description' | 'indexed'> {
  return {
    title: `Claim ${domain}`,
    description: `Show that ${domain} is yours: publish ${WHAT}. No account, no charge.`,
    indexed: false,
  };
}
