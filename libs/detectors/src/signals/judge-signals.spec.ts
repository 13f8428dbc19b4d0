import { evidence, failure, html, json, plain, status, type Reply } from '../../../../test/support/evidence';
import { probeSite } from '../../../../test/support/site';
import type { DnsRecords } from '../evidence/dns';
import { HostEvidence } from '../evidence/host-evidence';
import { REQUEST_BUDGET } from '../plan';
import { judgeSignals, signalsAfter } from './judge-signals';
import { dnsQuestions, SIGNALS } from './signal-registry';

const ROBOTS = '/robots.txt';
const CATALOG = '/.well-known/api-catalog';
const RESOURCE = '/.well-known/oauth-protected-resource';
const SKILLS = '/.well-known/agent-skills/index.json';
const AGENT = '/.well-known/agent-registration.json';
const AGENTS = '/.well-known/agent-descriptions';

const signal = (id: string, replies: Readonly<Record<string, Reply>>, rest?: Reply) => {
  const found = judgeSignals(evidence(replies, rest)).find((one) => one.id === id);
  return found ? [found.status, ...(found.note === undefined ? [] : [found.note])].join(' ') : 'not seen';
};

const dnsSignal = (id: string, answer: DnsRecords) => {
  const seen = new HostEvidence({
    domain: 'shop.example.com',
    origin: 'https://shop.example.com',
    site: 'example.com',
    exchanges: [],
    records: [answer],
  });
  const found = judgeSignals(seen).find((one) => one.id === id);
  return found ? [found.status, ...(found.note === undefined ? [] : [found.note])].join(' ') : 'not seen';
};
/** Signals whose documents did not fit in the budget. */
const unasked = (seen: HostEvidence) =>
  SIGNALS.filter(({ requests = [] }) => requests.some(({ url }) => !seen.at(url))).map(({ id }) => id);

const registration = {
  type: 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1',
  name: 'Agent',
  services: [{ name: 'MCP', endpoint: 'https://shop.example.com/mcp' }],
  registrations: [{ agentId: 7, agentRegistry: `eip155:8453:0x${'8a'.repeat(20)}` }],
};
const skill = { name: 'buy-things', type: 'skill-md', url: '/s.md', digest: `sha256:${'ab'.repeat(32)}` };
const skills = { $schema: 'https://schemas.example/discovery/0.2.0/schema.json', skills: [skill] };
const robots = (...lines: string[]) => ({ [ROBOTS]: plain(['User-agent: *', ...lines, 'Allow: /'].join('\n')) });
const head = (markup: string) => ({ '/': html(`<!doctype html><head>${markup}</head><h1>Shop</h1>`) });

describe('signals', () => {
  it.each<[id: string, what: string, expected: string, replies: Readonly<Record<string, Reply>>]>([
    ['content-signals', 'a preference', 'valid', robots('Content-Signal: search=yes, ai-input=yes, ai-train=no')],
    ['content-signals', 'another vocabulary', 'faulty', robots('content-signal: ai-train=n')],
    [
      'content-signals',
      'a header',
      'valid',
      { '/': html('<h1>x</h1>', { headers: { 'content-signal': 'search=yes' } }) },
    ],
    ['content-signals', 'a comment', 'absent', robots('# Content-Signal: search=yes')],
    ['aipref', 'a preference', 'valid', robots('Content-Usage: train-ai=n, search=y')],
    ['aipref', 'one for some paths', 'valid', robots('Content-Usage: train-ai=n', 'Content-Usage: /ai-ok/ train-ai=y')],
    ['aipref', 'a path without one', 'faulty', robots('Content-Usage: /ai-ok/')],
    ['aipref', 'the other vocabulary', 'faulty', robots('Content-Usage: ai-train=no')],
    ['rsl', 'a licence in robots.txt', 'valid', robots('License: https://shop.example.com/license.xml')],
    ['rsl', 'a relative licence', 'faulty', robots('License: /license.xml')],
    [
      'rsl',
      'a link',
      'valid',
      { ...robots(), ...head('<link rel="license" type="application/rsl+xml" href="/l.xml">') },
    ],
    [
      'rsl',
      'a licence for people',
      'absent',
      { ...robots(), ...head('<link rel="license" href="https://cc.example/by">') },
    ],
    ['webmcp', 'a form that is a tool', 'valid draft', head('<form action="/s" toolname="search">')],
    ['webmcp', 'a registered tool', 'valid draft', head('<script>document.modelContext.registerTool({})</script>')],
    ['webmcp', 'what was removed', 'valid draft, legacy', head('<script>navigator.modelContext</script>')],
    ['webmcp', 'an ordinary form', 'absent', head('<form action="/s">')],
    [
      'api-catalog',
      'a link set',
      'valid',
      { [CATALOG]: json({ linkset: [{ anchor: '/a', item: [{ href: '/o' }] }] }) },
    ],
    ['api-catalog', 'an empty link set', 'faulty', { [CATALOG]: json({ linkset: [] }) }],
    ['api-catalog', 'a page', 'absent', { [CATALOG]: html() }],
    [
      'oauth-protected-resource',
      'metadata',
      'valid',
      { [RESOURCE]: json({ resource: 'https://shop.example.com/mcp' }) },
    ],
    [
      'oauth-protected-resource',
      'of another site',
      'faulty',
      { [RESOURCE]: json({ resource: 'https://other.example/mcp' }) },
    ],
    [
      'oauth-protected-resource',
      'no authorization server',
      'faulty',
      { [RESOURCE]: json({ resource: 'https://shop.example.com', authorization_servers: [] }) },
    ],
    ['skills', 'an index', 'valid', { [SKILLS]: json(skills) }],
    [
      'skills',
      'a short digest',
      'faulty',
      { [SKILLS]: json({ ...skills, skills: [{ ...skill, digest: 'sha256:ab' }] }) },
    ],
    ['erc8004', 'a registration', 'valid claimed', { [AGENT]: json(registration) }],
    [
      'erc8004',
      'an id that is text',
      'faulty',
      { [AGENT]: json({ ...registration, registrations: [{ ...registration.registrations[0], agentId: '7' }] }) },
    ],
    [
      'anp',
      'agents',
      'valid agents: 1',
      {
        [AGENTS]: json({
          '@type': 'CollectionPage',
          items: [{ '@type': 'ad:AgentDescription', '@id': 'https://a.example' }],
        }),
      },
    ],
    ['anp', 'no agents', 'valid agents: 0', { [AGENTS]: json({ '@type': 'CollectionPage', items: [] }) }],
    ['agents-md', 'prose', 'valid', { '/agents.md': plain('# For agents\n') }],
    ['agents-md', 'a page', 'absent', { '/agents.md': html() }],
    ['nlweb', 'a link', 'valid linked', head('<link rel="nlweb" href="/ask">')],
    ['nlweb', 'no link', 'absent', {}],
  ])('%s of a host with %s', (id, _, expected, replies) => {
    expect(signal(id, replies)).toBe(expected);
  });

  it.each(SIGNALS.map(({ id }) => id))('%s is left out behind a wall, and without requests', (id) => {
    const documents = [...new Set(SIGNALS.flatMap(({ requests = [] }) => requests.map(({ url }) => url)))];
    const walled = Object.fromEntries(['/', ROBOTS, ...documents].map((path) => [path, status(403)]));
    expect(signal(id, walled, status(403))).toBe('not seen');
    expect(signal(id, { '/': failure('timeout') }, failure('timeout'))).toBe('not seen');
  });

  const overHttp = SIGNALS.filter(({ question }) => !question).map(({ id }) => id);
  it.each(overHttp)('%s is absent on a host with one page for every path', (id) => {
    const documents = SIGNALS.flatMap(({ requests = [] }) => requests.map(({ url }) => url));
    const page = Object.fromEntries(['/', ROBOTS, ...documents].map((path) => [path, html()]));
    expect(signal(id, page, html())).toBe('absent');
  });

  const AID = 'v=aid2;u=https://api.shop.example.com/mcp;p=mcp';
  it.each([
    ['a record', [`${AID};a=pat;s=Shop`], 'valid draft, mcp'],
    ['long names and another case', ['VERSION=aid2; URI=https://shop.example.com/a ;Proto=A2A'], 'valid draft, a2a'],
    ['records of both versions', ['v=aid1;p=a2a;uri=https://shop.example.com/a', AID], 'valid draft, mcp'],
    ['an unknown protocol', ['v=aid2;u=https://shop.example.com/llms.txt;p=llms'], 'faulty draft'],
    ['two records of one version', [AID, AID.replace('/mcp', '/b')], 'faulty draft, ambiguous'],
    ['both names of one member', [`${AID};uri=https://shop.example.com/b`], 'faulty draft'],
    ['plain http', ['v=aid2;u=http://shop.example.com/mcp;p=mcp'], 'faulty draft'],
    ['a key id, which this version does not have', [`${AID};k=abc;i=1`], 'faulty draft'],
    ['a key without its id in the older version', ['v=aid1;u=https://shop.example.com;p=mcp;pka=abc'], 'faulty draft'],
    ['other texts', ['v=spf1 -all'], 'absent'],
    ['no record', [], 'absent'],
  ])('aid of a host with %s', (_, records, expected) => {
    expect(dnsSignal('aid', { name: '_agent.shop.example.com', type: 'TXT', records })).toBe(expected);
  });

  it.each([
    ['a service', ['1 agents.example.com'], 'valid draft'],
    ['a service that is not there', ['0 '], 'absent'],
    ['a service that is not there, written with its dot', ['0 .'], 'absent'],
    ['no record', [], 'absent'],
  ])('dns-aid of a host with %s', (_, records, expected) => {
    expect(dnsSignal('dns-aid', { name: '_index._agents.shop.example.com', type: 'SVCB', records })).toBe(expected);
  });

  it.each<[string, Record<string, Reply>, string | undefined]>([
    ['without a manifest names the host of its DNS record', {}, 'absent DNS names agents.example.com'],
    [
      'with attestations names them',
      {
        '/.well-known/ard.json': json({
          host: { displayName: 'Shop', trustManifest: { attestations: [{ type: 'SOC2-Type2', uri: '/soc2.pdf' }] } },
          entries: [
            {
              ...{
                identifier: 'urn:air:shop.example.com:mcp:lamps',
                displayName: 'Lamps',
                type: 'text/html',
                url: '/',
              },
              representativeQueries: ['lamps'],
              trustManifest: {
                attestations: ['HIPAA', { name: 'GDPR' }, { type: 'SOC2-Type2' }, { type: '\u202Ehidden' }, 7],
              },
            },
          ],
        }),
      },
      'valid draft, entries: 1, attestations: SOC2-Type2 HIPAA GDPR',
    ],
    ['with one does not', { '/.well-known/ard.json': json({ entries: [] }) }, 'valid draft, entries: 0'],
    ['behind a wall is not seen', { '/.well-known/ard.json': status(403) }, undefined],
  ])('ard of a host %s', (_, replies, expected) => {
    const asked = evidence({ '/.well-known/ard.json': status(404), ...replies });
    const records = [
      { name: '_index._agents.shop.example.com', type: 'SVCB', records: ['1 agents.example.com'] },
    ] as const;
    const { domain, origin, site, exchanges } = asked;
    const found = judgeSignals(new HostEvidence({ domain, origin, site, exchanges, records }));
    const ard = found.find(({ id }) => id === 'ard');
    expect(ard && [ard.status, ard.note].join(' ')).toBe(expected);
  });

  it('that were not requested again stay unchanged', () => {
    const known = [
      { id: 'aid', status: 'valid' as const },
      { id: 'webmcp', status: 'valid' as const },
    ];
    expect(signalsAfter(known, [{ id: 'webmcp', status: 'absent' }])).toEqual([
      { id: 'webmcp', status: 'absent' },
      known[0],
    ]);
  });

  it('need at most four requests and two DNS questions of their own', async () => {
    const seen = await probeSite({});
    const own = seen.exchanges.filter(({ phase }) => phase === 'signals');
    expect(own.length).toBeLessThanOrEqual(REQUEST_BUDGET.signals);
    expect(seen.at('/robots.txt')).toBeDefined();
    expect(dnsQuestions('shop.example.com')).toHaveLength(2);
    expect(
      judgeSignals(seen)
        .filter(({ id }) => !id.endsWith('aid'))
        .map(({ id }) => id),
    ).toEqual(SIGNALS.map(({ id }) => id).filter((id) => !id.endsWith('aid') && !unasked(seen).includes(id)));
  });

  it('have unique ids and URLs of their sources', () => {
    expect(new Set(SIGNALS.map(({ id }) => id)).size).toBe(SIGNALS.length);
    const seen = evidence({ [AGENT]: json(registration) });
    expect(judgeSignals(seen).find(({ id }) => id === 'erc8004')?.at).toBe(`https://shop.example.com${AGENT}`);
  });
});
