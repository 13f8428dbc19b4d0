import { priceUsd, PRODUCTS, type Sku } from '@app/payments';
import type { HostName } from '@app/reports';
import type { ChangeHistory } from '../hosts/change-history';
import type { HostReportsService } from '../hosts/host-reports.service';
import type { PayableHostsList } from '../hosts/payable-hosts';
import type { PaidOperation } from '../paywall/paid-operation';
import type { Credential } from '../subscriptions/credential';
import type { ObjectSchema } from './json-schema';
import { FAILURE, PAYMENT_REQUIRED } from './schemas';

/** Arguments of a call as they came. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** Who asks, as far as free looks and subscriptions depend on it. */
export interface Asking {
  readonly ip: string;
  /** What shows that the caller subscribes to this origin, if anything does. */
  readonly credentialFor: (host: HostName) => Promise<Credential | undefined>;
  /** How long a first look-up may wait for a free look (`Prefer: wait`), in milliseconds. */
  readonly waitMs: number;
}

/** What tools do their work with: the very parts that serve the REST routes. */
export interface ToolServices {
  readonly reports: HostReportsService;
  readonly changes: ChangeHistory;
  readonly payable: PayableHostsList;
  readonly operations: Readonly<Record<PaidToolSku, PaidOperation<unknown>>>;
}

export type PaidToolSku = Exclude<Sku, 'subscription'>;

/** What an agent reads before it calls, in this order. */
interface About {
  readonly what: string;
  readonly freshness: string;
  readonly failures: string;
  /** When to use which other tool instead. */
  readonly instead: string;
}

interface Described {
  readonly name: string;
  readonly title: string;
  readonly about: About;
  readonly input: ObjectSchema;
  /** Schema of the REST body. */
  readonly answer: ObjectSchema;
  /** Whether a call asks somebody on the internet. */
  readonly openWorld: boolean;
  /** Whether a call leaves what we know about a host as it was. */
  readonly readOnly: boolean;
}

export interface FreeTool extends Described {
  /** JSON text of the answer. @throws {RequestError} 400 for arguments that do not read */
  readonly run: (args: ToolArguments, services: ToolServices, asking: Asking) => Promise<string>;
}

export interface PaidTool extends Described {
  readonly sku: PaidToolSku;
  /** What it costs, when it is not one price. */
  readonly priceText?: string;
  /** Counted against the caller before the gate, as its route is. */
  readonly limited: boolean;
  /** Turns the names of the tool's arguments into those of the route. */
  readonly routeArguments?: (args: ToolArguments) => ToolArguments;
}

export type Tool = FreeTool | PaidTool;

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

export function listed(tool: Tool): ListedTool {
  const { name, title, about, input, answer, openWorld, readOnly } = tool;
  return {
    name,
    title,
    description: [about.what, priceOf(tool), about.freshness, about.failures, about.instead].join(' '),
    inputSchema: input,
    // Clients hold every structured result against the schema, one that asks for a payment or reports a fault as well.
    outputSchema: { type: 'object', anyOf: [answer, ...(isPaid(tool) ? [PAYMENT_REQUIRED] : []), FAILURE] },
    annotations: {
      title,
      readOnlyHint: readOnly,
      destructiveHint: false,
      // A paid call bought again is charged again; only the same payment is not.
      idempotentHint: !isPaid(tool),
      openWorldHint: openWorld,
    },
  };
}

function priceOf(tool: Tool): string {
  if (!isPaid(tool)) return 'Price: free.';
  const price = tool.priceText ?? `${priceUsd(PRODUCTS[tool.sku].atomic(1))} USDC`;
  return `Price: ${price} through x402; an unpaid call answers with the terms and is not charged.`;
}
