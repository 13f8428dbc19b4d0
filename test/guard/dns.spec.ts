import { ProbeFault } from '@app/probing';
import ipaddr from 'ipaddr.js';
import { hostName, testProber } from '../support/probing';
import { watchSockets, type WatchedSockets } from '../support/sockets';
import { DNS_CASES, OWN_ADDRESS, type DnsCase } from './dns-cases';
import { countOf } from './guard-case';

const isPublic = (address: string) => ipaddr.parse(address).range() === 'unicast' && address !== OWN_ADDRESS;

describe('a name', () => {
  let sockets: WatchedSockets;
  beforeEach(() => (sockets = watchSockets()));
  afterEach(() => {
    sockets.restore();
  });

  /** Probes once per answer, each probe resolving anew; returns how many sockets each opened and why it stopped. */
  async function probesOf({ name, answers }: DnsCase) {
    const probes: { opened: number; asked: number; stoppedBy: string | null }[] = [];
    for (const answer of answers) {
      let asked = 0;
      const resolve = () => {
        asked += 1;
        return typeof answer === 'string' ? Promise.reject(new ProbeFault(answer)) : Promise.resolve(answer);
      };
      const before = sockets.opened();
      const prober = await testProber({ resolver: { resolve }, ownAddresses: [OWN_ADDRESS] });
      const seen = await prober.collect(hostName(name), { detectors: [], phases: ['presence'] });
      probes.push({ opened: sockets.opened() - before, asked, stoppedBy: seen.stoppedBy });
    }
    return probes;
  }

  it('is tried with 24 not to be dialled and 3 to be dialled', () => {
    expect(countOf(DNS_CASES)).toBe('24/3');
    expect(new Set(DNS_CASES.map(({ name }) => name)).size).toBe(27);
  });

  it.each(DNS_CASES.filter(({ expected }) => expected === 'block'))(
    'opens no socket to a bad answer: $name ($why)',
    async (row) => {
      const probes = await probesOf(row);
      for (const [index, answer] of row.answers.entries()) {
        const vetted = typeof answer !== 'string' && answer.length <= 16 && answer.every(isPublic);
        if (vetted) continue; // the public turn of a name that changes: its own answer is dialled and nothing else
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
    'is dialled as answered: $name ($why)',
    async (row) => {
      const probes = await probesOf(row);
      expect(probes.map(({ asked }) => asked)).toEqual(row.answers.map(() => 1));
      expect(new Set(sockets.dialled)).toEqual(new Set(row.answers.flat()));
    },
  );
});
