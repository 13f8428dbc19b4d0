import { DETECTORS, judgeHost, type JsonObject, type ProtocolCell } from '@app/detectors';
import fc from 'fast-check';
import { acceptV2, authenticates, challengeV2, paywalled } from '../../../test/support/challenges';
import { evidence, failure, html, json, status, type Reply } from '../../../test/support/evidence';
import { cell, hostName, rail } from '../../../test/support/report';
import { assembleFacts, type HostProbe } from './assemble-report';
import { paymentRails } from './payment-rails';
import type { PaymentRail } from './rail-members';
import { payabilityOf } from './payability';
import { isAnswer, PAY_CLIENTS, payPreflight, type PayIntent } from './preflight';

const OBSERVED = '2026-11-01T12:00:00.000Z';
const UCP: JsonObject = {
  version: '2026-08-25',
  endpoint: 'https://shop.example.com/ucp',
  capabilities: ['dev.ucp.shopping.checkout'],
  paymentHandlers: ['com.example.pay'],
};
const published = (profile: JsonObject = UCP, status: ProtocolCell['status'] = 'present') =>
  cell('ucp', status, { profile });
const absent = ['ucp', 'x402', 'mpp'].map((id) => cell(id, 'absent'));

type Seen = Partial<Omit<HostProbe, 'rails'>> & { readonly rails?: readonly PaymentRail[] };

const factsOf = ({ rails = [], cells = absent, ...more }: Seen) =>
  assembleFacts({
    host: hostName(),
    origin: 'https://shop.example.com',
    reachable: true,
    cells,
    fixes: [],
    rails: { payable: rails.some(({ reasons }) => reasons.length === 0), checkedAt: OBSERVED, rails },
    signals: [],
    clocks: { probedAt: OBSERVED, callabilityProbedAt: OBSERVED },
    ...more,
  });

function preflight(intent: PayIntent, { client, ...seen }: Seen & { readonly client?: string } = {}) {
  return payPreflight(
    factsOf(seen),
    { intent, ...(client === undefined ? {} : { client }) },
    {
      observedAt: OBSERVED,
      source: 'cache',
      now: new Date('2026-11-01T12:10:30.900Z'),
    },
  );
}

describe('payPreflight', () => {
  it.each(['present', 'partial'] as const)('is not "no" before advertised routes were called (%s)', (status) => {
    const cells = [cell('x402', status, { reason: 'not_exercised' }), cell('mpp', 'absent'), cell('ucp', 'absent')];
    expect(preflight('api', { cells })).toMatchObject({ canPay: 'unknown', blockers: ['x402_not_exercised'] });
  });

  describe('for one client', () => {
    const rows = [
      { name: '@x402/fetch', versions: ['2.5'], pays: false, reason: 'scheme_unspoken' },
      { name: '@x402/fetch', versions: ['2.27'], pays: true },
      { name: 'mppx', versions: ['0.11'], pays: false, reason: 'domain_missing' },
    ];
    const rails = [rail({ clients: rows })];

    it('is "yes" if one of its releases can pay', () => {
      expect(preflight('api', { rails, client: '@x402/fetch' })).toMatchObject({
        client: '@x402/fetch',
        canPay: 'yes',
      });
    });

    it('says why the client cannot pay if no release can', () => {
      const answer = preflight('any', { rails, client: 'mppx' });
      expect(answer).toMatchObject({ canPay: 'no', blockers: ['domain_missing'], checkout: null, endpoint: null });
      expect(answer.rails).toMatchObject([{ reasons: ['domain_missing'] }]);
    });

    it('says if the client does not support the network', () => {
      expect(preflight('api', { rails, client: '@x402/svm' })).toMatchObject({
        canPay: 'no',
        blockers: ['network_unspoken'],
      });
    });

    it('keeps the reasons of an option that no client can pay', () => {
      const broken = [rail({ clients: rows, reasons: ['payto_zero'] })];
      expect(preflight('api', { rails: broken, client: 'mppx' }).blockers).toEqual(['payto_zero']);
    });
  });

  it('is "yes" for a payable live challenge, with the cheapest route and its price', () => {
    const dear = rail({ resource: 'https://shop.example.com/api/dear', amount: '50000', amountUsd: '0.05' });
    expect(preflight('api', { rails: [dear, rail()] })).toEqual({
      domain: 'shop.example.com',
      intent: 'api',
      client: null,
      canPay: 'yes',
      rails: [rail(), dear],
      checkout: null,
      endpoint: 'https://shop.example.com/api/quote',
      price: { amount: '10000', asset: rail().asset, network: 'eip155:8453', usd: '0.01' },
      freshness: { observedAt: OBSERVED, ageSec: 630, source: 'cache' },
      blockers: [],
      warnings: [],
    });
  });

  it('is "no" if every option fails a check, and lists the checks', () => {
    const rails = [
      rail({ testnet: true, reasons: ['network_testnet'] }),
      rail({ reasons: ['payto_zero', 'network_testnet'] }),
    ];
    expect(preflight('api', { rails })).toMatchObject({
      canPay: 'no',
      endpoint: null,
      price: null,
      blockers: ['network_testnet', 'payto_zero'],
    });
  });

  it('lists payable options first, even if others are cheaper', () => {
    const free = rail({ amountUsd: '0', amount: '0', reasons: ['amount_zero'] });
    expect(preflight('any', { rails: [free, rail()] }).rails).toEqual([rail(), free]);
  });

  it('is "no" if nothing asked for payment, and warns about a manifest without a challenge', () => {
    expect(preflight('api')).toMatchObject({ canPay: 'no', blockers: ['no_live_challenge'], warnings: [] });
    const cells = [cell('x402', 'present'), cell('mpp', 'absent')];
    expect(preflight('api', { cells })).toMatchObject({
      canPay: 'no',
      blockers: ['no_live_challenge'],
      warnings: ['x402_published_but_not_challenged'],
    });
  });

  it('is not "no" if the protocol could not be checked', () => {
    const walled = [
      cell('ucp', 'error', { reason: 'bot_challenge' }),
      cell('x402', 'error', { reason: 'rate_limited' }),
    ];
    expect(preflight('api', { cells: walled })).toMatchObject({ canPay: 'unknown', blockers: ['x402_rate_limited'] });
    expect(preflight('checkout', { cells: walled })).toMatchObject({
      canPay: 'unknown',
      blockers: ['ucp_bot_challenge'],
    });
    expect(preflight('any', { reachable: false })).toMatchObject({ canPay: 'unknown', blockers: ['host_unreachable'] });
  });

  it('is "yes" for a published checkout with a payment method, and warns that it was not tested', () => {
    expect(preflight('checkout', { cells: [published()], rails: [rail()] })).toMatchObject({
      canPay: 'yes',
      rails: [],
      checkout: { protocol: 'ucp', version: '2026-08-25', paymentHandlers: ['com.example.pay'] },
      endpoint: 'https://shop.example.com/ucp',
      price: null,
      warnings: ['checkout_published_not_tried'],
    });
  });

  it.each([
    ['has no endpoint', { ...UCP, endpoint: null }, 'present', 'checkout_without_endpoint'],
    ['names no way to pay', { ...UCP, paymentHandlers: [] }, 'present', 'checkout_without_payment_handler'],
    ['is faulty', UCP, 'partial', 'ucp_partial'],
    ['has no checkout', { ...UCP, capabilities: ['dev.ucp.shopping.catalog'] }, 'present', 'no_checkout_published'],
    ['is not a list', { ...UCP, capabilities: 'checkout' }, 'present', 'no_checkout_published'],
  ] as const)('is "no" for a checkout that %s', (_, profile, status, blocker) => {
    expect(preflight('checkout', { cells: [published(profile, status)] })).toMatchObject({
      canPay: 'no',
      endpoint: null,
      blockers: [blocker],
    });
  });

  it('is unknown if a host says it sells through ACP, which cannot be checked from outside', () => {
    const cells = [...absent, cell('acp', 'undiscoverable', { observed: { version: '2026-04-17' } })];
    expect(preflight('checkout', { cells })).toMatchObject({
      canPay: 'unknown',
      warnings: ['acp_published_but_not_verifiable'],
    });
  });

  it('accepts both ways for the intent any, the priced route first', () => {
    expect(preflight('any', { cells: [published()] })).toMatchObject({ canPay: 'yes', endpoint: UCP['endpoint'] });
    const both = preflight('any', { cells: [published()], rails: [rail()] });
    expect(both).toMatchObject({ canPay: 'yes', endpoint: rail().resource, price: { usd: '0.01' }, blockers: [] });
    expect(preflight('any')).toMatchObject({ canPay: 'no', blockers: ['no_live_challenge', 'no_checkout_published'] });
  });

  it('warns about a challenge that the reference client cannot read, an unknown price and several recipients', () => {
    const odd = rail({ strictClientReadable: false, amountUsd: null });
    expect(preflight('api', { rails: [odd] }).warnings).toEqual(['strict_client_cannot_read', 'price_in_usd_unknown']);
    const other = rail({ payTo: '0x2222222222222222222222222222222222222222' });
    expect(preflight('api', { rails: [rail(), other] }).warnings).toEqual(['several_payees']);
  });
});

describe('pay preflight compared with the report', () => {
  const paths = ['/a', '/b', '/c'] as const;
  const x402Offer = (path: string, more = {}): Reply =>
    paywalled(challengeV2([acceptV2(more)], { resource: { url: `https://shop.example.com${path}` } }));
  /** Answers that contain the terms of a route, or show that it is free. */
  const ANSWERS: readonly ((path: string) => Reply)[] = [
    (path) => x402Offer(path),
    (path) => x402Offer(path, { network: 'eip155:84532', asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e' }),
    (path) => x402Offer(path, { payTo: '' }),
    () => paywalled({ x402Version: 2 }),
    () => authenticates(),
    () => json({ error: 'Payment Required' }, { status: 402 }),
    () => status(404),
    () => status(405),
    () => json({ ok: true }),
  ];
  const SILENCES: readonly Reply[] = [
    ...[401, 403, 407, 429, 500, 502, 503, 504].map((code) => status(code)),
    html('', { status: 403, headers: { 'cf-mitigated': 'challenge' } }),
    ...(
      ['timeout', 'connection_reset', 'headers_too_large', 'too_large', 'bad_encoding', 'redirect_refused'] as const
    ).map((reason) => failure(reason)),
    json({ error: 'city is required' }, { status: 422 }),
  ];
  const ADVERTISERS: readonly ((urls: readonly string[]) => Readonly<Record<string, Reply>>)[] = [
    (resources) => ({ '/.well-known/x402': json({ version: 1, resources }) }),
    (resources) => ({ '/.well-known/x402': json({ x402Version: 2, resources }) }),
    ...[
      { 'x-payment-info': { protocols: ['x402', 'mpp'] } },
      { 'x-x402': true },
      { responses: { 402: { description: 'Payment Required' } } },
    ].map((get) => (urls: readonly string[]) => ({
      '/.well-known/x402': status(404),
      '/openapi.json': json({
        openapi: '3.1.0',
        info: { title: 'Shop', version: '1' },
        paths: Object.fromEntries(urls.map((path) => [path, { get }])),
      }),
    })),
  ];
  const route = fc.oneof(
    fc.constantFrom(...ANSWERS).map((reply) => ({ reply, isSeen: true })),
    fc.constantFrom(...SILENCES).map((reply) => ({ reply: () => reply, isSeen: false })),
    fc.constant({ reply: (): Reply | undefined => undefined, isSeen: false }),
  );
  const callable = fc.array(route, { minLength: 1, maxLength: paths.length });

  it('is never "no" for any client if a route did not answer, and is "no" if all did', () => {
    const said = new Map<string, number>();
    fc.assert(
      fc.property(fc.constantFrom(...ADVERTISERS), callable, (advertise, routes) => {
        const replies = routes.flatMap(({ reply }, i): [string, Reply][] => {
          const answer = reply(paths[i]!);
          if (!answer) return [];
          return [
            [paths[i]!, { ...answer, phase: 'callability' }],
            [`POST ${paths[i]!} {}`, answer],
          ];
        });
        // For example the MCP handshake: a full probe that did not reach every route.
        const documents = {
          ...advertise(paths.slice(0, routes.length)),
          '/called': status(404, { phase: 'callability' }),
        };
        const seen = evidence({ ...documents, ...Object.fromEntries(replies) });
        const { cells } = judgeHost(DETECTORS, seen);
        const rails = paymentRails(seen);
        for (const client of [undefined, ...PAY_CLIENTS]) {
          const answer = preflight('api', { cells, rails: rails.rails, ...(client !== undefined && { client }) });
          said.set(answer.canPay, (said.get(answer.canPay) ?? 0) + 1);
          const isPaid =
            client === undefined ? rails.payable : answer.rails.some(({ reasons }) => reasons.length === 0);
          const due = isPaid ? 'yes' : routes.every(({ isSeen }) => isSeen) ? 'no' : 'unknown';
          expect([client, answer.canPay, answer.blockers]).toEqual([client, due, expect.anything()]);
          const words = { yes: 'payable', no: 'not_payable', unknown: 'unseen' } as const;
          if (client === undefined) expect(payabilityOf(factsOf({ cells, rails: rails.rails }))).toBe(words[due]);
          // The host did not answer, as opposed to not being asked, which by itself is not charged.
          const isSilent = routes.some(({ reply, isSeen }) => !isSeen && reply('/') !== undefined);
          expect(isAnswer(answer)).toBe(due !== 'unknown' || isSilent);
        }
      }),
      { numRuns: 100 },
    );
    expect([...said.keys()].sort()).toEqual(['no', 'unknown', 'yes']);
  });

  it('is not charged if the probe itself did not reach the routes', () => {
    for (const reason of ['not_reached', 'not_exercised', 'timeout', 'server_error']) {
      const cells = [cell('x402', 'error', { reason }), cell('mpp', 'absent'), cell('ucp', 'absent')];
      expect([reason, isAnswer(preflight('any', { cells }))]).toEqual([reason, reason !== 'not_reached']);
    }
    const known = [cell('x402', 'present'), cell('mpp', 'error', { reason: 'not_reached' })];
    expect(isAnswer(preflight('api', { cells: known, rails: [rail()] }))).toBe(true);
  });
});
