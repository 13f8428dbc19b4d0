import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { createPublicClient, http, parseAbiItem, type Address } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { CHAINS } from '@app/networks';
import type { AttemptState } from '@app/payments';
import { startFaultyFacilitator, type FacilitatorFault, type FaultyFacilitator } from '../facilitator';
import { runLedger, type LedgerRun } from '../ledger';
import { balanceOf, newPayer, type Payer } from '../payer';
import { Random } from '../paywall-world/random';
import { stack, useOwnChain } from '../stack';
import { startTcpFront, type TcpFront } from '../tcp-front';
import { says, startTestHost } from '../test-host';
import { chainClient } from '../../../apps/standalone/src/embedded/embedded-chain';
import { buy, present, type Purchase, type Temper } from './buyer';
import { Fleet, fleetEnv } from './fleet';
import { breachesOf, tally, type Breach, type Outcome } from './breaches';

export interface ChaosOptions {
  readonly calls: number;
  readonly seed: number;
  /** One process is killed per this many calls. */
  readonly callsPerKill: number;
  /** Concurrent buyers. */
  readonly buyers: number;
  readonly backend: 'redis' | 'postgres';
  /** Waits for three minutes, until abandoned attempts of killed gateways are given up. */
  readonly toTheEnd: boolean;
  /** Called with progress messages. */
  readonly say: (line: string) => void;
}

export interface ChaosResult {
  readonly seed: number;
  readonly purchases: number;
  readonly kills: number;
  readonly faults: Readonly<Record<string, number>>;
  readonly answers: Readonly<Record<string, number>>;
  /** Purchases whose money moved, according to the chain. */
  readonly paid: number;
  readonly payToAtomic: bigint;
  readonly payersSpentAtomic: bigint;
  /** The number of attempts in each state of the ledger. */
  readonly states: Readonly<Record<string, number>>;
  readonly breaches: readonly Breach[];
  readonly ledger: LedgerRun;
}

const HOSTS = 40;
const PAYERS = 20;
const PURSE = 1_000_000_000n;
/** Short, so that others take over a dead gateway's attempts soon. */
const REFRESH_DEADLINE_SEC = '10';

/** The facilitator's faults for a payment; half of the payments meet a healthy one. */
const FAULTS: readonly FacilitatorFault[] = [
  'verify_500',
  'verify_junk',
  'verify_refused',
  'settle_500',
  'settle_refused',
  'settle_not_sent',
  'settle_landed_then_dropped',
  'settle_landed_then_500',
  'settle_pending',
  'settle_made_up',
  'settle_of_another',
  'settle_wrong_hash',
  'settle_landed_then_refused',
];
/** These take the facilitator's whole timeout, so they are rare. */
const HANGS: readonly FacilitatorFault[] = ['verify_hang', 'settle_hang', 'settle_landed_then_hang'];
/** After this many calls, the chain or the database fails, in turn. */
const CALLS_PER_OUTAGE = 19;
const REORGANIZED_MS = 1_500;
const STANDING_MS = 4_000;
/** The time until the first check of the chain after a settlement, and a pass of the reconciler. */
const WATCHED_MS = 12_000;

const TEMPERS: readonly Temper[] = ['patient', 'patient', 'patient', 'impatient', 'threefold'];

/** A call determined by the seed, independent of the interleaving. */
interface Call {
  readonly random: Random;
  readonly path: string;
  readonly payer: number;
  readonly temper: Temper;
  readonly fault: FacilitatorFault;
}

function callOf(index: number, seed: number): Call {
  const random = new Random(seed * 1_000_003 + index);
  const host = `/api/v1/hosts/h${random.below(HOSTS)}.example.com`;
  const fault = random.chance(0.5) ? 'none' : random.chance(0.05) ? random.pick(HANGS) : random.pick(FAULTS);
  return {
    random,
    path: random.chance(0.1) ? `${host}/refresh` : `${host}/protocols/llms/refresh`,
    payer: random.below(PAYERS),
    temper: random.pick(TEMPERS),
    fault,
  };
}

/** The facilitator's fault for each payment: it fails once, but a payment that it refuses to verify stays bad. */
class FaultPlan {
  private readonly faults = new Map<string, FacilitatorFault>();

  set(nonce: string, fault: FacilitatorFault): void {
    this.faults.set(nonce, fault);
  }

  next(path: string, nonce: string): FacilitatorFault {
    const fault = this.faults.get(nonce) ?? 'none';
    if (!fault.startsWith(path.slice(1))) return 'none';
    if (fault !== 'verify_refused') this.faults.delete(nonce);
    return fault;
  }
}

/**
 * Two gateways, two workers, a real chain, Postgres and Redis: buyers pay while processes are killed and the
 * facilitator fails. When everything has ended, each purchase is checked against the promises of the paywall.
 */
export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const endChain = await useOwnChain();
  const payTo = privateKeyToAddress(generatePrivateKey());
  const facilitator = await startFaultyFacilitator();
  const host = await startTestHost({ '/llms.txt': says('# Shop\n\n- [a](https://shop.example.com/a)\n') });
  const names = Array.from({ length: HOSTS }, (_, index) => host.as(`h${index}.example.com`));
  const terms = await fleetEnv(options.backend, { payTo, facilitatorUrl: facilitator.url, connectTo: names });
  const direct = new URL(terms.DATABASE_URL);
  const line = await startTcpFront(Number(direct.port));
  const env = {
    ...terms,
    DATABASE_URL: Object.assign(new URL(direct), { port: String(line.port) }).href,
    REFRESH_DEADLINE_SEC,
    // Killed processes cause many errors in the others.
    LOG_LEVEL: process.env['E2E_LOG'] ?? 'silent',
  };
  const fleet = await Fleet.start(env);
  const database = new Client({ connectionString: direct.href });
  await database.connect();
  try {
    const payers = await Promise.all(Array.from({ length: PAYERS }, () => newPayer(PURSE)));
    const trade = await trading(options, { fleet, facilitator, line }, payers);
    options.say(`all ${options.calls} calls are made, ${fleet.kills} processes were killed; coming to rest`);
    await sleep(WATCHED_MS); // by then each settlement was checked on the chain
    await atRest(database, options.toTheEnd ? [...UNSETTLED, ...UNANSWERED] : UNSETTLED);
    return {
      ...(await judged(options, { fleet, database }, trade.purchases, payTo)),
      faults: trade.faults,
      states: await states(database),
      payToAtomic: await balanceOf(payTo),
      payersSpentAtomic: await spent(payers),
      ledger: await runLedger(['check'], env),
    };
  } finally {
    await fleet.stop();
    await database.end();
    await Promise.all([facilitator.close(), host.close(), line.close()]);
    await endChain();
  }
}

interface Trade {
  readonly purchases: readonly Purchase[];
  readonly faults: Readonly<Record<string, number>>;
}

async function trading(
  { calls, seed, callsPerKill, buyers, say }: ChaosOptions,
  {
    fleet,
    facilitator,
    line,
  }: { readonly fleet: Fleet; readonly facilitator: FaultyFacilitator; readonly line: TcpFront },
  payers: readonly Payer[],
): Promise<Trade> {
  const [purchases, plan, kills] = [[] as Purchase[], new FaultPlan(), new Random(seed)];
  const faults: Record<string, number> = {};
  facilitator.fault = ({ path, nonce }) => (nonce === undefined ? 'none' : plan.next(path, nonce));
  const outside = { reorganizations: 0, 'standing Postgres': 0 };
  const outages: Promise<void>[] = [];
  const reorganize = (): Promise<void> => {
    outside.reorganizations += 1;
    return reorganizeChain();
  };
  const standStill = (): Promise<void> => {
    outside['standing Postgres'] += 1;
    return line.standStill(sleep(STANDING_MS));
  };
  let next = 0;
  const oneAfterAnother = async (): Promise<void> => {
    for (let index = next++; index < calls; index = next++) {
      if (index > 0 && index % callsPerKill === 0) fleet.strike(kills);
      if (index % CALLS_PER_OUTAGE === CALLS_PER_OUTAGE - 1)
        outages.push(index % 2 === 0 ? reorganize() : standStill());
      if (index > 0 && index % 100 === 0) say(`${index} calls made, ${fleet.kills} processes killed`);
      const { path, payer, temper, fault, random } = callOf(index, seed);
      faults[fault] = (faults[fault] ?? 0) + 1;
      const signed = (purchase: Purchase): void => {
        plan.set(purchase.nonce, fault);
        purchases.push(purchase);
      };
      await buy({ gateways: fleet.gateways, signed }, payers[payer]!, path, temper, random);
    }
  };
  await Promise.all(Array.from({ length: buyers }, oneAfterAnother));
  await Promise.all(outages);
  await fleet.whole();
  return { purchases, faults: { ...faults, ...outside } };
}

/** The chain reverts the blocks of the last moments. */
async function reorganizeChain(): Promise<void> {
  const client = chainClient(stack().rpcUrl, 8453);
  const id = await client.snapshot();
  await sleep(REORGANIZED_MS);
  await client.revert({ id });
}

/** Settlements that the reconciler must complete: running, due or uncertain. */
const UNSETTLED: readonly AttemptState[] = ['answer_stored', 'settling', 'settle_unknown'];
/** Attempts that start over if the buyer returns, and are given up a minute after their authorization expired. */
const UNANSWERED: readonly AttemptState[] = ['received', 'verified', 'working'];
const REST_WITHIN_MS = 400_000;
const AT_REST_EVERY_MS = 2_000;

async function atRest(database: Client, moving: readonly AttemptState[]): Promise<void> {
  const open = 'SELECT count(*)::int AS open FROM payment_attempt WHERE state = ANY($1)';
  const until = Date.now() + REST_WITHIN_MS;
  const chain = chainClient(stack().rpcUrl, 8453);
  while (Date.now() < until) {
    // Without sales this chain makes no blocks, but unused authorizations only end with a block after their expiry.
    await chain.mine({ blocks: 1 });
    const { rows } = await database.query<{ open: number }>(open, [moving]);
    if (rows[0]?.open === 0) return;
    await sleep(AT_REST_EVERY_MS);
  }
}

async function judged(
  { seed }: ChaosOptions,
  { fleet, database }: { readonly fleet: Fleet; readonly database: Client },
  purchases: readonly Purchase[],
  payTo: Address,
): Promise<Pick<ChaosResult, 'seed' | 'purchases' | 'kills' | 'answers' | 'paid' | 'breaches'>> {
  const answers = tally(purchases);
  const [moved, gone, random] = [await movedTo(payTo), await lost(database), new Random(seed)];
  const outcomes: Outcome[] = [];
  for (const purchase of purchases) {
    const paid = moved.has(purchase.nonce);
    const known = { ...purchase, answers: [...purchase.answers] };
    const again = paid ? await present(fleet, { ...purchase, answers: [] }, 20, random) : undefined;
    outcomes.push({ purchase: known, paid, vanished: gone.has(purchase.nonce), again });
  }
  return {
    seed,
    purchases: purchases.length,
    kills: fleet.kills,
    answers,
    paid: outcomes.filter(({ paid }) => paid).length,
    breaches: outcomes.flatMap(breachesOf),
  };
}

const TRANSFER = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)');
const USED = parseAbiItem('event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)');

/** The nonces of the authorizations that paid the account, read without code of the service. */
async function movedTo(to: Address): Promise<ReadonlySet<string>> {
  const client = createPublicClient({ transport: http(stack().rpcUrl) });
  const { address } = CHAINS['eip155:8453'].usdc;
  const all = { address, fromBlock: 0n, toBlock: 'latest', strict: true } as const;
  const paid = new Set(
    (await client.getLogs({ ...all, event: TRANSFER, args: { to } })).map(({ transactionHash }) => transactionHash),
  );
  const used = await client.getLogs({ ...all, event: USED });
  return new Set(
    used.filter(({ transactionHash }) => paid.has(transactionHash)).map(({ args }) => args.nonce.toLowerCase()),
  );
}

/** The nonces of payments that the ledger marks as lost. */
async function lost(database: Client): Promise<ReadonlySet<string>> {
  const { rows } = await database.query<{ nonce: string }>(`SELECT nonce FROM payment_attempt WHERE state = 'lost'`);
  return new Set(rows.map(({ nonce }) => nonce));
}

async function states(database: Client): Promise<Readonly<Record<string, number>>> {
  const { rows } = await database.query<{ state: string; count: number }>(
    'SELECT state, count(*)::int AS count FROM payment_attempt GROUP BY state ORDER BY state',
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

async function spent(payers: readonly Payer[]): Promise<bigint> {
  const balances = await Promise.all(payers.map((payer) => payer.balance()));
  return balances.reduce((sum, balance) => sum + PURSE - balance, 0n);
}
