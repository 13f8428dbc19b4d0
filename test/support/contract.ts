import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ERROR_CODES, isErrorCode } from '../../apps/gateway/src/http/error-codes';
import type { OpenApiDocument } from '../../apps/gateway/src/routes/openapi-document';
import type { Operation } from '../../apps/gateway/src/routes/operation';
import type { Response } from '../../apps/gateway/src/routes/responses';
import type { Members, Ref } from '../../apps/gateway/src/routes/schema';

/** A sent answer. */
export interface Answer {
  readonly method: string;
  /** Path template of its route (`/api/v1/hosts/{domain}`); undefined if no route matched. */
  readonly route: string | undefined;
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Statuses of requests without an operation: there is none for the path or method, or the request was unreadable. */
const OUTSIDE = [400, 404, 405, 413, 414, 415, 429, 500];

/** Protected by the operator's password, and not part of the public interface. */
const OPERATOR = /^\/(?:metrics|operator)(?:\/|$)/;

/** General headers of HTTP, CORS and content sniffing, which API documents do not list, and the one in every answer. */
const GENERAL =
  /^(?:request-id|content-type|content-length|date|connection|keep-alive|transfer-encoding|allow|access-control-.*|content-encoding|cross-origin-resource-policy|x-content-type-options|referrer-policy)$/;

const watching = new Set<Contract>();

/**
 * Called after each end-to-end test file. @throws {Error} if one of its servers sent an answer that does not match the
 * document
 */
export function assertContractsKept(): void {
  const watched = [...watching];
  watching.clear();
  for (const contract of watched) contract.assertKept();
}

/**
 * Compares answers with the OpenAPI document: route, status, headers, media type and body. Unlike in the document,
 * objects are closed here: later versions may add fields, but today's answers must be completely described today.
 */
export class Contract {
  private readonly ajv = addFormats(new Ajv2020({ strict: false, validateSchema: false }));
  private readonly validators = new Map<string, ValidateFunction>();
  private readonly found = new Set<string>();
  private readonly document: OpenApiDocument;
  /** The number of checked answers. */
  answers = 0;

  constructor(document: OpenApiDocument) {
    this.document = closed(document) as OpenApiDocument;
    this.ajv.addSchema(this.document, 'contract');
  }

  /** Distinct breaches, one line each. */
  get breaches(): readonly string[] {
    return [...this.found];
  }

  /** @throws {Error} if an answer did not match the document */
  assertKept(): void {
    if (this.found.size > 0) throw new Error(`not as the OpenAPI document says:\n${this.breaches.join('\n')}`);
  }

  /** Makes {@link assertContractsKept} report its breaches. */
  keep(): this {
    watching.add(this);
    return this;
  }

  /** The path template for a path, preferring those with fewer parameters; undefined if there is none. */
  routeOf(path: string): string | undefined {
    const steps = path.split('/');
    const fits = (template: string): boolean => {
      const wanted = template.split('/');
      return wanted.length === steps.length && wanted.every((step, at) => step === steps[at] || step.startsWith('{'));
    };
    const parameters = (template: string): number => template.split('{').length;
    return Object.keys(this.document.paths)
      .filter(fits)
      .sort((one, other) => parameters(one) - parameters(other))[0];
  }

  /** Checks all answers of a server; call it before the server listens. */
  watch(fastify: FastifyInstance): void {
    this.keep();
    fastify.addHook('onSend', (request, reply, payload, done) => {
      const { url } = request.routeOptions;
      this.check({
        method: request.method,
        route: url?.replace(/:(\w+)/g, '{$1}'),
        status: reply.statusCode,
        headers: reply.getHeaders(),
        body: Buffer.isBuffer(payload) ? plain(payload, reply) : typeof payload === 'string' ? payload : '',
      });
      done(null, payload);
    });
  }

  check(answer: Answer): void {
    const { route = '', status } = answer;
    const where = `${answer.method} ${route || 'an unknown route'} ${status}`;
    this.checkIdAndCode(where, answer);
    if (OPERATOR.test(route)) return;
    this.answers += 1;
    if (answer.method === 'OPTIONS' && status === 204) {
      this.checkOptions(where, answer);
      return;
    }
    // HEAD is GET without the body (RFC 9110 section 9.3.2), and API documents do not list it.
    const method = answer.method === 'HEAD' ? 'get' : answer.method.toLowerCase();
    const operation = (this.document.paths[route] as Readonly<Record<string, Operation>> | undefined)?.[method];
    if (operation?.responses[String(status)]) this.checkResponse(where, this.pointerTo(method, route, status), answer);
    else if ((!operation || isHeadRefused(answer)) && OUTSIDE.includes(status)) this.checkError(where, answer);
    else this.found.add(`${where}: not in the document`);
  }

  /** The faults of a value that should match the schema at a JSON pointer of the document. */
  faultsOf(pointer: string, value: unknown): string | undefined {
    const validate = this.validators.get(pointer) ?? this.ajv.compile({ $ref: `contract#${pointer}` });
    this.validators.set(pointer, validate);
    return validate(value) ? undefined : this.ajv.errorsText(validate.errors);
  }

  /** An answer to OPTIONS only has headers of HTTP and CORS. */
  private checkOptions(where: string, { headers, body }: Answer): void {
    for (const name of Object.keys(headers)) {
      if (!GENERAL.test(name)) this.found.add(`${where}: header ${name} is not about what may be asked`);
    }
    if (body !== '') this.found.add(`${where}: has a body`);
  }

  private checkResponse(where: string, at: string, answer: Answer): void {
    const { headers, content = {}, 'x-other-content': others = {} } = this.valueAt(at) as Response;
    const described = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
    for (const name of Object.keys(answer.headers)) {
      if (!GENERAL.test(name) && !described.has(name)) this.found.add(`${where}: header ${name} not in the document`);
    }
    if (answer.body === '' && Object.keys(content).length === 0) return;
    const type = mediaTypeOf(answer);
    if (type in content || type in others) {
      const member = type in content ? 'content' : 'x-other-content';
      if (answer.method !== 'HEAD' || answer.body !== '')
        this.checkBody(where, `${at}/${member}/${step(type)}/schema`, answer);
    } else this.found.add(`${where}: ${type || 'no media type'} not in the document`);
  }

  /**
   * Every answer has its request id. A code is in the catalog, so that it has a page, and always has the same status;
   * facilitators have their own codes, with 402.
   */
  private checkIdAndCode(where: string, { status, headers, body }: Answer): void {
    const id = headers['request-id'];
    if (typeof id !== 'string') this.found.add(`${where}: has no Request-Id`);
    const { error, code, requestId } = (parsed(body) ?? {}) as Members;
    if (typeof error !== 'string' || typeof code !== 'string') return;
    if (status !== 402 && requestId !== id) this.found.add(`${where}: ${code} does not name its request`);
    const known = isErrorCode(code) ? ERROR_CODES[code].status : 402;
    if (known !== status) this.found.add(`${where}: ${code} is an error of ${known}`);
  }

  /** JSON pointer of a response, following its reference. */
  private pointerTo(method: string, route: string, status: number): string {
    const at = `/paths/${step(route)}/${method}/responses/${status}`;
    const found = this.valueAt(at) as Response | Ref | undefined;
    return found && '$ref' in found ? found.$ref.slice(1) : at;
  }

  private valueAt(pointer: string): unknown {
    const steps = pointer.slice(1).split('/');
    return steps.reduce<unknown>((value, one) => (value as Members | undefined)?.[named(one)], this.document);
  }

  /** Errors outside of routes have the usual form, that of JSON-RPC at the MCP endpoint, and pages for people. */
  private checkError(where: string, answer: Answer): void {
    const { method, body } = answer;
    if (mediaTypeOf(answer) === 'text/html' || (method === 'HEAD' && body === '')) return;
    const [faults, rpcFaults] = ['Error', 'McpError'].map((name) =>
      this.faultsOf(`/components/schemas/${name}`, parsed(body)),
    );
    if (faults !== undefined && rpcFaults !== undefined) this.found.add(`${where}: ${faults}`);
  }

  private checkBody(where: string, pointer: string, answer: Answer): void {
    const { body } = answer;
    const faults = this.faultsOf(pointer, /[/+]json$/.test(mediaTypeOf(answer)) ? parsed(body) : body);
    if (faults !== undefined) this.found.add(`${where}: ${faults}`);
  }
}

function mediaTypeOf({ headers }: Answer): string {
  const { 'content-type': type } = headers;
  return typeof type === 'string' ? (type.split(';', 1)[0] ?? '') : '';
}

/** A name as a segment of a JSON pointer in a URI fragment (RFC 6901 section 6). */
function step(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function named(one: string): string {
  return decodeURIComponent(one).replaceAll('~1', '/').replaceAll('~0', '~');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The same with `additionalProperties: false` wherever properties are listed and nothing else is specified. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, closed(member)]));
  return members['type'] === 'object' && 'properties' in members && !('additionalProperties' in members)
    ? { ...members, additionalProperties: false }
    : members;
}

/** HEAD on a paid route is not an operation, and differs from the documented GET (behaviour 9.10). */
function isHeadRefused({ method, status }: Answer): boolean {
  return method === 'HEAD' && status === 405;
}

/** The decoded body. */
function plain(body: Buffer, reply: FastifyReply): string {
  const coding = reply.getHeader('content-encoding');
  return (coding === 'br' ? brotliDecompressSync(body) : coding === 'gzip' ? gunzipSync(body) : body).toString('utf8');
}
