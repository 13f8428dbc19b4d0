import { Controller, Get, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { TAKES_FORM } from '../http/form-body';
import { sendPublished } from '../http/published';
import { PAGE_DEPS, type PageDefinition, type PageDeps, type PageRequest } from './page-definition';
import { PAGES } from './registry';

/** Every page of the registry: a method each, under the name of its operation. */
@Controller()
export class PagesController {
  constructor(@Inject(PAGE_DEPS) readonly deps: PageDeps) {}
}

PAGES.forEach(addRoute);

function addRoute({ path, method, operationId, render }: PageDefinition): void {
  const handler = async function (this: PagesController, request: PageRequest, reply: FastifyReply): Promise<void> {
    const answer = await render(this.deps, request);
    if ('location' in answer) void reply.redirect(answer.location, answer.status);
    else await sendPublished(reply, answer);
  };
  const { prototype } = PagesController;
  const descriptor = { value: handler };
  Object.defineProperty(prototype, operationId, descriptor);
  Req()(prototype, operationId, 0);
  Res()(prototype, operationId, 1);
  (method === 'POST' ? Post(path) : Get(path))(prototype, operationId, descriptor);
  if (method !== 'POST') return;
  RouteConfig(TAKES_FORM)(handler);
  HttpCode(200)(prototype, operationId, descriptor);
}
