import { FAILURE, PAYMENT_REQUIRED } from '../routes/error-schemas';
import { written, type JsonSchema, type ObjectSchema } from '../routes/json-schema';
import type { Product } from '../products/define-product';
import type { FreeTool } from '../reports/free-tool';
import type { Installation } from '../products/installation';
import { priceText } from '../products/price';
import { FREE_TOOLS, PRODUCTS } from '../products/registry';

/** A product that is also sold through a tool. */
export type PaidTool = Product & { readonly tool: NonNullable<Product['tool']> };
export type Tool = FreeTool | PaidTool;

/** Raw arguments of a call. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** All tools, in the order of behaviour 11.2. */
export const TOOLS: readonly Tool[] = [
  ...FREE_TOOLS,
  ...PRODUCTS.filter((product): product is PaidTool => product.tool !== undefined),
];

export function isPaid(tool: Tool): tool is PaidTool {
  return 'sku' in tool;
}

/** A tool as `tools/list` shows it (https://modelcontextprotocol.io/specification/2025-11-25/server/tools). */
export interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  readonly annotations: {
    readonly title: string;
    readonly readOnlyHint: boolean;
    readonly destructiveHint: false;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
}

export function listedTool(tool: Tool, installation: Pick<Installation, 'subscription'>): ListedTool {
  const { name, title, input, answer } = tool;
  const paid = isPaid(tool);
  return {
    name,
    title,
    description: descriptionOf(tool, installation),
    inputSchema: { ...(paid ? withAliases(input, tool.tool.aliases) : input), additionalProperties: false },
    // Clients validate every structured result against this schema, including payment requests and failures.
    outputSchema: { type: 'object', anyOf: [written(answer), ...(paid ? [PAYMENT_REQUIRED] : []), FAILURE] },
    annotations: {
      title,
      readOnlyHint: paid ? tool.tool.readOnly : true,
      destructiveHint: false,
      // A repeated paid call is charged again unless it carries the same payment.
      idempotentHint: !paid,
      // A paid call sends requests to a host on the Internet.
      openWorldHint: paid,
    },
  };
}

/** The description that an agent reads before it calls. */
function descriptionOf(tool: Tool, installation: Pick<Installation, 'subscription'>): string {
  const { what, freshness, errors, failures } = tool;
  const paid = isPaid(tool);
  const price = paid
    ? `${priceText(tool.price(installation))} over x402; an unpaid call returns the payment terms and is not charged`
    : 'free';
  return [
    what,
    `Price: ${price}.`,
    ...(freshness === undefined ? [] : [`Freshness: ${freshness}`]),
    `Failures${paid ? ', none of them charged' : ''}: ${errors.join(', ')}.`,
    ...(failures === undefined ? [] : [failures]),
    paid ? tool.tool.instead : tool.instead,
  ].join(' ');
}

/** Renames tool arguments to the names that products use. */
export function productArguments({ tool }: PaidTool, args: ToolArguments): ToolArguments {
  const aliases = tool.aliases ?? {};
  const aliased = Object.entries(aliases).flatMap(([alias, { of }]) =>
    args[alias] === undefined ? [] : [[of, args[alias]] as const],
  );
  const named = Object.entries(args).filter(([name]) => !Object.hasOwn(aliases, name));
  return Object.fromEntries([...aliased, ...named]);
}

/**
 * Clients reject schemas with alternatives at the top level, so the arguments check decides which of the two names is
 * given.
 */
function withAliases(input: ObjectSchema, aliases: PaidTool['tool']['aliases'] = {}): ObjectSchema {
  const added = Object.entries(aliases).map(([alias, { of, description }]): [string, JsonSchema] => [
    alias,
    { ...input.properties?.[of], description, deprecated: true },
  ]);
  const replaced = Object.values(aliases).map(({ of }) => of);
  return {
    ...input,
    properties: { ...input.properties, ...Object.fromEntries(added) },
    required: (input.required ?? []).filter((member) => !replaced.includes(member)),
  };
}
