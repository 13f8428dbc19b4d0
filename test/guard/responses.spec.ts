import { DETECTORS, HostEvidence, judgeHost, type Exchange, type ProtocolCell } from '@app/detectors';
import { retryAfterSec, TargetBusyError } from '@app/limits';
import { asking, exchangeAt, get, hostName, testProber } from '../support/probing';
import { says, startTcpHost, startTestHost, type TestHost } from '../support/test-host';
import { RESPONSE_CASES, type ResponseCase } from './response-cases';

/** Short limits for hosts that must be too slow. Other hosts have the usual limits, however busy the machine is. */
const SHORT = { exchangeMs: 1_500, headersMs: 1_000, tlsMs: 100 } as const;

describe('a response', () => {
  const hosts: TestHost[] = [];
  afterEach(() => Promise.all(hosts.splice(0).map((host) => host.close())));

  async function hostOf({ route, path, options, everywhere }: ResponseCase): Promise<TestHost> {
    if (route === 'silent TCP') return startTcpHost(() => undefined);
    if (route === 'reset TCP') return startTcpHost((socket) => socket.resetAndDestroy());
    const home = says('<h1>Shop</h1>', { 'content-type': 'text/html' });
    return startTestHost({ '/': home, [path]: route, ...(everywhere ? { '*': route, '/': route } : {}) }, options);
  }

  async function probeAt(row: ResponseCase) {
    const host = await hostOf(row);
    hosts.push(host);
    const limits = row.ends.endsWith('timeout') ? SHORT : {};
    const prober = await testProber({ connectTo: host.as('shop.example.com'), limits });
    const asked = asking([get(row.path)], { id: 'asking' });
    const seen = await prober.collect(hostName(), { detectors: [...DETECTORS, asked], phases: ['presence'] });
    const { cells } = judgeHost(DETECTORS, new HostEvidence(seen));
    return { exchange: exchangeAt(seen, row.path), cells, host };
  }

  const endOf = (exchange: Exchange) => (exchange.kind === 'failure' ? exchange.reason : 'answer');

  it.each(RESPONSE_CASES)('$expected: $name results in $ends', async (row) => {
    const { exchange, cells, host } = await probeAt(row);
    expect(endOf(exchange)).toBe(row.ends);
    if (row.fault) expect(exchange).toMatchObject({ detail: row.fault });
    if (row.cell) expect(statusOf(cells, row.cell[0])).toBe(row.cell[1]);
    if (row.expected === 'block') expect(harmOf(cells, exchange, host)).toEqual([]);
  });

  it('causes a pause of the requested length, at most a quarter of an hour', () => {
    const waitOf = (value: string) => new TargetBusyError(retryAfterSec(value, new Date()) * 1_000).retryAfterSec;
    expect(waitOf('30')).toBe(30);
    expect(waitOf('31536000')).toBe(900);
  });
});

function statusOf(cells: readonly ProtocolCell[], id: string): string | undefined {
  return cells.find((cell) => cell.id === id)?.status;
}

/**
 * Harm that a bad response must not cause: a larger report, a changed prototype, a cookie sent back, a control
 * character.
 */
function harmOf(cells: readonly ProtocolCell[], exchange: Exchange, host: TestHost): readonly string[] {
  const report = JSON.stringify(cells);
  return [
    ...(report.length > 64 * 1024 ? ['the report grew'] : []),
    ...('polluted' in {} ? ['the prototype changed'] : []),
    ...(host.received.some(({ headers }) => headers.cookie) ? ['a cookie was sent back'] : []),
    // eslint-disable-next-line no-control-regex
    ...(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]|\\u001b|\\u202e/.test(report)
      ? ['a control character got through']
      : []),
    ...(exchange.kind === 'answer' && exchange.bytes > 10 * 1024 * 1024 ? ['the body was taken whole'] : []),
  ];
}
