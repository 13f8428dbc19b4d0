import { evidence, html, json, status, type Reply } from '../../../../test/support/evidence';
import { ap2 } from './ap2.detector';
import { EXAMPLE_CAPABILITIES, EXAMPLE_EXTENSION } from './mandate-fixes';
import { runDetector } from '../run-detector';

const CARD = '/.well-known/agent-card.json';
const PROFILE = '/.well-known/ucp';
const V01 = 'https://github.com/google-agentic-commerce/ap2/tree/v0.1';
const V1 = 'https://github.com/google-agentic-commerce/ap2/v1';

type Json = Record<string, unknown>;

const merchant = (more: Json = {}): Json => ({ uri: V01, required: true, params: { roles: ['merchant'] }, ...more });
const card = (extensions: unknown, more: Json = {}): Json => ({
  name: 'Lamp Agent',
  url: 'https://shop.example.com/a2a',
  capabilities: { extensions },
  ...more,
});

const CHECKOUT = { 'dev.ucp.shopping.checkout': [{ version: '2026-04-08' }] };
const MANDATE = {
  version: '2026-04-08',
  extends: 'dev.ucp.shopping.checkout',
  config: { vp_formats_supported: { 'dc+sd-jwt': {} } },
};
const KEYS = [{ kid: 'k', kty: 'EC', crv: 'P-256', x: 'A', y: 'A', alg: 'ES256' }];
const profile = (ucp: Json, root: Json = { signing_keys: KEYS }): Json => ({
  ucp: { version: '2026-04-08', ...ucp },
  ...root,
});
const mandating = (mandate: unknown, more: Json = CHECKOUT): Json =>
  profile({ capabilities: { ...more, 'dev.ucp.shopping.ap2_mandate': mandate } });

const probe = (replies: Record<string, Reply>, rest = status(404)) =>
  runDetector(ap2, evidence({ '/.well-known/agent.json': rest, ...replies }, rest));
const withCard = (document: unknown) => probe({ [CARD]: json(document), [PROFILE]: status(404) });
const withProfile = (document: unknown) => probe({ [CARD]: status(404), [PROFILE]: json(document) });
const ids = (result: ReturnType<typeof probe>) =>
  ((result.cell.details['findings'] ?? []) as { id: string }[]).map(({ id }) => id);
const fixIds = (result: ReturnType<typeof probe>) => result.fixes.map(({ id }) => id);

describe('ap2 in an agent card', () => {
  it('finds a merchant by the extension of v0.1', () => {
    const result = withCard(card([{ uri: 'https://example.com/other' }, merchant()]));
    expect(result.cell).toMatchObject({
      status: 'present',
      version: 'v0.1',
      details: { source: 'a2a', uri: V01, roles: ['merchant'], required: true, canBePaid: true },
    });
    expect([ids(result), result.fixes]).toEqual([[], []]);
  });

  it('finds a shopper, which cannot be paid', () => {
    const result = withCard(card([{ uri: V01, params: { roles: ['shopper'] } }]));
    expect(result.cell).toMatchObject({ status: 'present', details: { roles: ['shopper'], canBePaid: false } });
  });

  it.each([
    ['no roles at all', [], null],
    ['unknown roles', ['seller', 'buyer'], null],
    ['a payee among unknown roles', ['seller', 'merchant'], true],
    ['a processor', ['payment-processor'], true],
    ['a paying role among unknown roles', ['seller', 'credentials-provider'], false],
  ])('says whether it can be paid, if that is known: %s', (_, roles, canBePaid) => {
    for (const uri of [V01, V1]) {
      expect(withCard(card([{ uri, params: { roles } }])).cell.details).toMatchObject({ canBePaid });
    }
  });

  it('finds the URI of the official samples without roles', () => {
    expect(withCard(card([{ uri: V1, required: true }])).cell).toMatchObject({ status: 'present', version: 'v1' });
  });

  it.each([
    'https://github.com/google-agentic-commerce/AP2/tree/v0.2.0',
    'https://ap2-protocol.org/extensions/payments',
  ])('finds the unknown spelling %s, with a finding', (uri) => {
    const result = withCard(card([{ uri }]));
    expect([result.cell.status, ids(result)]).toEqual(['present', ['unknown_uri_variant']]);
  });

  it.each([
    ['no roles', card([{ uri: V01 }]), 'roles_missing'],
    ['an empty role list', card([merchant({ params: { roles: [] } })]), 'roles_missing'],
    ['roles that are not a list', card([merchant({ params: { roles: 'merchant' } })]), 'roles_missing'],
    ['an unknown role', card([merchant({ params: { roles: ['merchant', 'seller'] } })]), 'unknown_role'],
    ['extensions at the top', { ...card([]), extensions: [merchant()] }, 'extensions_misplaced'],
    ['extensions keyed by URI', card({ [V1]: { required: true } }), 'extensions_misplaced'],
    ['extensions as strings', card([V1]), 'extensions_misplaced'],
    ['a developer machine', card([merchant()], { url: 'http://localhost:8001/a2a' }), 'localhost_interface'],
  ])('reports %s as partial, with the fault and a fix', (_, document, note) => {
    const result = withCard(document);
    expect(result.cell).toMatchObject({ status: 'partial', details: { note } });
    expect(fixIds(result)).toEqual(['ap2.partial']);
  });

  it('prefers the valid one of several declarations and lists all', () => {
    const result = withCard(card([{ uri: V01 }, { uri: V1 }]));
    expect(result.cell).toMatchObject({
      status: 'present',
      details: { uri: V1, declarations: [{ status: 'partial' }, { status: 'present' }] },
    });
  });

  it('notes a merchant whose extension is not required', () => {
    expect(ids(withCard(card([merchant({ required: false })])))).toEqual(['merchant_not_required']);
  });

  it.each([
    ['x402 alone', card([{ uri: 'https://github.com/google-a2a/a2a-x402/v0.1' }])],
    ['a neighbour of the repository', card([{ uri: 'https://github.com/google-agentic-commerce/ap2-demos' }])],
    ['prose', card([], { description: 'Buys with AP2 mandates' })],
    ['a host with a similar name', card([{ uri: 'https://ap2-protocol.org.evil.example/' }])],
  ])('does not count %s as AP2', (_, document) => {
    expect(withCard(document).cell.status).toBe('absent');
  });

  it('reads the card at the older path', () => {
    const replies = {
      [CARD]: status(404),
      '/.well-known/agent.json': json(card([merchant()])),
      [PROFILE]: status(404),
    };
    expect(probe(replies).cell.status).toBe('present');
  });
});

describe('ap2 in a UCP profile', () => {
  it.each([
    ['a map', mandating([MANDATE])],
    ['an entry that is not in a list', mandating(MANDATE)],
    [
      'the array of 2026-01-11',
      profile({
        capabilities: [{ name: 'dev.ucp.shopping.checkout' }, { name: 'dev.ucp.shopping.ap2_mandate', ...MANDATE }],
      }),
    ],
    [
      'the newer name',
      profile({ capabilities: { ...CHECKOUT, 'dev.ucp.common.payment.ap2_mandate': [MANDATE] } }, { keys: KEYS }),
    ],
    [
      'a payment handler of that name',
      profile({ capabilities: CHECKOUT, payment_handlers: { 'dev.ucp.common.payment.ap2_mandate': [MANDATE] } }),
    ],
  ])('finds the mandate capability in %s', (_, document) => {
    const result = withProfile(document);
    expect(result.cell).toMatchObject({
      status: 'present',
      version: '2026-04-08',
      details: { source: 'ucp', vpFormats: ['dc+sd-jwt'], canBePaid: true },
    });
    expect([ids(result), result.fixes]).toEqual([[], []]);
  });

  it('finds capabilities outside the ucp object, with a finding', () => {
    const { ucp } = mandating([MANDATE]);
    const { capabilities } = ucp as Json;
    const result = withProfile({ capabilities, signing_keys: KEYS });
    expect([result.cell.status, ids(result)]).toEqual(['present', ['capabilities_outside_ucp']]);
  });

  it.each([
    ['no extends', mandating([{ version: '2026-04-08' }]), 'capability_without_extends'],
    ['no checkout', mandating([MANDATE], {}), 'checkout_not_declared'],
    ['a parent that is not offered', mandating([{ ...MANDATE, extends: 'dev.ucp.x' }]), 'checkout_not_declared'],
    [
      'a template version',
      { ...mandating([MANDATE]), ucp: { ...(mandating([MANDATE])['ucp'] as Json), version: '{{ v }}' } },
      'version_not_a_date',
    ],
  ])('reports %s as partial, with the fault and a fix', (_, document, note) => {
    const result = withProfile(document);
    expect(result.cell).toMatchObject({ status: 'partial', details: { note } });
    expect(fixIds(result)).toContain('ap2.partial');
  });

  it.each([
    ['no keys', { ...mandating([MANDATE]), signing_keys: [] }, 'no_signing_keys'],
    [
      'no key for mandates',
      { ...mandating([MANDATE]), signing_keys: [{ kty: 'OKP', alg: 'EdDSA' }] },
      'no_usable_signing_key',
    ],
  ])('notes %s, with a fix', (_, document, expected) => {
    const result = withProfile(document);
    expect([result.cell.status, ids(result), fixIds(result)]).toEqual(['present', [expected], ['ap2.signing_keys']]);
  });

  it('notes a mandate without presentation formats', () => {
    expect(ids(withProfile(mandating([{ ...MANDATE, config: {} }])))).toEqual(['no_vp_formats']);
  });

  it('treats a handler specified by AP2 only as a hint', () => {
    const handlers = { 'com.example.pay': [{ id: 'p', spec: 'https://ap2-protocol.org/spec' }] };
    const { cell } = withProfile(profile({ payment_handlers: handlers }));
    expect(cell).toMatchObject({ status: 'absent', details: { handlerHints: ['com.example.pay'] } });
  });

  it('also keeps a leaked key out of its own cell', () => {
    const leaking = { ...mandating([MANDATE]), signing_keys: [{ ...KEYS[0], d: 'very-secret' }] };
    const result = withProfile(leaking);
    expect(result.cell.status).toBe('present');
    expect(JSON.stringify(result)).not.toContain('very-secret');
  });
});

describe('ap2 absent and error', () => {
  it('is absent, with only its evidence, if no document declares it', () => {
    const result = probe({ [CARD]: json(card([])), [PROFILE]: json(profile({})) });
    expect(result.cell).toMatchObject({ status: 'absent', version: null });
    expect(Object.keys(result.cell.details)).toEqual(['evidence']);
    expect(result.cell.details['evidence']).toHaveLength(3);
    expect(fixIds(result)).toEqual(['ap2.missing']);
  });

  it('is absent if both documents are pages', () => {
    expect(probe({ [CARD]: html(), [PROFILE]: html() }).cell.status).toBe('absent');
  });

  it('keeps the note of a host that refuses every missing path', () => {
    const { cell } = probe({ [CARD]: status(403), [PROFILE]: status(403) }, status(403));
    expect(cell).toMatchObject({ status: 'absent', details: { note: 'uniform_403' } });
  });

  it('is present from one document even if the other could not be read', () => {
    expect(probe({ [CARD]: json(card([merchant()])), [PROFILE]: status(503) }).cell.status).toBe('present');
  });

  it('requests the documents of a2a and ucp, so that it can be probed alone', () => {
    expect(ap2.probes.map(({ url }) => url)).toEqual([CARD, PROFILE]);
    const seen = evidence({ [CARD]: status(404), [PROFILE]: status(404) });
    expect(ap2.followUps!(seen).map(({ url }) => url)).toEqual(['/.well-known/agent.json', '/.well-known/ucp.json']);
    expect(ap2.followUps!(evidence({ [CARD]: json(card([])), [PROFILE]: json(profile({})) }))).toEqual([]);
  });
});

describe('ap2 advice', () => {
  it('advises minimal declarations that this detector accepts', () => {
    expect(withCard(JSON.parse(EXAMPLE_EXTENSION)).cell.status).toBe('present');
    const result = withProfile(profile({ capabilities: JSON.parse(EXAMPLE_CAPABILITIES) as Json }));
    expect([result.cell.status, ids(result)]).toEqual(['present', []]);
  });
});
