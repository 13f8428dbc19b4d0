import {
  acceptV2,
  BASE_USDC,
  challengeV1,
  challengeV2,
  paywalled,
  paywalledInBody,
} from '../../../../test/support/challenges';
import { evidence, html, json, plain, status, type Reply } from '../../../../test/support/evidence';
import { runDetector } from '../run-detector';
import { x402 } from './x402.detector';

const run = (replies: Readonly<Record<string, Reply>>, rest = status(404)) =>
  runDetector(x402, evidence({ '/.well-known/x402': rest, ...replies }, rest));
const published = (reply: Reply, more: Readonly<Record<string, Reply>> = {}) =>
  run({ '/.well-known/x402': reply, ...more });
const findingsOf = (result: ReturnType<typeof run>) =>
  ((result.cell.details['findings'] ?? []) as { id: string }[]).map(({ id }) => id);

describe('x402', () => {
  it('finds a live V2 challenge on an advertised route and shows its terms', () => {
    const { cell, fixes } = published(json({ x402Version: 2, resources: ['/api/report'] }), {
      '/api/report': paywalled(),
    });
    expect(cell).toMatchObject({
      status: 'present',
      version: '2',
      details: {
        dialects: ['v2'],
        family: 'x402version_resources',
        keys: ['x402Version', 'resources'],
        accepts: [{ network: 'eip155:8453', assetSymbol: 'USDC', amount: '20000', amountUsd: '0.02', reasons: [] }],
      },
    });
    expect(cell.details['evidence']).toMatchObject([{ status: 402 }, { status: 200 }]);
    expect(fixes).toEqual([]);
  });

  it('lists the extensions of a challenge, including unknown ones, without evaluating them', () => {
    const extensions = {
      'offer-receipt': {},
      bazaar: { info: {} },
      'sign-in-with-x': {},
      'payment-identifier': 1,
      new: {},
    };
    const { cell, fixes } = run({ '/': paywalled(challengeV2(undefined, { extensions })) });
    const names = ['bazaar', 'new', 'offer-receipt', 'payment-identifier', 'sign-in-with-x'];
    expect(cell).toMatchObject({ status: 'present', details: { extensions: names } });
    expect(findingsOf({ cell, fixes })).toEqual([]);
  });

  it('follows an entry with descriptions, and only calls their paid routes', () => {
    const operation = (annotation: unknown) => ({
      'x-x402': annotation,
      responses: { 402: { description: 'Payment' } },
    });
    const paths = {
      '/report': { get: operation({ accepts: [{ scheme: 'exact', network: 'eip155:8453' }] }) },
      '/jobs': { get: operation({ extensions: { 'sign-in-with-x': {} } }) },
    };
    const { cell } = run({
      '/.well-known/x402': json({ x402Version: 2, openapi: ['https://shop.example.com/api.json'] }),
      '/api.json': json({ openapi: '3.1.0', info: { title: 'Shop', version: '1' }, paths }),
    });
    expect(cell).toMatchObject({
      status: 'present',
      version: '2',
      details: { family: 'x402version_openapi', routes: [{ method: 'GET', url: 'https://shop.example.com/report' }] },
    });
  });

  it.each([
    ['V1', paywalledInBody(), '1', ['v1']],
    ['both versions', paywalled(challengeV2(), challengeV1()), '1+2', ['v2', 'v1']],
  ])('finds %s on the homepage', (_, reply, version, dialects) => {
    expect(run({ '/': reply }).cell).toMatchObject({ status: 'present', version, details: { dialects } });
  });

  it.each([
    ['x402_version_unrecognised', paywalledInBody({ ...challengeV2(), x402Version: '2.0.0' })],
    ['payto_empty', paywalled(challengeV2([acceptV2({ payTo: '' })]))],
    ['siwx_login_wall', paywalled(challengeV2([], { extensions: { 'sign-in-with-x': {} } }))],
    ['v2_in_body_only', paywalledInBody(challengeV2())],
    ['payment_required_header_not_base64', { status: 402, headers: { 'payment-required': 'pay!' } }],
  ])('reports a challenge with %s as partial, with a fix', (note, reply) => {
    const { cell, fixes } = run({ '/': reply });
    expect(cell).toMatchObject({ status: 'partial', details: { note } });
    expect(fixes.map(({ id }) => id)).toEqual(['x402.partial']);
    expect(fixes[0]?.fix).toContain('PAYMENT-REQUIRED');
  });

  it.each([
    [1, 1, '1'],
    ['2', 2, '2'],
  ])('reports a manifest with x402Version %j as present', (x402Version, _, version) => {
    expect(published(json({ x402Version, endpoints: [] })).cell).toMatchObject({ status: 'present', version });
  });

  it('reports a manifest as present if its routes were not due, or answered', () => {
    const manifest = json({ x402Version: 2, resources: ['/api/report'] });
    const called: Reply = { ...status(404), phase: 'callability' };
    expect(published(manifest).cell.status).toBe('present');
    const posted = { '/api/report': called, 'POST /api/report {}': status(404) };
    expect(published(manifest, posted).cell.status).toBe('present');
  });

  it('reports a homepage with x402Version as present', () => {
    expect(run({ '/': json(challengeV2()) }).cell).toMatchObject({ status: 'present', version: '2' });
  });

  it.each([
    ['manifest_without_x402version', { version: 1, resources: ['/api/report'] }],
    ['manifest_without_x402version', { services: [{ path: '/api/report' }] }],
    ['manifest_placeholder', { x402Version: 1, accepts: [{ network: 'base', payTo: 'YOUR_WALLET_ADDRESS' }] }],
    ['x402_version_unrecognised', { x402Version: '1.0', resources: [] }],
    ['manifest_unrecognised', { status: 'ok' }],
    ['not_json', '{ "x402Version": 2, // todo\n }'],
  ])('reports a manifest with %s as partial', (note, document) => {
    const { cell, fixes } = published(json(document));
    expect(cell).toMatchObject({ status: 'partial', details: { note } });
    expect(fixes.map(({ id }) => id)).toEqual(['x402.partial']);
  });

  it('prefers a live challenge to the manifest, even one without x402Version', () => {
    const replies = { 'POST /api/report {}': paywalled(), '/api/report': status(405) };
    expect(published(json({ version: 1, resources: ['/api/report'] }), replies).cell).toMatchObject({
      status: 'present',
      details: { family: 'fan_out' },
    });
  });

  it('requests the .json path only if the common one has nothing', () => {
    const wishes = (reply: Reply) =>
      (x402.followUps?.(evidence({ '/.well-known/x402': reply })) ?? []).map(({ url }) => url);
    expect(wishes(status(404))[0]).toBe('/.well-known/x402.json');
    expect(wishes(json({ x402Version: 1 }))).not.toContain('/.well-known/x402.json');
    expect(run({ '/.well-known/x402.json': json({ x402Version: 2, items: [] }) }).cell).toMatchObject({
      status: 'present',
      details: { family: 'items' },
    });
  });

  it.each([
    [
      '/.well-known/x402-payment',
      { '/': html('<a href="/.well-known/x402-payment">prices</a>') },
      '/.well-known/x402-payment',
    ],
    ['/x402.json', { '/llms.txt': plain('# Shop\n\n- [prices](https://shop.example.com/x402.json)') }, '/x402.json'],
    ['no document there', { '/llms.txt': plain('# Shop\n\n- [prices](/.well-known/x402.json)') }, undefined],
  ])('treats %s from the host only as a hint', (_, replies, hint) => {
    const { cell, fixes } = run(replies);
    expect([cell.status, cell.details['hint'], fixes.map(({ id }) => id)]).toEqual(['absent', hint, ['x402.missing']]);
  });

  it('is absent with a note and the html fix if there is a page at the well-known path', () => {
    const { cell, fixes } = published(html());
    expect(cell).toMatchObject({ status: 'absent', details: { note: 'html_not_machine_document' } });
    expect(fixes.map(({ id }) => id)).toEqual(['x402.html']);
    expect(run({ '/.well-known/x402': html() }, html()).cell.details).toMatchObject({ catchAll: true });
  });

  it.each([
    ['cloudflare_pay_per_crawl', { 'crawler-price': 'USD 0.01' }, 'Payment required'],
    ['platform_suspended', { 'x-vercel-error': 'DEPLOYMENT_DISABLED' }, 'Payment required'],
    ['l402_challenge', { 'www-authenticate': 'L402 macaroon="AGIA", invoice="lnbc1"' }, ''],
    ['content_licensing_402', { 'www-authenticate': 'License realm="x"' }, ''],
    ['unpaid_account_402', {}, '<!doctype html><title>Store unavailable</title>'],
    ['payment_required_without_challenge', {}, '{"error":{"code":402,"message":"quota"}}'],
  ])('is absent with the note %s for a 402 that no agent can pay', (note, headers, body) => {
    const { cell, fixes } = run({ '/': { status: 402, headers, body } });
    expect(cell).toMatchObject({ status: 'absent', details: { note } });
    expect(fixes.map(({ id }) => id)).toEqual(['x402.missing']);
  });

  it('reports the price of a crawl', () => {
    expect(run({ '/': { status: 402, headers: { 'crawler-price': 'USD 0.01' } } }).cell.details).toMatchObject({
      priceUsd: '0.01',
    });
  });

  it('is absent if there is nothing, with one fix that has a complete example', () => {
    const { cell, fixes } = run({});
    expect(cell).toMatchObject({ status: 'absent', details: { evidence: [{ status: 404 }, { status: 200 }] } });
    expect(fixes.map(({ id }) => id)).toEqual(['x402.missing']);
    expect(fixes[0]?.fix).toContain('"x402Version":2');
  });

  it('evaluates an oversized manifest by its beginning, and a long one completely', () => {
    const cut = plain(`{"x402Version":1,"name":"big","resources":["https://shop.example.com/a",`, { truncated: true });
    expect(published(cut).cell).toMatchObject({ status: 'present', details: { truncated: true } });
    expect(published(plain('{"name":"big","resources":[', { truncated: true })).cell).toMatchObject({
      status: 'error',
      details: { reason: 'too_large' },
    });
    const long = { resources: Array.from({ length: 100_000 }, () => 1), x402Version: 2 };
    expect(published(json(long)).cell).toMatchObject({ status: 'present', version: '2' });
    expect(published(json(long)).cell.details).not.toHaveProperty('truncated');
  });

  it('states the domain for signing a payment', () => {
    const { fixes } = run({ '/': paywalled(challengeV2([acceptV2({ extra: { name: 'USDC', version: '2' } })])) });
    expect(fixes.map(({ id }) => id)).toEqual(['x402.unpayable']);
    expect(fixes[0]?.fix).toContain('"USD Coin"');
    const undeclared = run({ '/': paywalled(challengeV2([acceptV2({ extra: undefined })])) });
    expect(undeclared.fixes.map(({ id }) => id)).toEqual(['x402.domain']);
    expect(undeclared.fixes[0]?.fix).toContain('{"name":"USD Coin","version":"2"}');
  });

  it('says why testnet options cannot be paid', () => {
    const test = acceptV2({
      network: 'eip155:84532',
      asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
      extra: { name: 'USDC', version: '2' },
    });
    const { cell, fixes } = run({ '/': paywalled(challengeV2([test])) });
    expect(cell).toMatchObject({ status: 'present', details: { accepts: [{ reasons: ['network_testnet'] }] } });
    expect(fixes[0]?.fix).toMatch(/Base Sepolia.*eip155:8453/s);
  });

  it('notes a resource on another host, a missing one, a ticker as asset, and validation before payment', () => {
    const elsewhere = challengeV2([acceptV2()], { resource: { url: 'http://10.0.0.7:8080/api' } });
    expect(findingsOf(run({ '/': paywalled(elsewhere) }))).toEqual(['resource_host_mismatch']);
    expect(findingsOf(run({ '/': paywalled(challengeV2([acceptV2()], { resource: undefined })) }))).toEqual([
      'resource_missing',
    ]);
    const ticker = { x402Version: 2, resources: ['/a'], accepts: [acceptV2({ asset: 'USDC' })] };
    expect(findingsOf(published(json(ticker), { '/a': status(422) }))).toEqual([
      'manifest_asset_is_ticker',
      'payment_gate_behind_validation',
    ]);
    const dollar = { x402Version: 2, accepts: [acceptV2({ asset: BASE_USDC })] };
    expect(findingsOf(published(json(dollar)))).toEqual([]);
  });
});
