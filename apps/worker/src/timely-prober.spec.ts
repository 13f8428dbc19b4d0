import { parseProbeUrl } from '@app/reports';
import { asking, exchangeAt, get, hostName, testProber } from '../../../test/support/probing';
import { says, startTestHost, type Route, type TestHost } from '../../../test/support/test-host';
import { OutOfTimeError, TimelyProber } from './timely-prober';

const hosts: TestHost[] = [];
afterEach(() => Promise.all(hosts.splice(0).map((host) => host.close())));

const SILENT: Route = () => undefined;

async function proberOf(routes: Readonly<Record<string, Route>>): Promise<TimelyProber> {
  const host = await startTestHost(routes);
  hosts.push(host);
  return new TimelyProber(await testProber({ connectTo: host.as('shop.example.com') }));
}

describe('a look that waited in the queue until its time was over', () => {
  const look = { detectors: [], phases: ['presence'] } as const;

  it('did not happen', async () => {
    const prober = await proberOf({ '*': SILENT });
    for (const deadlineMs of [-1_000, 100]) {
      await expect(prober.collect(hostName(), { ...look, deadlineMs })).rejects.toThrow(OutOfTimeError);
    }
  });

  it('counts as far as it came', async () => {
    const prober = await proberOf({ '/doc': SILENT, '*': says('{}') });
    const options = { detectors: [asking([get('/doc')])], phases: ['presence'], deadlineMs: 2_000 } as const;
    const seen = await prober.collect(hostName(), options);
    expect(seen.exchanges[0]).toMatchObject({ kind: 'answer', status: 200 });
    expect(exchangeAt(seen, '/doc')).toMatchObject({ reason: 'budget_spent' });
  });

  it('did happen when the host asked not to be looked at', async () => {
    const prober = await proberOf({ '*': says('{}') });
    const seen = await prober.collect(hostName(), { ...look, mayLook: () => Promise.resolve(false) });
    expect(seen).toMatchObject({ unwanted: true, exchanges: [] });
  });

  it('at one endpoint did not happen either', async () => {
    const prober = await proberOf({ '*': SILENT });
    const reading = parseProbeUrl('https://shop.example.com/pay');
    if (!reading.ok) throw new Error(reading.sentence);
    await expect(prober.probe(reading.url, 'GET', AbortSignal.timeout(50))).rejects.toThrow(OutOfTimeError);
  });
});
