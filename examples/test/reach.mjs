// `node --import` this: shop.example.com is the test host at SHOP_PORT. NODE_EXTRA_CA_CERTS names its authority.
import { Agent, buildConnector, setGlobalDispatcher } from 'undici';

const connect = buildConnector({});
const shop = { hostname: '127.0.0.1', port: process.env.SHOP_PORT, servername: 'shop.example.com' };
setGlobalDispatcher(
  new Agent({
    connect: (options, done) =>
      connect(options.hostname === 'shop.example.com' ? { ...options, ...shop } : options, done),
  }),
);
