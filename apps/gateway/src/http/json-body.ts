import type { FastifyInstance } from 'fastify';
import { takesForm } from './form-body';
import { RequestError } from './request-error';

/** The deepest accepted nesting of arrays and objects; our routes need less than ten levels. */
const MAX_DEPTH = 64;

/**
 * Reads JSON bodies as Fastify does, but answers 400 to nesting deeper than {@link MAX_DEPTH}, because recursive code
 * would run out of stack. Form routes read text only, so JSON gets 415 there. An empty body counts as no body, because
 * some clients send a content type without one.
 */
export function readJsonBodies(fastify: FastifyInstance): void {
  const parse = fastify.getDefaultJsonParser('error', 'error');
  fastify.removeContentTypeParser('application/json');
  fastify.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else if (takesForm(request)) done(new RequestError('unsupported_media_type'));
    else if (isDeeper(body, MAX_DEPTH))
      done(Object.assign(new Error('The body is nested too deeply.'), { statusCode: 400 }));
    else void parse(request, body, done);
  });
}

/** Whether arrays and objects in a JSON text are nested deeper than `depth`; brackets in strings do not count. */
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
