import type { FastifyInstance, FastifyRequest } from 'fastify';
import { RequestError } from './request-error';

/** Route configuration for routes that a page's form posts to. */
export const TAKES_FORM = { takesForm: true };

const FORM = 'application/x-www-form-urlencoded';
/** The longest form has a key of 64 characters, each up to nine bytes when encoded. */
const MAX_BYTES = 1_024;

/** The fields of a form, with the first value of each. */
export type FormFields = Readonly<Record<string, string>>;

/** Accepts form bodies on the routes that take forms; all others answer 415. */
export function readForms(fastify: FastifyInstance): void {
  fastify.addContentTypeParser(FORM, { parseAs: 'string', bodyLimit: MAX_BYTES }, (request, body, done) => {
    if (takesForm(request)) done(null, fieldsOf(body.toString()));
    else done(new RequestError('unsupported_media_type'));
  });
}

/** Whether the route of a request accepts forms. */
export function takesForm({ routeOptions }: Pick<FastifyRequest, 'routeOptions'>): boolean {
  return (routeOptions.config as { readonly takesForm?: boolean }).takesForm === true;
}

function fieldsOf(form: string): FormFields {
  return Object.fromEntries([...new URLSearchParams(form)].toReversed());
}

/** Refuses a form that a page of another site sent. @throws {RequestError} `cross_site_form` */
export function checkSameOrigin(request: Pick<FastifyRequest, 'headers'>, publicBaseUrl: string): void {
  if (!isOwnPage(request, publicBaseUrl)) throw new RequestError('cross_site_form');
}

/**
 * Whether a state-changing request comes from a page of this service. Browsers send `Sec-Fetch-Site`, or `Origin` over
 * plain http. A client that sends neither is not a browser, so cross-site attacks do not concern it.
 */
export function isOwnPage({ headers }: Pick<FastifyRequest, 'headers'>, publicBaseUrl: string): boolean {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  return origin === undefined || origin === new URL(publicBaseUrl).origin || sameHost(origin, host);
}

function sameHost(origin: string, host: string | undefined): boolean {
  return host !== undefined && URL.canParse(origin) && new URL(origin).host === host;
}
