// All attackers in a soak, in their own process: endless requests, connections without a request, forged payments,
// payments from empty wallets, free reads, free probes, claims, and redelivered alerts. It reports their numbers and
// answers on request.
import { createHash, randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { makeSigner, paidBy } from '../stage/buyer.mjs';

const HALF_SENT = 1_500;
const HALF_OPEN = 200;
const ADDRESSES = 200;
const READS_PER_SEC = 50;
const PAYMENTS_PER_SEC = 10;
const PROBES_PER_SEC = 5;
const CLAIMS_PER_SEC = 20;
/** Claims that are checked repeatedly. */
const CLAIMS = 500;
const REPLAYS_PER_SEC = 20;
/** One of this many payments is signed by an empty wallet, so that its verification reaches the chain. */
const EMPTY_PURSE_EVERY = 4;
/** Payments that end in an error come from few callers, at this rate. */
const EMPTY_WALLETS_PER_SEC = 100;
const FEW_ADDRESSES = ['198.51.100.1', '198.51.100.2', '198.51.100.3'];

const counts = {};
const count = (kind) => (counts[kind] = (counts[kind] ?? 0) + 1);
const pick = (list) => list[Math.floor(Math.random() * list.length)];
const addresses = Array.from({ length: ADDRESSES }, (_, index) => `203.0.113.${index + 1}`);
const open = { 'half-sent bodies': new Set(), 'half-open connections': new Set() };

/** Keeps this many connections open, each of which sends only `bytes`; closed ones are replaced. */
function keepOpen(kind, wanted, port, bytes) {
  const sockets = open[kind];
  setInterval(() => {
    // Not all at once: a full backlog would refuse them, and the gateway would see fewer.
    for (let n = 0; n < 100 && sockets.size < wanted; n += 1) {
      const socket = connect(port, '127.0.0.1');
      sockets.add(socket);
      count(kind);
      socket.on('connect', () => socket.write(bytes));
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
      socket.resume();
    }
  }, 250);
}

/** Sends a request from one of the addresses, through the gateway's trusted proxy. */
async function ask(url, { headers = {}, method = 'GET', from = addresses } = {}) {
  const answer = await fetch(url, {
    method,
    redirect: 'manual',
    headers: { ...headers, 'x-forwarded-for': pick(from) },
    signal: AbortSignal.timeout(30_000),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, json: () => JSON.parse(text) };
}

/** Runs the work this many times per second, whatever its duration, with at most a hundred at once. */
function often(kind, perSec, work) {
  let underWay = 0;
  setInterval(async () => {
    if (underWay >= 100) return;
    underWay += 1;
    await work().then(
      (said) => count(`${kind}: ${said}`),
      () => count(`${kind}: no answer`),
    );
    underWay -= 1;
  }, 1_000 / perSec);
}

/** Reads reports of hostile hosts, adding one every few seconds, so that there are always free probes of them. */
function readFreely(url, names, minutes) {
  const started = Date.now();
  const known = () => Math.ceil(((Date.now() - started) / (minutes * 60_000)) * names.length);
  often('free reads', READS_PER_SEC, async () => {
    const name = pick(names.slice(0, Math.max(1, known())));
    return (await ask(`${url}/api/v1/hosts/${name}`)).status;
  });
}

/** Presses the button for a free probe of each host in turn; the hosts are neighbors of the healthy one. */
function probeFreely(url, names) {
  let turn = 0;
  often('free probes', PROBES_PER_SEC, async () => {
    const name = names[(turn += 1) % names.length];
    return (await ask(`${url}/hosts/${name}/probe?listed=no`, { method: 'POST' })).status;
  });
}

/** Claims the healthy host and its neighbors, and requests a check of every claim as often as possible. */
function claimFreely(url, names) {
  const claims = [];
  often('claims', CLAIMS_PER_SEC, async () => {
    if (claims.length < CLAIMS) {
      const begun = await ask(`${url}/api/v1/hosts/${pick(names)}/claims`, { method: 'POST' });
      if (begun.status < 300) claims.push(begun.json());
      if (begun.status < 300 || claims.length === 0) return `begun ${begun.status}`;
    }
    const { id, key } = pick(claims);
    return (await ask(`${url}/api/v1/claims/${id}`, { headers: { authorization: `Bearer ${key}` } })).status;
  });
}

const hex = (bytes) => `0x${randomBytes(bytes).toString('hex')}`;

/** Signatures with the lengths of keys, passkeys and multisigs, none of them by the payer. */
function forge({ payload, ...payment }) {
  const { authorization } = payload;
  const from = pick([authorization.from, hex(20)]);
  const nonce = `0x${createHash('sha256').update(randomBytes(8)).digest('hex')}`;
  const signature = hex(pick([65, 64, 66, 1, 640, 4_096]));
  return { ...payment, payload: { signature, authorization: { ...authorization, from, nonce } } };
}

/** A payment from an empty wallet, with the terms of a challenge. */
const emptyPurse = (challenge) => makeSigner()(challenge);

/** Pays with forged signatures, and sometimes from an empty wallet. */
function payFalsely(url) {
  let sent = 0;
  often('forged payments', PAYMENTS_PER_SEC, async () => {
    const challenge = await ask(url);
    if (challenge.status !== 402) return `challenge ${challenge.status}`;
    const signed = await emptyPurse(challenge);
    sent += 1;
    const payment = sent % EMPTY_PURSE_EVERY === 0 ? signed : forge(signed);
    return (await ask(url, { headers: paidBy(payment) })).status;
  });
}

/**
 * Pays for hostile hosts from empty wallets. Many of these hosts are too slow or busy, so that the payment ends in an
 * error before it is refused. The price is that of the healthy host, whose challenge is used.
 */
async function payInVain(url, names, priced) {
  const challenge = await ask(priced);
  often('payments of empty wallets', EMPTY_WALLETS_PER_SEC, async () => {
    const headers = paidBy(await emptyPurse(challenge));
    return (await ask(`${url}/api/v1/hosts/${pick(names)}/refresh`, { headers, from: FEW_ADDRESSES })).status;
  });
}

/** Requests redelivery of alerts to slow receivers, each on its own site. */
function replayAlerts(url, { keys, alert }) {
  const watches = Object.entries(keys);
  often('replayed alerts', REPLAYS_PER_SEC, async () => {
    const [id, key] = pick(watches);
    const replay = `${url}/api/v1/watches/${id}/deliveries/${alert}/replay`;
    return (await ask(replay, { headers: { authorization: `Bearer ${key}` }, method: 'POST' })).status;
  });
}

process.once('message', async ({ url, names, healthy, refresh, watches, minutes }) => {
  const port = Number(new URL(url).port);
  const head = 'POST /api/v1/hosts/refresh HTTP/1.1\r\nhost: probe.example.com\r\ncontent-type: application/json\r\n';
  keepOpen('half-sent bodies', HALF_SENT, port, `${head}content-length: 60000\r\n\r\n${'x'.repeat(50_000)}`);
  keepOpen('half-open connections', HALF_OPEN, port, '');
  readFreely(url, names, minutes);
  probeFreely(url, names);
  claimFreely(url, [healthy, ...names.slice(0, 50)]);
  payFalsely(refresh);
  await payInVain(url, names, refresh);
  replayAlerts(url, watches);
  process.on('message', () => {
    const now = Object.entries(open).map(([kind, { size }]) => [`${kind} open now`, size]);
    process.send({ ...counts, ...Object.fromEntries(now) });
  });
  process.send('attacking');
});
