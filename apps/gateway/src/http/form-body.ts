import type { FastifyInstance, FastifyRequest } from 'fastify';
import { RequestError } from './request-error';

/** Configuration of a route that a form of a page posts to. */
export const TAKES_FORM = { takesForm: true };

const FORM = 'application/x-www-form-urlencoded';
/** The longest form has a key of 64 characters, of which one may be nine bytes. */
const MAX_BYTES = 1_024;

/** What a form says: the first value of each field. */
export type FormFields = Readonly<Record<string, string>>;

/** Lets the routes of forms take a form; everywhere else it stays 415. */
export function readForms(fastify: FastifyInstance): void {
  fastify.addContentTypeParser(FORM, { parseAs: 'string', bodyLimit: MAX_BYTES }, (request, body, done) => {
    if (takesForm(request)) done(null, fieldsOf(body.toString()));
    else done(new RequestError('unsupported_media_type'));
  });
}

/** Whether a page posts its form to the route of a request. */
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
 * Whether a request that changes something comes from a page of this service. Browsers say which site it comes from
 * (`Sec-Fetch-Site`, or `Origin` on plain http); a program that says neither sends no visitor of other pages here.
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
