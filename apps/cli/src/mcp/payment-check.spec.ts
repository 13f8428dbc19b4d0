import fc from 'fast-check';
import { readFacts, type HostFacts } from '@app/reports';
import { statedReport } from '../../../../test/support/stated-report';
import { PaymentCheck, type AskedPayment, type Decision } from './payment-check';

const FACTS = readFacts(statedReport({ at: 1_764_000_000, rails: 2 }).facts);
const [RAIL] = FACTS.paymentRails.rails;
const URL_OF_RAIL = RAIL!.resource;
const TERMS = { scheme: 'exact', network: RAIL!.network, asset: RAIL!.asset, payTo: RAIL!.payTo, amount: RAIL!.amount };

/** A check without a service, for hosts that all give the same response. @param probed collects the probed hosts */
const opened = (probed: string[] = [], facts: HostFacts = FACTS): Promise<PaymentCheck> =>
  PaymentCheck.open({
    maxUsd: 1,
    issuer: undefined,
    probe: ({ ascii }) => {
      probed.push(ascii);
      return Promise.resolve(facts);
    },
  });
const codeOf = (decision: Decision): string => (decision.pay ? 'pay' : decision.refused.code);
const asked = (changed: object = {}, url = URL_OF_RAIL): AskedPayment => ({
  url,
  requirement: { ...TERMS, ...changed },
});

const hex = fc.stringMatching(/^0x[0-9a-f]{40}$/);
/** Payment terms that a host can change between a probe and a payment. */
const changes = fc.oneof(
  fc.record({ payTo: hex }),
  fc.record({ asset: hex }),
  fc.record({ network: fc.constantFrom('eip155:1', 'eip155:84532', 'base-sepolia', 'solana', 'x') }),
  fc.record({ amount: fc.bigInt({ min: BigInt(TERMS.amount!) + 1n, max: 10n ** 40n }).map(String) }),
  fc.record({ amount: fc.oneof(fc.constantFrom('', '-1', '1e3', '0x10', null, 10), fc.double()) }),
  fc.record({ resource: fc.webUrl() }),
);

describe('a payment that is checked before it is signed', () => {
  it('passes when it matches the probe, and with a warning for a resource that was not probed', async () => {
    const check = await opened();
    expect(await check.decide(asked())).toEqual({ pay: true, source: 'probe', warnings: [] });
    expect(await check.decide(asked({}, 'https://shop.example.com/v1/new'))).toMatchObject({
      warnings: ['resource_unseen'],
    });
  });

  it('never passes when recipient, token, network, resource or amount differs', async () => {
    const check = await opened();
    await fc.assert(
      fc.asyncProperty(changes, async (changed) => {
        expect(codeOf(await check.decide(asked(changed)))).not.toBe('pay');
      }),
    );
  });

  it('passes only for public https hosts, and never for another origin with the same name', async () => {
    const probed: string[] = [];
    const check = await opened(probed);
    for (const origin of [
      'http://shop.example.com',
      'https://shop.example.com:8443',
      'https://127.0.0.1',
      'https://[::1]',
      'https://localhost',
      'https://metadata.google.internal',
    ]) {
      expect([origin, codeOf(await check.decide(asked({}, `${origin}/v1/quote-0`)))]).toEqual([origin, 'no_statement']);
    }
    expect(probed).toEqual([]);
  });

  it('does not pass for a host that does not answer', async () => {
    const check = await opened([], { ...FACTS, reachable: false });
    expect(codeOf(await check.decide(asked()))).toBe('no_statement');
  });

  it('probes a host once, and again after a new probe', async () => {
    const probed: string[] = [];
    const check = await opened(probed);
    await Promise.all(Array.from({ length: 20 }, () => check.decide(asked())));
    expect(probed).toEqual(['shop.example.com']);
    check.forget(FACTS);
    await check.decide(asked());
    expect(probed).toHaveLength(2);
  });

  it('has only the warnings of its own call, with many concurrent calls', async () => {
    const check = await opened();
    const decisions = await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        check.decide(asked({}, at % 2 === 0 ? URL_OF_RAIL : `${URL_OF_RAIL}-x${at}`)),
      ),
    );
    const warned = decisions.map((decision) => (decision.pay ? decision.warnings.length : -1));
    expect(warned).toEqual(decisions.map((_, at) => at % 2));
  });
});
