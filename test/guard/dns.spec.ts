import { ProbeFault } from '@app/probing';
import ipaddr from 'ipaddr.js';
import { hostName, testProber } from '../support/probing';
import { resolverOf, watchSockets, type WatchedSockets } from '../support/sockets';
import { says, startTestHost } from '../support/test-host';
import { DNS_CASES, OWN_ADDRESSES, type DnsCase } from './dns-cases';

const isOwn = (address: string) => OWN_ADDRESSES.some((own) => own.split('/')[0] === address);
const isPublic = (address: string) => ipaddr.parse(address).range() === 'unicast' && !isOwn(address);

describe('a name', () => {
  let sockets: WatchedSockets;
  beforeEach(() => (sockets = watchSockets()));
  afterEach(() => {
    sockets.restore();
  });

  /**
   * Makes one probe per response, each with a new DNS lookup. @returns how many sockets each opened and why it stopped
   */
  async function probesOf({ name, answers }: DnsCase) {
    const probes: { opened: number; asked: number; stoppedBy: string | null }[] = [];
    for (const answer of answers) {
      let asked = 0;
      const resolve = () => {
        asked += 1;
        return typeof answer === 'string' ? Promise.reject(new ProbeFault(answer)) : Promise.resolve(answer);
      };
      const before = sockets.opened();
      const prober = await testProber({ resolver: { resolve }, ownAddresses: OWN_ADDRESSES });
      const seen = await prober.collect(hostName(name), { detectors: [], phases: ['presence'] });
      probes.push({ opened: sockets.opened() - before, asked, stoppedBy: seen.stoppedBy });
    }
    return probes;
  }

  it.each(DNS_CASES.filter(({ expected }) => expected === 'block'))(
    'opens no socket for a forbidden answer: $name ($why)',
    async (row) => {
      const probes = await probesOf(row);
      for (const [index, answer] of row.answers.entries()) {
        const vetted = typeof answer !== 'string' && answer.length <= 16 && answer.every(isPublic);
        if (vetted) continue; // A name may change to a public address, and then only that address is connected.
        expect(probes[index]).toEqual({
          opened: 0,
          asked: 1,
          stoppedBy: typeof answer === 'string' ? answer : 'address_refused',
        });
      }
      expect(sockets.dialled.filter((address) => !isPublic(address))).toEqual([]);
    },
  );

  it.each(DNS_CASES.filter(({ expected }) => expected === 'allow'))(
    'is connected at the resolved address: $name ($why)',
    async (row) => {
      const probes = await probesOf(row);
      expect(probes.map(({ asked }) => asked)).toEqual(row.answers.map(() => 1));
      expect(new Set(sockets.dialled)).toEqual(new Set(row.answers.flat()));
    },
  );

  it('does not inherit the exemption of a listed test host', async () => {
    const host = await startTestHost({ '*': says('{}') });
    const prober = await testProber({ resolver: resolverOf(['127.0.0.1']), connectTo: host.as('shop.example.com') });
    const other = await prober.collect(hostName('other.example.com'), { detectors: [], phases: ['presence'] });
    expect([other.stoppedBy, host.connections()]).toEqual(['address_refused', 0]);
    await host.close();
  });
});
