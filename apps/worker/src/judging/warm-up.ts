import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { ProbeRequest, RequestPhase } from '@app/detectors';
import { offlineSignatures } from '@app/signing';
import { ProbeSessionHost } from './probe-session-host';
import type { Judgement, ProbeUpdate, SentExchange } from './task';

/** The first run takes four times as long as the third; further runs save nothing. */
const TURNS = 3;
/** The phases of a full probe. */
const WAVES: readonly RequestPhase[] = [
  'presence',
  'presence',
  'presence',
  'callability',
  'callability',
  'callability',
];

const ORIGIN = 'https://shop.example.com';
const SUBJECT = {
  ...{ probe: 0, subject: { kind: 'host' }, domain: 'shop.example.com', site: 'example.com', origin: ORIGIN },
  records: [],
} satisfies Omit<ProbeUpdate, 'added'>;

const TERMS = {
  x402Version: 2,
  error: 'payment required',
  resource: { url: `${ORIGIN}/api`, description: 'a catalogue', mimeType: 'application/json' },
  accepts: [
    {
      scheme: 'exact',
      network: 'eip155:8453',
      amount: '10000',
      asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      payTo: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
      maxTimeoutSeconds: 60,
      extra: { name: 'USD Coin', version: '2' },
    },
  ],
};

/** The files of a host with the protocols that have the longest documents. */
const DOCUMENTS: Readonly<Record<string, string | object>> = {
  '/': '<!doctype html><html><head><title>Shop</title><link rel="service-desc" href="/openapi.json"></head></html>',
  '/llms.txt': `# Shop\n\n> Sells things.\n\n## Pages\n\n- [Catalogue](${ORIGIN}/catalogue): all things\n`,
  '/robots.txt': 'User-agent: *\nAllow: /\n',
  '/.well-known/x402': { x402Version: 2, resources: [`${ORIGIN}/api`] },
  '/.well-known/agent-card.json': {
    ...{ name: 'Shop', description: 'Sells things.', url: `${ORIGIN}/a2a`, version: '1.0.0', protocolVersion: '0.3.0' },
    ...{ capabilities: {}, defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] },
    skills: [{ id: 'buy', name: 'Buy', description: 'Buys a thing.', tags: ['shop'] }],
  },
  '/openapi.json': {
    openapi: '3.1.0',
    info: { title: 'Shop', version: '1.0.0' },
    paths: { '/api': { get: { operationId: 'list', responses: { 200: { description: 'all things' } } } } },
  },
};

/**
 * Evaluates an artificial host, so that the code is loaded and compiled before a probe needs it. Real questions wait
 * for at most one step.
 */
export async function warmUp(turns = TURNS): Promise<Judgement | undefined> {
  let judgement: Judgement | undefined;
  for (let turn = 0; turn < turns; turn += 1) {
    const probe = new ProbeSessionHost(offlineSignatures);
    let added: readonly SentExchange[] = [];
    for (const phase of WAVES) {
      const asked = await probe.answer({ ...SUBJECT, added }, { task: 'plan', phase });
      added = (asked as readonly ProbeRequest[]).map((request) => answerTo(request, phase));
      await setImmediate();
    }
    judgement = (await probe.answer({ ...SUBJECT, added }, { task: 'judge' })) as Judgement;
    await setImmediate();
  }
  return judgement;
}

function answerTo({ method, url }: ProbeRequest, phase: RequestPhase): SentExchange {
  const { pathname } = new URL(url);
  const isPriced = pathname === '/api';
  const document = isPriced ? TERMS : DOCUMENTS[pathname];
  const body = typeof document === 'string' ? document : JSON.stringify(document ?? { error: 'not found' });
  const type = typeof document === 'string' ? (pathname === '/' ? 'text/html' : 'text/plain') : 'application/json';
  const challenge = Buffer.from(body).toString('base64');
  return {
    kind: 'answer',
    method,
    url,
    phase,
    observedAt: new Date().toISOString(),
    redirects: [],
    finalUrl: url,
    status: isPriced ? 402 : document === undefined ? 404 : 200,
    headers: [['content-type', type], ...(isPriced ? [['payment-required', challenge] as const] : [])],
    body,
    bytes: Buffer.byteLength(body),
    sha256: createHash('sha256').update(body).digest('hex'),
    truncated: false,
  };
}
