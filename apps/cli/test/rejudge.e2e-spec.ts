import type { HostFacts } from '@app/reports';
import { Client } from 'pg';
import { runCli } from '../src/cli';
import { paintFor } from '../src/terminal/paint';
import { progressOn } from '../src/terminal/progress';
import { newPayer } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { backends } from '../../../test/support/stack';
import { says, startTestHost, type TestHost } from '../../../test/support/test-host';

describe('npm run rejudge', () => {
  let service: Service;
  let shop: TestHost;
  beforeAll(async () => {
    shop = await startTestHost({ '/llms.txt': says('# Shop\n', { 'content-type': 'text/plain' }) });
    const connectTo = ['first', 'second'].map((name) => shop.as(`${name}.example.com`));
    service = await startService({ backend: backends()[0]!, connectTo });
    await service.admitted();
    for (const name of ['first', 'second']) {
      const url = `${service.baseUrl}/api/v1/hosts/${name}.example.com/refresh`;
      expect((await (await newPayer()).fetch(url)).status).toBe(200);
    }
  });
  afterAll(async () => {
    await service.stop();
    await shop.close();
  });

  const run = async (...args: string[]) => {
    const out: string[] = [];
    const code = await runCli(['rejudge', ...args], {
      env: { DATABASE_URL: service.config.database.url },
      paint: paintFor({}, undefined),
      progress: progressOn({ write: () => undefined }),
      say: (text) => out.push(text),
      complain: (text) => out.push(text),
    });
    return { code, out: out.join('') };
  };

  it('judges every stored probe again without a request, and finds results of older detectors', async () => {
    expect(await run()).toEqual({ code: 0, out: 're-judged: 2, would change: 0; nothing was written\n' });

    const client = new Client({ connectionString: service.config.database.url });
    await client.connect();
    await client.query(`UPDATE host SET facts = replace(facts, '"id":"llms","status":"present"',
      '"id":"llms","status":"partial"') WHERE domain = 'first.example.com'`);
    const asked = shop.requests.length;
    const { code, out } = await run();
    expect([code, out]).toEqual([
      0,
      'first.example.com\n  llms       partial -> present\nre-judged: 2, would change: 1; nothing was written\n',
    ]);
    expect(JSON.parse((await run('--json')).out)).toMatchObject({
      hosts: 2,
      changed: [{ domain: 'first.example.com' }],
    });
    expect(shop.requests).toHaveLength(asked);
    const { rows } = await client.query<{ facts: string }>(`SELECT facts FROM host WHERE domain = 'first.example.com'`);
    expect(rows[0]!.facts).toContain('"id":"llms","status":"partial"');

    const applied = await run('--apply');
    expect(applied.out).toContain('re-judged: 2, changed: 1; written: 1\n');
    const url = `${service.baseUrl}/api/v1/hosts/first.example.com`;
    const report = (await (await fetch(url)).json()) as HostFacts;
    expect(report.protocols.find(({ id }) => id === 'llms')?.status).toBe('present');
    const { changes } = (await (await fetch(`${url}/changes`)).json()) as { changes: readonly object[] };
    expect(changes).toMatchObject([
      {
        protocol: 'llms',
        kind: 'rules_changed',
        summary: 'llms.txt is present under newer rules; the host did not change.',
      },
    ]);
    expect((await run()).out).toBe('re-judged: 2, would change: 0; nothing was written\n');

    // The next probe is compared with the result of the current rules, so it finds no change of the host.
    expect((await (await newPayer()).fetch(`${url}/refresh`)).status).toBe(200);
    expect(((await (await fetch(`${url}/changes`)).json()) as { changes: readonly object[] }).changes).toHaveLength(1);
    await client.end();
  });
});
