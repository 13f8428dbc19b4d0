import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { decode, encode, type Packet } from 'dns-packet';
import type { DnsQuestion } from '@app/detectors';
import { askDns } from './dns-questions';

const TXT: DnsQuestion = { name: '_agent.shop.example.com', type: 'TXT' };
const SVCB: DnsQuestion = { name: '_index._agents.shop.example.com', type: 'SVCB' };

describe('DNS questions of signals', () => {
  const sockets: Socket[] = [];
  afterAll(() => {
    for (const socket of sockets) socket.close();
  });

  /** A name server that answers with the result of `reply`; with undefined it does not answer. */
  const server = async (reply: (query: Packet) => Partial<Packet> | Buffer | undefined) => {
    const socket = createSocket('udp4');
    sockets.push(socket);
    socket.on('message', (message, { port, address }) => {
      const query = decode(message);
      const answer = reply(query);
      if (answer === undefined) return;
      const packet = Buffer.isBuffer(answer)
        ? answer
        : encode({ type: 'response', id: query.id!, questions: query.questions!, ...answer });
      socket.send(packet, port, address);
    });
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return `127.0.0.1:${socket.address().port}`;
  };
  const name = ({ questions }: Packet) => questions![0]!.name;
  const service = (target: string) =>
    Buffer.concat([
      Buffer.from([0, 1]),
      ...target.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
      Buffer.from([0]),
    ]);

  it('reads TXT records with joined parts, and SVCB records with priority and target', async () => {
    const address = await server((query) =>
      name(query) === TXT.name
        ? { answers: [{ type: 'TXT', name: TXT.name, data: ['v=aid2;', 'p=mcp'] }] }
        : { answers: [{ type: 'UNKNOWN_64' as 'NULL', name: SVCB.name, data: service('agents.example.com') }] },
    );
    expect(await askDns([TXT, SVCB], 5_000, address)).toEqual([
      { ...TXT, records: ['v=aid2;p=mcp'] },
      { ...SVCB, records: ['1 agents.example.com'] },
    ]);
  });

  it('reports a name without a record, and leaves out a name with a bad response', async () => {
    const missing = await server(() => ({ flags: 3 }));
    expect(await askDns([TXT], 5_000, missing)).toEqual([{ ...TXT, records: [] }]);
    const broken = await server(() => ({ flags: 2 }));
    const cut = await server(() => ({ flags: 0x200 }));
    const foreign = await server(({ id }) => ({ id: (id! + 1) % 0x1_0000 }));
    const noise = await server(() => Buffer.from('no packet'));
    for (const address of [broken, cut, foreign, noise]) expect(await askDns([TXT], 5_000, address)).toEqual([]);
  });

  it('gives up on a name server that does not answer, is down or is not an address', async () => {
    const silent = await server(() => undefined);
    for (const address of [silent, '127.0.0.1:1', '[::1]:1'])
      expect(await askDns([TXT, SVCB], 50, address)).toEqual([]);
  });
});
