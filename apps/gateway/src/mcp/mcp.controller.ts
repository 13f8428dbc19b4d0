import { Controller, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { MCP_PATH } from '../http/paths';
import { McpService } from './mcp-service';

/** Endpoint 6 of behaviour 7.1. GET and DELETE, which belong to sessions, are answered 405 like any wrong method. */
@Controller(MCP_PATH)
export class McpController {
  constructor(@Inject(McpService) private readonly mcp: McpService) {}

  @Post()
  async message(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { status, headers, body } = await this.mcp.answer(request);
    void reply.status(status).headers(headers);
    if (body === undefined) void reply.send();
    else void reply.type('application/json; charset=utf-8').send(JSON.stringify(body));
  }
}
