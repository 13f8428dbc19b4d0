import { evidence, html, json, status, type Reply } from '../../../test/support/evidence';
import { acp } from './acp.detector';
import { runDetector } from './run-detector';

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
  ])('is undiscoverable beside %s, with no fix', (_, reply) => {
    const { cell, fixes } = at(reply);
    expect(cell).toMatchObject({
      status: 'undiscoverable',
      details: { reason: 'acp_has_no_public_well_known', spec: acp.spec },
    });
    expect(fixes).toEqual([]);
  });

  it('reports what a discovery document says', () => {
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
  ])('observes %s as a fault of a document whose core holds', (_, document, fault) => {
    expect(observed(document)).toMatchObject({ verdict: 'present', faults: [fault] });
  });

  it.each([
    [
      'another protocol of that name',
      { ...DISCOVERY, protocol: { ...DISCOVERY.protocol, name: 'agent-client' } },
      'protocol.name',
    ],
    [
      'a version that is no date',
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
  ])('observes %s as partial', (_, document, fault) => {
    expect(observed(document)).toMatchObject({ verdict: 'partial', version: null, faults: [fault] });
    expect(at(json(document)).cell.version).toBeNull();
  });

  it('observes a page, broken JSON and a refusal, and nothing on a catch-all host', () => {
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
