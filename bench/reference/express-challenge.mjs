// The challenge of the official middleware, @x402/express, for one priced route with the same extensions as the
// service.
import { paymentMiddleware, x402ResourceServer } from '@x402/express';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import { bazaarResourceServerExtension, declareDiscoveryExtension } from '@x402/extensions/bazaar';
import express from 'express';

process.once('message', async ({ payTo }) => {
  const network = 'eip155:8453';
  const facilitator = {
    getSupported: async () => ({ kinds: [{ x402Version: 2, scheme: 'exact', network }], extensions: [], signers: {} }),
  };
  const server = new x402ResourceServer(facilitator)
    .register(network, new ExactEvmScheme())
    .registerExtension(bazaarResourceServerExtension);
  const route = {
    accepts: [{ scheme: 'exact', price: '$0.02', network, payTo, maxTimeoutSeconds: 120 }],
    description: 'Live probe of a host: all protocols, payment options and endpoints',
    mimeType: 'application/json',
    extensions: declareDiscoveryExtension({ output: { example: { domain: 'shop.example.com' } } }),
  };
  const app = express();
  app.use(paymentMiddleware({ 'GET /api/v1/hosts/[domain]/refresh': route }, server));
  app.get('/api/v1/hosts/:domain/refresh', (_, response) => response.json({}));
  const listening = app.listen(0, '127.0.0.1', () => {
    process.send({ url: `http://127.0.0.1:${listening.address().port}` });
  });
});
