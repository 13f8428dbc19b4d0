import { Controller, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { MCP_PATH } from './json-rpc';
import { McpEndpoint } from './mcp-endpoint';

/** Endpoint 6 of spec 4. GET and DELETE, which belong to sessions, are answered 405 like any wrong method. */
@Controller(MCP_PATH)
export class McpController {
  constructor(@Inject(McpEndpoint) private readonly endpoint: McpEndpoint) {}

  @Post()
  async message(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { status, headers, body } = await this.endpoint.answer(request);
    void reply.status(status).headers(headers);
    if (body === undefined) void reply.send();
    else void reply.type('application/json; charset=utf-8').send(JSON.stringify(body));
  }
}
