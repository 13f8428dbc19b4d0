import type { McpAnswer, McpRequest } from './exchange';
import type { McpDeps, McpEndpoint } from './mcp-endpoint';

/** The MCP endpoint, loaded with the first message: its SDK takes an eighth of a gateway's start time and memory. */
export class McpService {
  private endpoint: Promise<Pick<McpEndpoint, 'answer'>> | undefined;

  constructor(private readonly deps: McpDeps) {}

  /** @throws internal errors of the service */
  async answer(request: McpRequest): Promise<McpAnswer> {
    this.endpoint ??= this.open();
    return (await this.endpoint).answer(request);
  }

  private async open(): Promise<McpEndpoint> {
    const { McpEndpoint } = await import('./mcp-endpoint.js');
    return new McpEndpoint(this.deps);
  }
}
