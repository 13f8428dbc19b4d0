import { createHash } from 'node:crypto';
import { defined, type DeepReadonly } from '@app/platform';
import type { Content, Offer, PayloadReading, ReadPayload, RouteDescription } from '@app/payments';
import type { HostName } from '@app/hosts';
import { z } from 'zod';
import type { ObjectSchema } from '../routes/json-schema';
import type { Job, Work } from '../checkout/paywall.service';
import type { ErrorCode } from '../http/error-codes';
import { rawArguments, validated, type Asked } from '../http/validated';
import type { Installation } from './installation';
import { inputSchema, parametersOf } from '../routes/input-schema';
import { atomicPrice, type Price } from './price';
import type { ProductDeps } from './product-deps';

/** Everything the service knows about one product. All lists, pages and routes of products read it from here. */
interface Definition<Input extends object, Args, Answer extends z.ZodObject> {
  /** Stable name in the ledger, in challenges and in answers. */
  readonly sku: string;
  /** Name of the MCP tool and of the operation in OpenAPI. */
  readonly name: string;
  readonly route: `${'GET' | 'POST'} /${string}`;
  readonly price: Price | ((installation: Priced) => Price);
  /**
   * The description in a challenge, at most 200 characters: some facilitators refuse longer ones with a misleading
   * message.
   */
  readonly description: string | ((installation: Priced) => string);
  /**
   * Whether offers and receipts are signed. This is worth the header bytes if buyers keep the answer, but not for a
   * quick check.
   */
  readonly signed?: boolean;
  /** A quick check: answered in the envelope of behaviour 7.7, and rate limited before payment is requested. */
  readonly check?: boolean;
  readonly title: string;
  readonly what: string;
  readonly freshness?: string;
  /** Error codes in addition to those of every paid request. */
  readonly errors: readonly ErrorCode[];
  /** Explains answers that look like failures but are charged, or the opposite. */
  readonly failures?: string;
  /** Missing for a product that has no MCP tool. */
  readonly tool?: {
    /** When to use another tool instead. */
    readonly instead: string;
    /** Whether a call changes nothing, neither our data about a host nor anything elsewhere. */
    readonly readOnly: boolean;
    /** Deprecated names of arguments, with their descriptions; one of the two names must be given. */
    readonly aliases?: Readonly<Record<string, { readonly of: string; readonly description: string }>>;
  };
  /** Arguments by the names of the route's parameters, checked by class-validator; its JSON Schema is derived. */
  readonly input: new () => Input;
  /** Name of the answer's schema in OpenAPI. */
  readonly component: string;
  /** The body of the answer; of a check, its `data`. */
  readonly answer: Answer;
  /**
   * An example request that shows the challenge, with a short outline of the answer, because it is sent in a header.
   */
  readonly example: { readonly call: string; readonly body?: object; readonly count?: number; readonly answer: object };
  /** Derives what the work needs from arguments that were checked one by one. @throws {RequestError} 400 */
  readonly read?: (input: Input) => Args;
  /** Path and query of the request in canonical form: the payment is bound to it. */
  readonly resource: (args: Args) => string;
  /** The body in canonical form, if it matters for the payment. */
  readonly body?: (args: Args) => object;
  /** The number of items in a list that is sold at once. */
  readonly count?: (args: Args) => number;
  /** The origin whose subscription includes the product. */
  readonly origin?: (args: Args) => HostName;
  /** Throws if the work cannot be done now; called before any payment is requested. */
  readonly admit?: (args: Args, deps: ProductDeps) => Promise<void>;
  readonly work: (args: Args, deps: ProductDeps, payload?: PayloadReading) => Promise<Result<Answer>>;
  /** The path of the resource that a sale creates, from its answer; `GET` shows it. */
  readonly begins?: (answer: DeepReadonly<z.infer<Answer>>) => string;
  /** Fields of an answer that are not stored: they are added whenever the answer is sent to its buyer. */
  readonly deliver?: (shownTo: ShownTo, deps: ProductDeps, payment: ReadPayload) => Promise<object>;
}

/**
 * The first request with a payment, or a later one. A later one may come from a stranger who read the payment in
 * transit or on the chain.
 */
type ShownTo = 'first' | { readonly name: string | null };

/** The answer, possibly rendered already, or one that is not charged. */
type Result<Answer extends z.ZodObject> =
  DeepReadonly<z.infer<Answer>> | Rendered | Uncharged<DeepReadonly<z.infer<Answer>>>;

/** An answer as text. */
export class Rendered {
  constructor(readonly content: Content) {}
}

/** An inconclusive answer, which is not charged. */
export class Uncharged<Answer> {
  constructor(readonly answer: Answer) {}
}

/** The payment that the sale is made for. */
export function paymentOf(payload: PayloadReading | undefined): ReadPayload {
  if (!payload?.ok) throw new Error('the paywall sells only for a payment');
  return payload.payload;
}

/** An order of a product: its arguments are read and its price is known, but no work has started. */
export interface Order {
  readonly offer: Offer;
  readonly job: Job;
  /** The origin whose subscribers have it included (behaviour 10.1); missing when no subscription includes it. */
  readonly origin: HostName | undefined;
  /** The path of the resource that the sale created, from the body of the answer. */
  readonly location: ((body: string) => string) | undefined;
  /** Fields added to each released answer and not stored. @param first whether this request completed the sale */
  readonly deliver: ((first: boolean) => Promise<object>) | undefined;
}

/** The settings that prices and descriptions depend on. */
type Priced = Pick<Installation, 'subscription'>;
type Described = Pick<Installation, 'baseUrl' | 'subscription'>;

/** A product for sale. */
export interface Product extends Pick<
  Definition<object, unknown, z.ZodObject>,
  'sku' | 'name' | 'title' | 'what' | 'freshness' | 'errors' | 'failures' | 'tool' | 'component' | 'example'
> {
  readonly method: 'GET' | 'POST';
  /** Path pattern, with parameters as `:name`. */
  readonly path: string;
  readonly check: boolean;
  readonly signed: boolean;
  /** Whether a sale creates a resource, whose path is in the `Location` header. */
  readonly begins: boolean;
  /** Whether a subscription to the origin includes it. */
  readonly included: boolean;
  readonly input: ObjectSchema;
  /** Schema of the whole body. */
  readonly answer: z.ZodObject;
  readonly describe: RouteDescription;
  price(installation: Priced): Price;
  description(installation: Priced): string;
  /** The offer in the 402 of {@link example}. */
  exampleOffer(installation: Described): Offer;
  /** The raw arguments of a request to the route. @throws {RequestError} 400 */
  raw(request: Asked): unknown;
  /** Reads and checks the arguments of a caller. @throws {RequestError} 400 */
  order(raw: unknown, deps: ProductDeps, payload: PayloadReading | undefined): Order;
}

export function defineProduct<Input extends object, Answer extends z.ZodObject, Args = Input>(
  definition: Definition<Input, Args, Answer>,
): Product {
  const { sku, name, title, what, errors, component, example } = definition;
  const [method, path] = definition.route.split(' ') as ['GET' | 'POST', string];
  const { check = false, signed = false } = definition;
  const input = inputSchema(definition.input);
  const describe = routeOf(method, path, definition.input, example);
  const price = (installation: Priced): Price =>
    typeof definition.price === 'function' ? definition.price(installation) : definition.price;
  const description = (installation: Priced): string =>
    typeof definition.description === 'function' ? definition.description(installation) : definition.description;
  const offerOf = (installation: Described, resource: string, count?: number, body?: object): Offer => {
    const { former = [], ...now } = price(installation);
    return {
      sku,
      signed,
      description: description(installation),
      priceAtomic: atomicPrice(now, count),
      formerPrices: former.map(({ until, ...then }) => ({ atomic: atomicPrice(then, count), until })),
      method,
      resource: `${installation.baseUrl}${resource}`,
      bodyHash: body ? hashOf(body) : '',
      route: describe,
    };
  };
  const rendered = (result: Result<Answer>): Work => {
    if (result instanceof Rendered) return { content: result.content, charge: true };
    const charge = !(result instanceof Uncharged);
    const data = charge ? result : result.answer;
    return { content: { body: JSON.stringify(check ? { sku, data } : data) }, charge };
  };
  return {
    ...{ sku, name, title, what, errors, component, example, method, path, check, signed, input, describe },
    ...defined({ freshness: definition.freshness, failures: definition.failures, tool: definition.tool }),
    price,
    description,
    included: definition.origin !== undefined,
    begins: definition.begins !== undefined,
    answer: check ? z.object({ sku: z.literal(sku), data: definition.answer }) : answerOf(definition),
    exampleOffer: (installation) => offerOf(installation, example.call, example.count),
    raw: (request) => rawArguments(definition.input, request),
    order: (raw, deps, payload) => {
      const checked = validated(definition.input, raw);
      const args = definition.read ? definition.read(checked) : (checked as unknown as Args);
      const { admit, work, deliver, begins } = definition;
      return {
        offer: offerOf(deps.installation, definition.resource(args), definition.count?.(args), definition.body?.(args)),
        origin: definition.origin?.(args),
        job: {
          admit: () => admit?.(args, deps) ?? Promise.resolve(),
          work: async () => rendered(await work(args, deps, payload)),
        },
        location: begins && ((body) => begins(JSON.parse(body) as DeepReadonly<z.infer<Answer>>)),
        deliver:
          deliver &&
          ((first) => {
            const payment = paymentOf(payload);
            return deliver(first ? 'first' : { name: payment.identifier ?? null }, deps, payment);
          }),
      };
    },
  };
}

/** A free answer to a subscriber may say that a key sent with the payment was ignored (behaviour 9.9). */
function answerOf({ answer, origin }: Pick<Definition<never, never, z.ZodObject>, 'answer' | 'origin'>): z.ZodObject {
  return origin ? answer.extend({ notice: z.string().exactOptional() }) : answer;
}

/** The description of the route for directories of paid routes (extension `bazaar`), derived from the input class. */
function routeOf(
  method: string,
  path: string,
  input: new () => object,
  { body, answer }: { body?: object; answer: object },
): RouteDescription {
  const { params, query } = parametersOf(path, input);
  return {
    path,
    params,
    ...(method === 'POST' ? { body: { schema: query, example: { ...body } } } : { query }),
    answer: { ...answer },
  };
}

function hashOf(body: object): string {
  return createHash('sha256').update(JSON.stringify(body)).digest('hex');
}
