import type { Subscribers } from '../subscriptions/subscribers';
import type { McpAnswer, McpRequest } from './exchange';
import type { McpEndpoint } from './mcp-endpoint';
import type { ToolDesk } from './tool-desk';

/** The MCP endpoint, read with the first message: its SDK is an eighth of a gateway's start and of its memory then. */
export class McpService {
  private endpoint: Promise<McpEndpoint> | undefined;

  constructor(
    private readonly desk: ToolDesk,
    private readonly subscribers: Pick<Subscribers, 'concerning'>,
    private readonly baseUrl: string,
  ) {}

  /** @throws what is our fault */
  async answer(request: McpRequest): Promise<McpAnswer> {
    this.endpoint ??= this.open();
    return (await this.endpoint).answer(request);
  }

  private async open(): Promise<McpEndpoint> {
    const { McpEndpoint } = await import('./mcp-endpoint.js');
    return new McpEndpoint(this.desk, this.subscribers, this.baseUrl);
  }
}
