import { atomicToUsd, challengeFor, PRODUCTS, type Sku } from '@app/payments';
import { exampleOffer, SOLD } from '../discovery/sold-routes';
import { MAX_BATCH } from '../hosts/dto/refresh-batch.dto';
import type { JsonSchema } from '../mcp/json-schema';
import { isPaid, type PaidTool } from '../mcp/tool';
import { TOOLS } from '../mcp/tools';
import { nameOf } from './components';
import type { Described, Operation, Paths } from './operation';
import { PAYMENT, routeParameters, shared, templateOf } from './parameters';
import { answer } from './recorded-answers';
import { json, paidAnswer, refusals, type Refusal } from './responses';
import type { Members } from './schema';

const ANY: readonly Refusal[] = [400, 409, 503];
const LOOK: readonly Refusal[] = [...ANY, 403, 502, 504];

/** Why a product may be refused, besides limits and faults. Of refreshes, a subscriber's credential may be no good. */
const REFUSED: Readonly<Record<Sku, readonly Refusal[]>> = {
  host_refresh: [...LOOK, 401],
  protocol_refresh: [...LOOK, 401],
  batch_refresh: [...LOOK, 413, 415],
  pay_preflight: LOOK,
  endpoint_health: LOOK,
  payto_check: LOOK,
  receipt_verify: ANY,
  subscription: [...ANY, 403, 413, 415],
};

/** What differs between paid operations. */
interface Sold extends Pick<Operation, 'operationId' | 'summary' | 'description' | 'tags'> {
  /** Name of the answer's schema. */
  readonly bought: string;
  /** Schemas of the arguments, by name. */
  readonly input?: Readonly<Record<string, JsonSchema>>;
}

/** The routes of everything that is sold through a tool as well, said in the words of the tool. */
export function toolPaths(installation: Described): Paths {
  return Object.fromEntries(
    TOOLS.filter(isPaid).map((tool) => {
      const { route, method } = SOLD[tool.sku];
      return [templateOf(route.path), { [method.toLowerCase()]: toolOperation(tool, installation) }];
    }),
  );
}

function toolOperation(tool: PaidTool, installation: Described): Operation {
  const { sku, name, title, about, input } = tool;
  return paidOperation(sku, installation, {
    operationId: name,
    summary: title,
    description: [about.what, about.freshness, about.failures].join(' '),
    tags: [sku.endsWith('refresh') ? 'hosts' : 'checks'],
    bought: nameOf(tool.answer),
    input: input.properties ?? {},
  });
}

/** The operation of a paid route, from the same description that its 402 carries. */
export function paidOperation(sku: Sku, installation: Described, { bought, input, ...said }: Sold): Operation {
  const { route, call } = SOLD[sku];
  const credentials = REFUSED[sku].includes(401) ? shared('SIGN-IN-WITH-X') : [];
  return {
    ...said,
    parameters: [...routeParameters(route, call, input), ...shared(...PAYMENT), ...credentials],
    ...(route.body ? { requestBody: bodyOf(route.body) } : {}),
    'x-payment-info': paymentInfo(sku, installation),
    responses: {
      ...paidAnswer(answer(bought), challengeExample(sku, installation)),
      ...refusals(...REFUSED[sku]),
    },
  };
}

function bodyOf({ schema, example }: { readonly schema: Members; readonly example: Members }): Members {
  const required = (schema['required'] as readonly string[] | undefined) ?? [];
  return { required: required.length > 0, content: json({ type: 'object', ...schema }, example) };
}

/** What it costs in decimal USD, as directories of x402 read it (npm package `@agentcash/discovery`). */
function paymentInfo(sku: Sku, installation: Described): Members {
  const [least, most] = [1, MAX_BATCH].map((hosts) => atomicToUsd(PRODUCTS[sku].atomic(hosts)));
  const price =
    least === most
      ? { mode: 'fixed', currency: 'USD', amount: atomicToUsd(exampleOffer(sku, installation).priceAtomic) }
      : { mode: 'dynamic', currency: 'USD', min: least, max: most };
  return { price, protocols: [{ x402: {} }] };
}

/** The challenge as this installation sends it; undefined while payments are not configured. */
function challengeExample(sku: Sku, installation: Described): unknown {
  const { terms } = installation;
  return terms === null ? undefined : challengeFor(exampleOffer(sku, installation), terms).body;
}
