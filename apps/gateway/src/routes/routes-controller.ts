import { Controller, HttpCode, Req, RequestMapping, RequestMethod, Res, type Type } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { TAKES_FORM } from '../http/form-body';
import type { Route } from './define-route';

/**
 * A Nest controller with a method for each route, named after its operation. @param deps the services that handlers use
 */
export function controllerOf<Deps>(routes: readonly Route<Deps>[], deps: Deps): Type {
  @Controller()
  class RoutesController {}
  const { prototype } = RoutesController;
  for (const { method, path, status, operation, takesForm, serve } of routes) {
    const name = operation.operationId;
    const value = (request: FastifyRequest, reply: FastifyReply): Promise<void> => serve(deps, request, reply);
    Object.defineProperty(prototype, name, { value });
    Req()(prototype, name, 0);
    Res()(prototype, name, 1);
    HttpCode(status)(prototype, name, { value });
    if (takesForm) RouteConfig(TAKES_FORM)(value);
    RequestMapping({ path, method: RequestMethod[method] })(prototype, name, { value });
  }
  return RoutesController;
}
