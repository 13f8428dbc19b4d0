import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ERROR_CODES, isErrorCode } from '../../apps/gateway/src/http/error-codes';
import type { OpenApiDocument } from '../../apps/gateway/src/routes/openapi-document';
import type { Operation } from '../../apps/gateway/src/routes/operation';
import type { Response } from '../../apps/gateway/src/routes/responses';
import type { Members, Ref } from '../../apps/gateway/src/routes/schema';

/** An answer as it goes out. */
export interface Answer {
  readonly method: string;
  /** Path template of its route (`/api/v1/hosts/{domain}`); undefined when the request met none. */
  readonly route: string | undefined;
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Answers to requests that no operation is about: there is none for such a path or method, or it could not be read. */
const OUTSIDE = [400, 404, 405, 413, 414, 415, 429, 500];

/** Behind the operator's password, and no part of what the service offers. */
const OPERATOR = /^\/(?:metrics|operator)(?:\/|$)/;

/** Headers of HTTP, of CORS and against sniffing, which documents of APIs do not list, and the one that every answer has. */
const GENERAL =
  /^(?:request-id|content-type|content-length|date|connection|keep-alive|transfer-encoding|allow|access-control-.*|content-encoding|cross-origin-resource-policy|x-content-type-options|referrer-policy)$/;

const watching = new Set<Contract>();

/** Called after each end-to-end test file. @throws {Error} when a server of it answered what its document does not say */
export function assertContractsKept(): void {
  const watched = [...watching];
  watching.clear();
  for (const contract of watched) contract.assertKept();
}

/**
 * Holds answers against the OpenAPI document: route, status, headers, media type and body. Objects are closed here,
 * though not in the document: later versions may add members, but what is answered today is described today.
 */
export class Contract {
  private readonly ajv = addFormats(new Ajv2020({ strict: false, validateSchema: false }));
  private readonly validators = new Map<string, ValidateFunction>();
  private readonly found = new Set<string>();
  private readonly document: OpenApiDocument;
  /** Answers probed. */
  answers = 0;

  constructor(document: OpenApiDocument) {
    this.document = closed(document) as OpenApiDocument;
    this.ajv.addSchema(this.document, 'contract');
  }

  /** Distinct breaches, one line each. */
  get breaches(): readonly string[] {
    return [...this.found];
  }

  /** @throws {Error} when an answer was not as the document says */
  assertKept(): void {
    if (this.found.size > 0) throw new Error(`not as the OpenAPI document says:\n${this.breaches.join('\n')}`);
  }

  /** {@link assertContractsKept} tells of its breaches. */
  keep(): this {
    watching.add(this);
    return this;
  }

  /** Path template that a path belongs to, one with fewer parameters before others; undefined for none. */
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

  /** Watches all answers of a server that does not listen yet. */
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
    // HEAD is GET without the body (RFC 9110 section 9.3.2), and documents of APIs do not list it.
    const method = answer.method === 'HEAD' ? 'get' : answer.method.toLowerCase();
    const operation = (this.document.paths[route] as Readonly<Record<string, Operation>> | undefined)?.[method];
    if (operation?.responses[String(status)]) this.checkResponse(where, this.pointerTo(method, route, status), answer);
    else if ((!operation || isHeadRefused(answer)) && OUTSIDE.includes(status)) this.checkError(where, answer);
    else this.found.add(`${where}: not in the document`);
  }

  /** The faults of a value that is said to fit the schema at a JSON pointer of the document. */
  faultsOf(pointer: string, value: unknown): string | undefined {
    const validate = this.validators.get(pointer) ?? this.ajv.compile({ $ref: `contract#${pointer}` });
    this.validators.set(pointer, validate);
    return validate(value) ? undefined : this.ajv.errorsText(validate.errors);
  }

  /** What may be asked of a path is in headers of HTTP and CORS, and in nothing else. */
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
   * Every answer names its request. A code is in the catalogue, so that it has a page, and has its status everywhere;
   * facilitators have theirs, with 402.
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

  /** JSON pointer of a response, behind its reference. */
  private pointerTo(method: string, route: string, status: number): string {
    const at = `/paths/${step(route)}/${method}/responses/${status}`;
    const found = this.valueAt(at) as Response | Ref | undefined;
    return found && '$ref' in found ? found.$ref.slice(1) : at;
  }

  private valueAt(pointer: string): unknown {
    const steps = pointer.slice(1).split('/');
    return steps.reduce<unknown>((value, one) => (value as Members | undefined)?.[named(one)], this.document);
  }

  /** Outside the routes errors have the usual shape, around the MCP endpoint that of JSON-RPC, and for people they are pages. */
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

/** A name as a step of a JSON pointer in a URI fragment (RFC 6901 section 6). */
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

/** The same with `additionalProperties: false` wherever members are listed and nothing else is said. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, closed(member)]));
  return members['type'] === 'object' && 'properties' in members && !('additionalProperties' in members)
    ? { ...members, additionalProperties: false }
    : members;
}

/** HEAD on a paid route is no operation of its own, and not the GET that is documented (behaviour 9.10). */
function isHeadRefused({ method, status }: Answer): boolean {
  return method === 'HEAD' && status === 405;
}

/** A body without its coding. */
function plain(body: Buffer, reply: FastifyReply): string {
  const coding = reply.getHeader('content-encoding');
  return (coding === 'br' ? brotliDecompressSync(body) : coding === 'gzip' ? gunzipSync(body) : body).toString('utf8');
}
