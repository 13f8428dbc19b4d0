import { HostEvidence } from '@app/detectors';
import { json, status } from './support/evidence';
import { probeInMemory, type MemoryReply, type MemoryRequest } from './support/memory-host';

const LLMS = { body: '# Shop', headers: { 'content-type': 'text/plain' } };
const shop = ({ url }: MemoryRequest): MemoryReply =>
  url.pathname === '/' ? json({}) : url.pathname === '/llms.txt' ? LLMS : status(404);

describe('a probe in memory', () => {
  it('is answered, budgeted and logged as one over sockets', async () => {
    const seen = await probeInMemory(shop, {});
    expect(new HostEvidence(seen).read('/llms.txt')).toMatchObject({ kind: 'text' });
    expect(seen.log[0]).toBe('GET https://shop.example.com/');
    expect(seen.log).toHaveLength(seen.requests);
  });

  it('follows redirects within the site and refuses loops', async () => {
    const moved = { status: 301, location: '/map.txt' };
    const seen = await probeInMemory((request) => {
      if (request.url.pathname === '/llms.txt') return moved;
      if (request.url.pathname === '/openapi.json') return { status: 302, location: '/openapi.json' };
      return request.url.pathname === '/map.txt' ? LLMS : shop(request);
    }, {});
    const evidence = new HostEvidence(seen);
    expect(evidence.at('/llms.txt')).toMatchObject({
      status: 200,
      finalUrl: 'https://shop.example.com/map.txt',
      redirects: [{ status: 301, location: 'https://shop.example.com/map.txt' }],
    });
    expect(evidence.at('/openapi.json')).toMatchObject({ kind: 'failure', reason: 'redirect_loop' });
  });

  it('ends with the time of its own clock', async () => {
    const seen = await probeInMemory((request) => ({ ...shop(request), latencyMs: 3_000 }), {});
    expect(seen.elapsedMs).toBe(16_500);
    expect(seen.stoppedBy).toBe('budget_spent');
    expect(seen.log.length).toBeGreaterThan(15);
  });
});
