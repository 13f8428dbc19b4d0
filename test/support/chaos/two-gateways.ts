import { Client } from 'pg';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { startFaultyFacilitator, type FaultyFacilitator } from '../facilitator';
import { backends } from '../stack';
import { says, startTestHost, type TestHost } from '../test-host';
import { Fleet, fleetEnv } from './fleet';

/** Two gateways and two workers that sell probes of shop.example.com, and what they stand on. */
export interface TwoGateways {
  readonly fleet: Fleet;
  readonly shop: TestHost;
  readonly facilitator: FaultyFacilitator;
  readonly database: Client;
  readonly payTo: `0x${string}`;
  stop(): Promise<void>;
}

export async function startTwoGateways(): Promise<TwoGateways> {
  const payTo = privateKeyToAddress(generatePrivateKey());
  const facilitator = await startFaultyFacilitator();
  const shop = await startTestHost({ '/llms.txt': says('# Shop\n') });
  const terms = { payTo, facilitatorUrl: facilitator.url, connectTo: [shop.as('shop.example.com')] };
  const env = await fleetEnv(backends()[0]!, terms);
  const fleet = await Fleet.start(env);
  const database = new Client({ connectionString: env.DATABASE_URL });
  await database.connect();
  return {
    ...{ fleet, shop, facilitator, database, payTo },
    async stop() {
      await fleet.stop();
      await database.end();
      await Promise.all([shop.close(), facilitator.close()]);
    },
  };
}
