import type { FastifyInstance } from 'fastify';
import { takesForm } from './form-body';
import { RequestError } from './request-error';

/** Deepest nesting of lists and objects that is taken; what the routes accept has less than ten levels. */
const MAX_DEPTH = 64;

/**
 * Reads JSON bodies as Fastify does, and refuses with 400 what is nested deeper than {@link MAX_DEPTH}: code that walks a
 * value would run out of stack. Routes of forms read text alone, so JSON is 415 there. An empty body is none: clients name the type of a body that they do not send.
 */
export function readJsonBodies(fastify: FastifyInstance): void {
  const parse = fastify.getDefaultJsonParser('error', 'error');
  fastify.removeContentTypeParser('application/json');
  fastify.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else if (takesForm(request)) done(new RequestError('unsupported_media_type'));
    else if (isDeeper(body, MAX_DEPTH))
      done(Object.assign(new Error('The body is nested too deep.'), { statusCode: 400 }));
    else void parse(request, body, done);
  });
}

/** Whether lists and objects of a JSON text lie deeper in each other than that; brackets in strings do not count. */
export function isDeeper(json: string, depth: number): boolean {
  let [open, quoted] = [0, false];
  for (let at = 0; at < json.length; at += 1) {
    const char = json[at];
    if (quoted && char === '\\') at += 1;
    else if (char === '"') quoted = !quoted;
    else if (quoted) continue;
    else if (char === '[' || char === '{') open += 1;
    else if (char === ']' || char === '}') open -= 1;
    if (open > depth) return true;
  }
  return false;
}
