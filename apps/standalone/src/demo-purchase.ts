import type { Chain } from '@app/networks';
import { text } from '@app/detectors';
import { atomicToUsd } from '@app/payments';
import { readFacts, type HostFacts } from '@app/reports';
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { privateKeyToAccount } from 'viem/accounts';
import type { ShownSite } from './demo/demo-hosts';
import { checkPublished } from './demo-check';
import type { DemoMoney } from './demo-money';
import { chainClient } from './embedded/embedded-chain';
import { usdcBalance } from './embedded/usdc-contract';
import type { Screen } from './screen';

export interface DemoBuyer {
  readonly gatewayUrl: string;
  readonly rpcUrl: string;
  readonly network: Chain;
  readonly wallet: DemoMoney['wallet'];
}

const HOST = 'full-store.example.com';
const TIMEOUT_MS = 60_000;

/**
 * Shows that the service works: buys one refresh of a demo host with the official client, and prints its cost, the
 * transaction and the cells. A failure is printed and does not stop the service.
 */
export async function buyDemoRefresh(buyer: DemoBuyer, screen: Screen): Promise<void> {
  const url = `${buyer.gatewayUrl}/api/v1/hosts/${HOST}/refresh`;
  screen.say(`\nBuying a live probe with the demo wallet: GET ${url}`);
  try {
    screen.say(await purchase(buyer, url));
    screen.say(nextSteps(buyer.gatewayUrl));
  } catch (error) {
    screen.complain(`the demo purchase failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/**
 * Buys a live probe of each demo site without a valid statement, so that the start page shows them. A start soon
 * after another one therefore buys nothing. A failed purchase does not affect the start.
 */
export async function probeDemoSites(buyer: DemoBuyer, sites: readonly ShownSite[]): Promise<void> {
  const pay = payingFetch(buyer);
  for (const { name } of sites) {
    const host = `${buyer.gatewayUrl}/api/v1/hosts/${name}`;
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const isStated = fetch(`${host}/statement`, { signal }).then(({ ok }) => ok);
    await isStated.then((stated) => (stated ? undefined : pay(`${host}/refresh`, { signal }))).catch(() => undefined);
  }
}

function payingFetch({ network, wallet }: DemoBuyer): typeof fetch {
  const scheme = new ExactEvmScheme(privateKeyToAccount(wallet.privateKey));
  return wrapFetchWithPayment(fetch, new x402Client().register(network.id, scheme));
}

/** Pays, checks the receipt on the chain, and returns a summary of a few lines. */
async function purchase(buyer: DemoBuyer, url: string): Promise<string> {
  const client = chainClient(buyer.rpcUrl, buyer.network.chainId);
  const balance = () => usdcBalance(client, buyer.network.usdc, buyer.wallet.address);
  const before = await balance();
  const begin = performance.now();
  const answer = await payingFetch(buyer)(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  const elapsed = Math.round(performance.now() - begin);
  const body = await answer.text();
  if (!answer.ok) throw new Error(`${answer.status} ${body.slice(0, 300)}`);
  const settlement = decodePaymentResponseHeader(answer.headers.get('payment-response') ?? '');
  const hash = settlement.transaction as `0x${string}`;
  const { blockNumber, status } = await client.getTransactionReceipt({ hash });
  if (!settlement.success || status !== 'success') throw new Error(`the settlement ${hash} did not succeed`);
  const after = await balance();
  return [
    `  response     200 after ${elapsed} ms`,
    `  paid         ${atomicToUsd(before - after)} USDC (balance ${atomicToUsd(before)} -> ${atomicToUsd(after)})`,
    `  transaction  ${hash} in block ${blockNumber}`,
    `  report       ${await checkPublished(buyer.gatewayUrl, HOST)}`,
    '',
    ...readFacts(body).protocols.map(cellLine),
  ].join('\n');
}

function cellLine({ id, status, version, details }: HostFacts['protocols'][number]): string {
  const remark = text(details['name'] ?? details['reason'] ?? details['note']) ?? '';
  return `  ${id.padEnd(12)} ${status.padEnd(15)} ${(version ?? '').padEnd(12)} ${remark}`.trimEnd();
}

function nextSteps(gatewayUrl: string): string {
  const hosts = `${gatewayUrl}/api/v1/hosts`;
  return [
    '\nTry next:',
    '  # the free copy of the report just bought',
    `  curl -s ${hosts}/${HOST}`,
    '  # the price of a live probe, and how to pay it (402)',
    `  curl -si ${hosts}/api-only.example.com/refresh`,
    '  # a probe from this machine, without the service',
    '  npx hostprobe probe partial.example.com',
    '  # what changed between two probes',
    `  curl -s ${hosts}/${HOST}/changes`,
  ].join('\n');
}
