import {
  acceptV1,
  acceptV2,
  base64,
  challengeV1,
  challengeV2,
  paywalled,
  paywalledInBody,
} from '../../../../test/support/challenges';
import { evidence, html, json, type Reply } from '../../../../test/support/evidence';
import { x402Challenges } from './x402-challenge';

const read = (reply: Reply) => x402Challenges(evidence({ '/api/report': reply }))[0];
const withHeader = (name: string, value: string | readonly string[], body = '{}'): Reply => ({
  status: 402,
  headers: { [name]: value },
  body,
});

describe('x402Challenges', () => {
  it.each([
    ['V2 in the header, an empty body', paywalled(), ['v2'], true],
    ['V2 in the header and a copy in the body', paywalled(challengeV2(), challengeV2()), ['v2'], true],
    ['V2 in the header and V1 in the body', paywalled(challengeV2(), challengeV1()), ['v2', 'v1'], true],
    ['V2 in the header and another JSON in the body', paywalled(challengeV2(), { price: '$0.02' }), ['v2'], true],
    ['V1 in the body', paywalledInBody(), ['v1'], true],
    ['V2 in the body only', paywalledInBody(challengeV2()), ['v2_in_body_only'], false],
  ])('recognizes %s', (_, reply, dialects, sound) => {
    expect(read(reply)).toMatchObject({ dialects, sound });
  });

  it('counts the options of both versions, but not those of a copy in the body', () => {
    expect(read(paywalled(challengeV2(), challengeV2()))?.accepts).toHaveLength(1);
    expect(read(paywalled(challengeV2(), challengeV1()))?.accepts.map(({ version }) => version)).toEqual([2, 1]);
  });

  it('prefers the header if a body of the same version differs', () => {
    const challenge = read(paywalled(challengeV2(), challengeV2([acceptV2({ amount: '1' })])));
    expect(challenge?.faults).toEqual(['dialect_conflict']);
    expect(challenge?.accepts.map(({ amount }) => amount)).toEqual(['20000']);
  });

  it('reports version 1 in the header of version 2', () => {
    expect(read(paywalled(challengeV1()))?.faults).toContain('v1_in_header');
  });

  it.each([
    [
      'base64url',
      withHeader(
        'payment-required',
        base64(challengeV2([acceptV2()], { error: '~~~???ÿÿÿ' }))
          .replace(/\+/g, '-')
          .replace(/\//g, '_'),
      ),
      'payment_required_header_base64url',
    ],
    ['raw JSON', withHeader('payment-required', JSON.stringify(challengeV2())), 'payment_required_header_raw_json'],
    [
      'base64 of base64',
      withHeader('payment-required', base64(base64(challengeV2()))),
      'payment_required_header_double_base64',
    ],
    [
      'an alias header',
      withHeader('x-payment-required', base64(challengeV2())),
      'challenge_in_header_x-payment-required',
    ],
    ['an X-PAYMENT header', withHeader('x-payment', base64(challengeV1())), 'challenge_in_header_x-payment'],
  ])('reads %s and reports that the reference client cannot', (_, reply, fault) => {
    expect(read(reply)).toMatchObject({ sound: true, strictlyReadable: { v1: false, v2: false } });
    expect(read(reply)?.faults).toContain(fault);
  });

  it('reads padded and unpadded base64 as the reference client does', () => {
    const value = base64(challengeV2([acceptV2()], { error: 'x' }));
    for (const header of [value, value.replace(/=+$/, '')]) {
      expect(read(withHeader('payment-required', header))).toMatchObject({ strictlyReadable: { v2: true } });
    }
  });

  it('uses the first decodable one of repeated and joined header lines', () => {
    expect(read(withHeader('payment-required', ['!!!', base64(challengeV2())]))).toMatchObject({ sound: true });
    expect(read(withHeader('payment-required', `!!!, ${base64(challengeV2())}`))).toMatchObject({ sound: true });
  });

  it.each([
    [
      'broken JSON',
      withHeader('payment-required', base64('{"x402Version":2,"accepts":[...]}')),
      'payment_required_header_invalid_json',
    ],
    ['no base64', withHeader('payment-required', 'pay up!'), 'payment_required_header_not_base64'],
    ['a list', withHeader('payment-required', base64('[1,2]')), 'payment_required_header_not_an_object'],
    ['an empty list of options', paywalled(challengeV2([])), 'accepts_empty'],
    ['an empty list in an alias header', withHeader('x-payment', JSON.stringify(challengeV1([]))), 'accepts_empty'],
    ['no options at all', paywalled({ x402Version: 2 }), 'accepts_empty'],
    [
      'a sign-in wall',
      paywalled(challengeV2([], { extensions: { 'sign-in-with-x': { info: {} } } })),
      'siwx_login_wall',
    ],
    ['an empty payee', paywalledInBody(challengeV1([acceptV1({ payTo: '' })])), 'payto_empty'],
    ['an option without asset', paywalled(challengeV2([acceptV2({ asset: undefined })])), 'accepts_incomplete'],
    [
      'a version out of a package',
      paywalledInBody({ ...challengeV2(), x402Version: '2.0.0' }),
      'x402_version_unrecognised',
    ],
    ['no version', paywalled(challengeV2([acceptV2()], { x402Version: undefined })), 'x402_version_unrecognised'],
  ])('reports a challenge with %s as invalid, with the main reason first', (_, reply, fault) => {
    expect(read(reply)?.sound).toBe(false);
    expect(read(reply)?.faults[0]).toBe(fault);
  });

  it('accepts a version in a string, but not for the reference client', () => {
    expect(read(paywalled(challengeV2([acceptV2()], { x402Version: '2' })))).toMatchObject({
      sound: true,
      faults: ['x402_version_not_integer'],
      strictlyReadable: { v2: false },
    });
  });

  it('reports V1 as unreadable for legacy clients if one option has wrong types or the header is broken', () => {
    expect(read(paywalledInBody(challengeV1([acceptV1(), acceptV1({ maxAmountRequired: 5 })])))).toMatchObject({
      sound: true,
      strictlyReadable: { v1: false },
    });
    const broken = { ...paywalledInBody(), headers: { 'payment-required': '!!!' } };
    expect(read(broken)).toMatchObject({ sound: true, strictlyReadable: { v1: false } });
  });

  it('reads the header of an HTML page, and the script of the reference paywall', () => {
    expect(read({ ...paywalled(), body: '<!doctype html><title>Pay</title>' })).toMatchObject({
      dialects: ['v2'],
      sound: true,
    });
    const script = `window.x402 = { amount: 0.02, paymentRequirements: ${JSON.stringify([acceptV1()])}, testnet: false };`;
    expect(read(html(`<!doctype html><script>${script}</script>`, { status: 402 }))).toMatchObject({
      dialects: ['v1'],
      sound: true,
      faults: ['challenge_in_html_page'],
      strictlyReadable: { v1: false },
    });
    const whole = `window.x402 = ${JSON.stringify(challengeV1())};`;
    expect(read(html(`<!doctype html><script>${whole}</script>`, { status: 402 }))).toMatchObject({ sound: true });
  });

  it.each([
    ['a 200 that carries a challenge', json(challengeV1())],
    ['a bare 402', { status: 402 }],
    ['a 402 with a quota message', json({ error: { code: 402, message: 'quota exceeded' } }, { status: 402 })],
    ['a 402 with a page', html(undefined, { status: 402 })],
  ])('finds none in %s', (_, reply) => {
    expect(read(reply)).toBeUndefined();
  });

  it('ignores answers of other sites', () => {
    expect(read({ ...paywalled(), finalUrl: 'https://other.example.org/api/report' })).toBeUndefined();
  });
});
