import { offlineSignatures } from '@app/signing';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import {
  acceptV1,
  acceptV2,
  challengeV1,
  challengeV2,
  PAYEE,
  paywalled,
  paywalledInBody,
} from '../../../test/support/challenges';
import { evidence, failure, json, status, type Reply } from '../../../test/support/evidence';
import { domainKey, jwsOffer, typedOffer, withOffers } from '../../../test/support/signed-offers';
import { isPayToAnswer, judgePayTo } from './payto-evidence';
import { payToFinding } from './payto-finding';

const NETWORK = 'eip155:8453';
const OTHER = '0x1111111111111111111111111111111111111111';
const ORIGIN = 'https://shop.example.com';
const ROUTE = `${ORIGIN}/api/report`;
const wallet = () => privateKeyToAccount(generatePrivateKey());

async function check(replies: Readonly<Record<string, Reply>>, address: string = PAYEE) {
  const finding = await payToFinding(evidence(replies), offlineSignatures);
  return judgePayTo({ domain: 'shop.example.com', address, network: NETWORK }, finding);
}

const didOf = (more: object) => json({ id: 'did:web:shop.example.com', ...more });

describe('the recipient in a live challenge', () => {
  it('is observed, not verified', async () => {
    expect(await check({ 'GET /api/report': paywalled() })).toEqual({
      domain: 'shop.example.com',
      address: PAYEE,
      network: NETWORK,
      verdict: 'observed_live',
      evidence: [{ kind: 'live_challenge', url: ROUTE, strength: 'strong', observedAt: '2026-11-01T12:00:00.000Z' }],
      otherAddresses: [],
      rejected: [],
      note: expect.stringContaining('evidence, not a guarantee'),
    });
  });

  it('is compared case-insensitively, also in version 1 with its own network names', async () => {
    const reply = paywalledInBody(challengeV1([acceptV1({ payTo: PAYEE.toLowerCase() })]));
    expect((await check({ '/api/report': reply })).verdict).toBe('observed_live');
  });

  it('contradicts every other address', async () => {
    const answer = await check({ '/api/report': paywalled() }, OTHER);
    expect(answer).toMatchObject({ verdict: 'contradicted', evidence: [], otherAddresses: [PAYEE] });
  });

  it('on another network does not matter for this one', async () => {
    const elsewhere = paywalled(challengeV2([acceptV2({ network: 'eip155:137' })]));
    expect((await check({ '/api/report': elsewhere })).verdict).toBe('no_evidence');
    expect((await check({ '/api/report': elsewhere }, OTHER)).verdict).toBe('no_evidence');
  });

  it('may be one of several, and the others are listed', async () => {
    const both = paywalled(challengeV2([acceptV2(), acceptV2({ payTo: OTHER })]));
    const answer = await check({ '/api/report': both });
    expect(answer).toMatchObject({ verdict: 'observed_live', otherAddresses: [OTHER] });
    expect(answer.note).toContain('also asks for payment to other addresses');
  });
});

describe('a probe that did not reach every paid route', () => {
  it('is inconclusive if the remaining routes may name the recipient', async () => {
    const manifest = { '/.well-known/x402': json({ x402Version: 2, resources: [ROUTE, '/api/other'] }) };
    const cut = { ...manifest, '/called': status(404, { phase: 'callability' }), '/api/other': paywalled() };
    const whole = { ...cut, '/api/report': status(404, { phase: 'callability' }), 'POST /api/report {}': status(404) };
    for (const [replies, isWhole] of [
      [cut, false],
      [whole, true],
    ] as const) {
      const finding = await payToFinding(evidence(replies), offlineSignatures);
      const answers = [PAYEE, OTHER].map((address) => {
        const answer = judgePayTo({ domain: 'shop.example.com', address, network: NETWORK }, finding);
        return [
          answer.verdict,
          isPayToAnswer(answer, finding),
          answer.note.includes('could not request every document'),
        ];
      });
      expect(answers).toEqual([
        ['observed_live', true, !isWhole],
        ['contradicted', isWhole, !isWhole],
      ]);
    }
  });
});

describe('a signed offer', () => {
  it('by the recipient itself verifies it', async () => {
    const payee = wallet();
    const offers = [await typedOffer(payee, ROUTE)];
    const answer = await check({ '/api/report': paywalled(withOffers(offers)) }, payee.address);
    expect(answer).toMatchObject({
      verdict: 'verified_signature',
      evidence: [{ kind: 'signed_offer', url: ROUTE, strength: 'strong' }],
      otherAddresses: [PAYEE],
    });
  });

  it.each([
    ['was signed by another wallet', { payTo: OTHER }, ROUTE, 'signer_is_not_the_payee'],
    ['has ended', { validSeconds: 1 - Math.floor(Date.now() / 1_000) }, ROUTE, 'offer_expired'],
    ['is for another domain', {}, 'https://shop.example.net/api/report', 'offer_for_another_domain'],
    ['is for plain http', {}, 'http://shop.example.com/api/report', 'offer_for_another_domain'],
  ] as const)('that %s is rejected', async (_, more, resource, reason) => {
    const payee = wallet();
    const offers = [await typedOffer(payee, resource, more)];
    const answer = await check({ '/api/report': paywalled(withOffers(offers)) }, payee.address);
    expect(answer).toMatchObject({ verdict: 'contradicted', rejected: [{ kind: 'signed_offer', url: ROUTE, reason }] });
  });

  it('whose terms were changed after signing is rejected', async () => {
    const payee = wallet();
    const offer = await typedOffer(payee, ROUTE);
    const changed = { ...offer, payload: { ...(offer['payload'] as object), amount: '1' } };
    const answer = await check({ '/api/report': paywalled(withOffers([changed])) }, payee.address);
    expect(answer.rejected).toMatchObject([{ reason: 'signer_is_not_the_payee' }]);
  });

  it.each([
    ['no payload', { format: 'eip712', signature: `0x${'11'.repeat(65)}` }, 'offer_malformed'],
    ['no signature', { format: 'eip712', payload: { payTo: PAYEE } }, 'signature_invalid'],
    [
      'a version that is not a number',
      { format: 'eip712', payload: { version: {} }, signature: `0x${'11'.repeat(65)}` },
      'signature_invalid',
    ],
    ['an invalid JWS', { format: 'jws', signature: 'a.b' }, 'offer_malformed'],
    [
      'a JWS without kid',
      { format: 'jws', signature: `${Buffer.from('{"alg":"EdDSA"}').toString('base64url')}.e30.AA` },
      'offer_malformed',
    ],
  ])('with %s is rejected', async (_, offer, reason) => {
    const answer = await check({ '/api/report': paywalled(withOffers([offer])) });
    expect(answer).toMatchObject({ verdict: 'observed_live', rejected: [{ reason }] });
  });

  it('by a key in the domain’s DID document verifies the recipient', async () => {
    const key = domainKey('shop.example.com');
    const replies = {
      '/api/report': paywalled(withOffers([await jwsOffer(key, ROUTE, OTHER)])),
      '/.well-known/did.json': didOf({ verificationMethod: [key.method] }),
    };
    expect(await check(replies, OTHER)).toMatchObject({ verdict: 'verified_signature', rejected: [] });
  });

  it('by an account in the DID document verifies the recipient', async () => {
    const signer = wallet();
    const replies = {
      '/api/report': paywalled(withOffers([await typedOffer(signer, ROUTE, { payTo: OTHER })])),
      '/.well-known/did.json': didOf({
        verificationMethod: [{ id: '#pay', blockchainAccountId: `eip155:8453:${signer.address}` }],
      }),
    };
    expect((await check(replies, OTHER)).verdict).toBe('verified_signature');
  });

  it('by a key of another domain is rejected without a request there', async () => {
    const key = domainKey('shop.example.com', 'did:web:other.example.net#key-1');
    const replies = { '/api/report': paywalled(withOffers([await jwsOffer(key, ROUTE, OTHER)])) };
    expect(await check(replies, OTHER)).toMatchObject({
      verdict: 'contradicted',
      rejected: [{ reason: 'key_not_of_the_domain' }],
    });
  });

  it('by another key with the id of a published one is rejected', async () => {
    const [published, forged] = [domainKey('shop.example.com'), domainKey('shop.example.com')];
    const replies = {
      '/api/report': paywalled(withOffers([await jwsOffer(forged, ROUTE, OTHER)])),
      '/.well-known/did.json': didOf({ verificationMethod: [published.method] }),
    };
    expect((await check(replies, OTHER)).rejected).toMatchObject([{ reason: 'signature_invalid' }]);
  });
});

describe('an ownership proof', () => {
  const manifest = (proofs: readonly unknown[]) => json({ x402Version: 2, resources: [], ownershipProofs: proofs });

  it('is a wallet’s signature over the origin, in the manifest or in OpenAPI', async () => {
    const payee = wallet();
    const signature = await payee.signMessage({ message: ORIGIN });
    const inManifest = await check({ '/.well-known/x402': manifest([signature]) }, payee.address);
    expect(inManifest).toMatchObject({
      verdict: 'verified_signature',
      evidence: [{ kind: 'ownership_proof', url: `${ORIGIN}/.well-known/x402`, strength: 'strong' }],
    });
    const openapi = json({ openapi: '3.1.0', 'x-discovery': { ownershipProofs: [{ signature }] } });
    expect((await check({ '/openapi.json': openapi }, payee.address)).verdict).toBe('verified_signature');
  });

  it.each(['https://shop.example.com/', 'https://other.example.net'])('over %s proves nothing', async (message) => {
    const payee = wallet();
    const proof = await payee.signMessage({ message });
    expect((await check({ '/.well-known/x402': manifest([proof]) }, payee.address)).verdict).toBe('no_evidence');
  });

  it('of another wallet does not contradict an address', async () => {
    const proof = await wallet().signMessage({ message: ORIGIN });
    expect(await check({ '/.well-known/x402': manifest([proof]) })).toMatchObject({
      verdict: 'no_evidence',
      otherAddresses: [],
    });
  });

  it('that is not a signature is rejected', async () => {
    const answer = await check({ '/.well-known/x402': manifest(['verified', `0x${'ff'.repeat(65)}`, 7]) });
    expect(answer).toMatchObject({
      verdict: 'no_evidence',
      rejected: [{ reason: 'signature_invalid' }, { reason: 'signature_invalid' }],
    });
  });
});

describe('a document of the domain', () => {
  it.each([
    [
      'did_web',
      '/.well-known/did.json',
      { id: 'did:web:shop.example.com', verificationMethod: [{ blockchainAccountId: `eip155:8453:${PAYEE}` }] },
      'good',
    ],
    [
      'did_web',
      '/.well-known/did.json',
      { id: 'did:web:shop.example.com', alsoKnownAs: [`did:pkh:eip155:1:${PAYEE}`] },
      'good',
    ],
    ['x402_manifest', '/.well-known/x402', { x402Version: 2, accepts: [{ network: 'base', payTo: PAYEE }] }, 'medium'],
    ['x402_manifest', '/', { x402Version: 2, accepts: [{ network: 'base', payTo: PAYEE }] }, 'medium'],
    ['x402_manifest', '/.well-known/x402.json', { payTo: { 'eip155:8453': PAYEE } }, 'medium'],
    [
      'agent_card',
      '/.well-known/agent-card.json',
      { name: 'A', capabilities: { extensions: [{ params: { recipient: PAYEE } }] } },
      'medium',
    ],
    [
      'openapi',
      '/openapi.json',
      { openapi: '3.1.0', paths: { '/a': { get: { 'x-payment-info': { wallets: [PAYEE] } } } } },
      'medium',
    ],
    [
      'ucp_profile',
      '/.well-known/ucp',
      { ucp: { payment_handlers: { h: [{ config: { pay_to: `eip155:8453:${PAYEE}` } }] } } },
      'medium',
    ],
  ] as const)('declares it: %s at %s', async (kind, path, document, strength) => {
    const answer = await check({ [path]: json(document) });
    expect(answer).toMatchObject({
      verdict: 'declared',
      evidence: [{ kind, url: `${ORIGIN}${path}`, strength }],
    });
  });

  it('contradicts other addresses if it asks for payments, but not if it only mentions a wallet', async () => {
    expect(await check({ '/.well-known/x402': json({ payTo: OTHER }) })).toMatchObject({
      verdict: 'contradicted',
      otherAddresses: [OTHER],
    });
    expect((await check({ '/.well-known/x402': json({ wallet: OTHER }) })).verdict).toBe('no_evidence');
  });

  it('ranks below a live challenge for the same address, and all evidence is listed, strongest first', async () => {
    const answer = await check({ '/.well-known/x402': json({ payTo: PAYEE }), '/api/report': paywalled() });
    expect(answer.verdict).toBe('observed_live');
    expect(answer.evidence.map(({ kind }) => kind)).toEqual(['live_challenge', 'x402_manifest']);
  });

  it('does not count if it is another domain’s DID document, or came over plain http', async () => {
    const foreign = json({
      id: 'did:web:other.example.net',
      verificationMethod: [{ blockchainAccountId: `eip155:8453:${PAYEE}` }],
    });
    expect((await check({ '/.well-known/did.json': foreign })).verdict).toBe('no_evidence');
    const plain = json({ payTo: PAYEE }, { finalUrl: 'http://shop.example.com/.well-known/x402' });
    expect((await check({ '/.well-known/x402': plain })).verdict).toBe('no_evidence');
  });

  it('for another network does not count here', async () => {
    const elsewhere = json({ accepts: [{ network: 'solana', payTo: PAYEE }] });
    expect((await check({ '/.well-known/x402': elsewhere })).verdict).toBe('no_evidence');
  });
});

it('reports that a host could not be reached', async () => {
  const answer = await check({ '/': failure('connect_refused') }, OTHER);
  expect(answer.verdict).toBe('no_evidence');
  const dead = await payToFinding(
    evidence({ '/': failure('connect_refused') }, failure('connect_refused')),
    offlineSignatures,
  );
  expect(judgePayTo({ domain: 'shop.example.com', address: OTHER, network: NETWORK }, dead).note).toContain(
    'could not be reached',
  );
});

it('limits the work that hostile documents can cause', async () => {
  const proofs = Array.from({ length: 500 }, () => `0x${'ff'.repeat(65)}`);
  const accepts = Array.from({ length: 1_000 }, (_, i) => ({ payTo: `0x${i.toString(16).padStart(40, '1')}` }));
  const answer = await check(
    { '/.well-known/x402': json({ x402Version: 2, accepts, ownershipProofs: proofs }) },
    OTHER,
  );
  expect(answer.rejected).toHaveLength(20);
  expect(answer.otherAddresses).toHaveLength(20);
});
