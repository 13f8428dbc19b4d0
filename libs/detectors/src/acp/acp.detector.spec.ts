import fc from 'fast-check';
import { evidence, html, json, status, type Reply } from '../../../../test/support/evidence';
import { acp } from './acp.detector';
import { runDetector } from '../run-detector';

const DISCOVERY = {
  protocol: { name: 'acp', version: '2026-04-17', supported_versions: ['2026-01-30', '2026-04-17'] },
  api_base_url: 'https://shop.example.com/acp',
  transports: ['rest'],
  capabilities: { services: ['checkout', 'orders'] },
};
const at = (reply: Reply, rest?: Reply) => runDetector(acp, evidence({ '/.well-known/acp.json': reply }, rest));
const observed = (document: unknown) => at(json(document)).cell.details['observed'];

describe('acp', () => {
  it.each([
    ['a valid document', json(DISCOVERY)],
    ['nothing', status(404)],
    ['a page', html()],
    ['a rate limit', status(429)],
  ])('is undiscoverable with %s, without a fix', (_, reply) => {
    const { cell, fixes } = at(reply);
    expect(cell).toMatchObject({
      status: 'undiscoverable',
      details: { reason: 'acp_has_no_public_well_known', spec: acp.spec },
    });
    expect(fixes).toEqual([]);
  });

  it('reports the content of a discovery document', () => {
    expect(at(json(DISCOVERY)).cell).toMatchObject({
      version: '2026-04-17',
      details: {
        observed: {
          url: 'https://shop.example.com/.well-known/acp.json',
          verdict: 'present',
          endpoint: 'https://shop.example.com/acp',
          transports: ['rest'],
          services: ['checkout', 'orders'],
          faults: [],
        },
      },
    });
  });

  it.each([
    [
      'an unknown service',
      { ...DISCOVERY, capabilities: { services: ['checkout', 'feeds'] } },
      'capabilities.services[]',
    ],
    ['an extra member', { ...DISCOVERY, endpoints: {} }, 'endpoints'],
    ['an extra member inside', { ...DISCOVERY, protocol: { ...DISCOVERY.protocol, draft: 1 } }, 'protocol.draft'],
    [
      'currencies in capitals',
      { ...DISCOVERY, capabilities: { services: ['checkout'], supported_currencies: ['USD'] } },
      'capabilities.supported_currencies',
    ],
    [
      'a nameless extension',
      { ...DISCOVERY, capabilities: { services: ['checkout'], extensions: [{ spec: 'x' }] } },
      'capabilities.extensions',
    ],
    [
      'an unknown locale',
      { ...DISCOVERY, capabilities: { services: ['checkout'], supported_locales: ['en_US'] } },
      'capabilities.supported_locales',
    ],
  ])('reports %s as a fault of an otherwise valid document', (_, document, fault) => {
    expect(observed(document)).toMatchObject({ verdict: 'present', faults: [fault] });
  });

  const [extensions, protocol] = [[{ name: 'discount' }], DISCOVERY.protocol];
  const inCapabilities = { services: ['checkout'], extensions };
  const versions = (version: string) => ({ ...protocol, version });
  it.each([
    ['extensions where the next release has them', { protocol: { ...protocol, extensions } }, ['unreleased_member']],
    [
      'extensions in both places',
      { protocol: { ...protocol, extensions }, capabilities: inCapabilities },
      ['unreleased_member', 'extensions_in_both'],
    ],
    ['a date after the newest release', { protocol: versions('2026-10-01') }, ['version_unknown']],
    ['extensions where the newest release has them', { capabilities: inCapabilities }, undefined],
    ['the date of an older release', { protocol: versions('2026-01-30') }, undefined],
  ])('does not report %s as a fault', (_, members, expected) => {
    const said = observed({ ...DISCOVERY, ...members }) as Record<string, unknown>;
    expect(said).toMatchObject({ verdict: 'present', faults: [] });
    expect([said['note'], said['findings']]).toEqual([
      expected?.[0],
      expected?.map((id) => ({ id, at: expect.any(String) as string })),
    ]);
  });

  it('reports every document of the newest release as present without faults, and none without a required field', () => {
    const unique = (...values: string[]) => fc.subarray(values, { minLength: 1 });
    const optional = {
      extensions: fc.array(fc.record({ name: fc.constant('x'), more: fc.jsonValue() }, { requiredKeys: ['name'] })),
      intervention_types: fc.subarray(['3ds', 'biometric', 'address_verification']),
      supported_currencies: fc.subarray(['usd', 'eur']),
      supported_locales: fc.subarray(['en', 'en-US', 'zh-Hant-TW']),
    };
    const document = fc.record({
      protocol: fc.record(
        {
          name: fc.constant('acp'),
          version: fc.constant('2026-04-17'),
          supported_versions: unique('2026-01-30', '2026-04-17'),
          documentation_url: fc.webUrl(),
          extensions: optional.extensions,
        },
        { requiredKeys: ['name', 'version', 'supported_versions'] },
      ),
      api_base_url: fc.constant('https://shop.example.com/acp'),
      transports: unique('rest', 'mcp'),
      capabilities: fc.record(
        { services: unique('checkout', 'orders', 'delegate_payment', 'carts'), ...optional },
        { requiredKeys: ['services'] },
      ),
    });
    const slots = ['protocol', 'api_base_url', 'transports', 'capabilities'] as const;
    fc.assert(
      fc.property(document, fc.constantFrom(...slots), (whole, slot) => {
        expect(observed(whole)).toMatchObject({ verdict: 'present', faults: [] });
        expect(observed({ ...whole, [slot]: undefined })).toMatchObject({ verdict: 'partial' });
      }),
    );
  });

  it.each([
    [
      'another protocol of that name',
      { ...DISCOVERY, protocol: { ...DISCOVERY.protocol, name: 'agent-client' } },
      'protocol.name',
    ],
    [
      'a version that is not a date',
      { ...DISCOVERY, protocol: { ...DISCOVERY.protocol, version: '1.0' } },
      'protocol.version',
    ],
    [
      'a repeated version',
      { ...DISCOVERY, protocol: { ...DISCOVERY.protocol, supported_versions: ['2026-04-17', '2026-04-17'] } },
      'protocol.supported_versions',
    ],
    ['an unencrypted endpoint', { ...DISCOVERY, api_base_url: 'http://shop.example.com/acp' }, 'api_base_url'],
    ['an invented transport', { ...DISCOVERY, transports: ['https'] }, 'transports'],
    ['no services', { ...DISCOVERY, capabilities: {} }, 'capabilities.services'],
  ])('reports %s as partial', (_, document, fault) => {
    expect(observed(document)).toMatchObject({ verdict: 'partial', version: null, faults: [fault] });
    expect(at(json(document)).cell.version).toBeNull();
  });

  it('reports a page, broken JSON and an error response, and nothing on a catch-all host', () => {
    expect(at(html()).cell.details['observed']).toMatchObject({
      verdict: 'partial',
      note: 'html_not_machine_document',
    });
    expect(observed('{"protocol":')).toMatchObject({ verdict: 'partial', note: 'not_json' });
    expect(at(status(403)).cell.details['observed']).toMatchObject({ reason: 'forbidden', statusCode: 403 });
    expect(at(html(), html()).cell.details).not.toHaveProperty('observed');
    expect(at(status(404)).cell.details).not.toHaveProperty('observed');
  });
});
