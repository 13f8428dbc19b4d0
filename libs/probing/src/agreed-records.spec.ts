import type { Answer } from 'dns-packet';
import { startNameServer, type NameServer } from '../../../test/support/name-server';
import { askEach } from './agreed-records';

const NAME = '_hostprobe-challenge.shop.example.com';
const open: NameServer[] = [];

afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

async function nameServer(answers: readonly Answer[], fault = {}): Promise<string> {
  const server = await startNameServer(() => answers, fault);
  open.push(server);
  return server.address;
}

const txt = (data: string | string[], name = NAME): Answer => ({ type: 'TXT', name, data });
const cname = (name: string, data: string): Answer => ({ type: 'CNAME', name, data });

describe('the TXT records of a name', () => {
  it('come from each name server, with the strings of a record joined', async () => {
    const servers = [await nameServer([txt(['token=ab', 'cd'])]), await nameServer([txt('other')])];
    expect(await askEach({ type: 'TXT', name: NAME }, servers, 5_000)).toEqual([
      { exists: true, records: ['token=abcd'], target: null },
      { exists: true, records: ['other'], target: null },
    ]);
  });

  it('are empty when the name does not exist', async () => {
    expect(await askEach({ type: 'TXT', name: NAME }, [await nameServer([], { rcode: 3 })], 5_000)).toEqual([
      { exists: false, records: [], target: null },
    ]);
  });

  it('are read through a CNAME, which is returned, and only for this name', async () => {
    const led = [
      cname(NAME.toUpperCase(), 'claims.example.net'),
      txt('token=ab', 'claims.example.net'),
      txt('x', 'y.example'),
    ];
    expect(await askEach({ type: 'TXT', name: NAME }, [await nameServer(led)], 5_000)).toEqual([
      { exists: true, records: ['token=ab'], target: 'claims.example.net' },
    ]);
  });

  it('have names that can be stored, for any bytes in them', async () => {
    const [led, hostile] = [[cname(NAME, 'a\u0000b.example.net')], 'n\u0000s\u007f.example.net'];
    expect(await askEach({ type: 'TXT', name: NAME }, [await nameServer(led)], 5_000)).toMatchObject([
      { target: 'a\ufffdb.example.net' },
    ]);
    const zone: Answer = { type: 'NS', name: 'example.com', data: hostile };
    expect(await askEach({ type: 'NS', name: 'example.com' }, [await nameServer([zone])], 5_000)).toMatchObject([
      { records: ['n\ufffds\ufffd.example.net'] },
    ]);
  });

  it('are not read through circular CNAMEs', async () => {
    const circle = [cname(NAME, 'a.example'), cname('a.example', NAME), txt('token=ab')];
    expect(await askEach({ type: 'TXT', name: NAME }, [await nameServer(circle)], 5_000)).toMatchObject([
      { records: [] },
    ]);
  });

  it.each([
    ['fails', { rcode: 2 }],
    ['answers another question', { shift: 1 }],
  ])('are unknown if the name server %s', async (_, fault) => {
    expect(await askEach({ type: 'TXT', name: NAME }, [await nameServer([txt('token=ab')], fault)], 5_000)).toEqual([
      undefined,
    ]);
  });

  it('are unknown if there is no name server', async () => {
    expect(await askEach({ type: 'TXT', name: NAME }, ['127.0.0.1:1'], 5_000)).toEqual([undefined]);
  });
});

describe('the NS records of a name', () => {
  const question = { type: 'NS', name: 'example.com' } as const;
  const ns = (data: string, name = 'example.com'): Answer => ({ type: 'NS', name, data });

  it('are names in lower case, without other records', async () => {
    const servers = [await nameServer([ns('NS1.Example.NET.'), txt('x', 'example.com'), ns('y.example', 'example')])];
    expect(await askEach(question, servers, 5_000)).toEqual([
      { exists: true, records: ['ns1.example.net'], target: null },
    ]);
  });

  it('exist for a CNAME whose target does not exist', async () => {
    const servers = [await nameServer([cname('example.com', 'a.example')], { rcode: 3 })];
    expect(await askEach(question, servers, 5_000)).toEqual([{ exists: true, records: [], target: 'a.example' }]);
  });
});
