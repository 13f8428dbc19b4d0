import { fastify } from 'fastify';
import type { HostReportsService } from './host-reports.service';
import { answerPlainReads } from './plain-reads';

describe('a plain read in front of the controller', () => {
  it('that fails is answered with its failure, without a second read', async () => {
    let reads = 0;
    const withoutProbe = () => {
      reads += 1;
      return Promise.reject(new Error('storage does not answer'));
    };
    const server = fastify();
    answerPlainReads(server, { withoutProbe } as unknown as HostReportsService);
    server.setErrorHandler((error: Error) => ({ said: error.message }));
    server.get('/api/v1/hosts/:domain', withoutProbe);
    const answer = await server.inject('/api/v1/hosts/shop.example.com');
    expect([answer.json(), reads]).toEqual([{ said: 'storage does not answer' }, 1]);
    await server.close();
  });
});
