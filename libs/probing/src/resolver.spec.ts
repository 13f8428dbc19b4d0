import { startTestDns, type DnsReply, type TestDns } from '../../../test/support/test-dns';
import { ProbeFault } from './failure';
import { DnsResolver } from './resolver';

describe('resolving a name', () => {
  let dns: TestDns;
  afterEach(() => dns.close());

  async function resolve(a: DnsReply, aaaa: DnsReply, budgetMs = 5_000) {
    dns = await startTestDns((type) => (type === 'A' ? a : aaaa));
    return new DnsResolver({ servers: [dns.server], budgetMs }).resolve('shop.example.com');
  }

  it('queries both address families and returns all addresses', async () => {
    expect(await resolve(['45.33.32.156', '45.33.32.157'], ['2606:4700::6810:1'])).toEqual([
      '45.33.32.156',
      '45.33.32.157',
      '2606:4700::6810:1',
    ]);
    expect([...dns.queries].sort()).toEqual(['A shop.example.com', 'AAAA shop.example.com']);
  });

  it('returns the addresses of one family if the other has none or fails', async () => {
    expect(await resolve(['45.33.32.156'], [])).toEqual(['45.33.32.156']);
    await dns.close();
    expect(await resolve('SERVFAIL', ['2606:4700::6810:1'])).toEqual(['2606:4700::6810:1']);
  });

  it('also returns private addresses, so that the policy can refuse them', async () => {
    expect(await resolve(['10.0.0.1'], ['fd00:0:0::1'])).toEqual(['10.0.0.1', 'fd00::1']);
  });

  it.each<[string, DnsReply, DnsReply, ProbeFault]>([
    ['no such name', 'NXDOMAIN', 'NXDOMAIN', new ProbeFault('dns_nxdomain')],
    ['no address', [], [], new ProbeFault('dns_nxdomain')],
    ['a failing server', 'SERVFAIL', 'SERVFAIL', new ProbeFault('dns_failure')],
    ['half a failure', 'SERVFAIL', [], new ProbeFault('dns_failure')],
  ])('reports %s', async (_what, a, aaaa, fault) => {
    await expect(resolve(a, aaaa)).rejects.toEqual(fault);
  });

  it('gives up on a silent server within its time limit, without retrying', async () => {
    await expect(resolve('silence', 'silence', 50)).rejects.toEqual(new ProbeFault('dns_timeout'));
    expect(dns.queries).toHaveLength(2);
  });
});

it('does not read the hosts file', async () => {
  const dns = await startTestDns(() => 'NXDOMAIN');
  const resolver = new DnsResolver({ servers: [dns.server], budgetMs: 5_000 });
  await expect(resolver.resolve('localhost')).rejects.toEqual(new ProbeFault('dns_nxdomain'));
  await dns.close();
});
