import { Controller, HttpCode, Inject, Req, RequestMapping, RequestMethod, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PRODUCTS } from './registry';
import { Sales } from './sales';
import { watch } from './watch';

/** The routes of everything that is sold, each made from its product below; that of {@link watch} takes keys of owners, too. */
@Controller()
export class ProductsController {
  constructor(@Inject(Sales) readonly sales: Sales) {}
}

for (const product of PRODUCTS.filter((one) => one !== watch)) {
  const { prototype } = ProductsController;
  const handler = {
    value(this: ProductsController, request: FastifyRequest, reply: FastifyReply): Promise<void> {
      return this.sales.serve(product, request, reply);
    },
  };
  Object.defineProperty(prototype, product.sku, handler);
  Req()(prototype, product.sku, 0);
  Res()(prototype, product.sku, 1);
  HttpCode(200)(prototype, product.sku, handler);
  RequestMapping({ path: product.path, method: RequestMethod[product.method] })(prototype, product.sku, handler);
}
