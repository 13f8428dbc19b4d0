import type { ProofReading } from '@app/payments';
import type { HeaderSink, RateLimits } from '../limits/rate-limits';
import type { Sale } from '../paywall/release';
import type { SubscriberShop } from '../subscriptions/subscriber-shop';
import { isPaid, type Asking, type Tool, type ToolArguments, type ToolServices } from './tool';

/** Who calls, what for, and with which payment. */
export interface ToolCall {
  readonly tool: Tool;
  readonly args: ToolArguments;
  readonly proof: ProofReading | undefined;
  readonly asking: Asking;
  /** Takes the headers of rate limits. */
  readonly headers: HeaderSink;
}

export interface ToolDeskParts {
  readonly services: ToolServices;
  readonly shop: SubscriberShop;
  readonly limits: RateLimits;
}

/** Does what a tool is called for, through the operations of the REST routes and in their order: 400, 429, 503, 402. */
export class ToolDesk {
  constructor(private readonly parts: ToolDeskParts) {}

  /** @throws what the operation throws for REST: faults of arguments, challenges, outages of ours */
  async serve({ tool, args, proof, asking, headers }: ToolCall): Promise<Sale> {
    const { services, shop, limits } = this.parts;
    if (!isPaid(tool)) return { body: await tool.run(args, services, asking), replayed: false, x402Version: 2 };
    const operation = services.operations[tool.sku];
    const parsed = operation.parse(tool.routeArguments?.(args) ?? args);
    if (tool.limited) await limits.countCheck(asking, headers);
    const origin = operation.origin?.(parsed);
    const credential = origin && (await asking.credentialFor(origin));
    return shop.serve(operation, parsed, { proof, credential }, headers);
  }
}
