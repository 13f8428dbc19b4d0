import fc from 'fast-check';
import { DETECTORS, HostEvidence, judgeHost, REQUEST_BUDGET, type ProtocolCell } from '@app/detectors';
import { PROBE_LIMITS, type CollectedEvidence } from '@app/probing';
import { paymentRails, type PaymentRails } from '@app/reports';
import {
  answersOf,
  generatedHosts,
  plainHost,
  publications,
  type GeneratedHost,
  type Publication,
} from './support/generated-host';
import { probeInMemory } from './support/memory-host';
import { routeOf } from './support/memory-route';
import { NAME } from './support/moved-host';
import { hostName, testProber } from './support/probing';
import { startTestHost } from './support/test-host';
import { unsentRows } from './support/unsent-rows';
import { partOf } from './support/generated';

/**
 * The number of hosts tried in memory; a fiftieth of them are tried through sockets. Each takes about 6 ms of processor
 * time.
 */
const HOSTS = partOf(8_000);

interface Verdict {
  readonly cells: readonly ProtocolCell[];
  readonly rails: PaymentRails;
  /** The paths that answered before the probe ran out of time. */
  readonly answered: ReadonlySet<string>;
}

function verdictOf(seen: CollectedEvidence): Verdict {
  const evidence = new HostEvidence(seen);
  const answered = seen.exchanges.flatMap((exchange) =>
    exchange.kind === 'answer' ? new URL(exchange.url).pathname : [],
  );
  return { cells: judgeHost(DETECTORS, evidence).cells, rails: paymentRails(evidence), answered: new Set(answered) };
}

/** The result for the same documents on a host that answers at once, with 404 to everything else. */
async function plainly(publication: Publication): Promise<Verdict> {
  return verdictOf(await probeInMemory(answersOf(plainHost(publication)), {}));
}

/** The statuses that a cell may have, given its status with the same documents on a plain host. */
function allowed(host: GeneratedHost, { id, status }: ProtocolCell): readonly string[] {
  const { elsewhere, reach, move } = host;
  if (id === 'acp') return ['undiscoverable'];
  const truth = reach === 'missing' ? status : 'absent';
  if (truth !== 'absent') {
    const unasked = refuses(host) && AT_A_SECOND_PATH[host.publication.name] === id;
    // A refusing host gives the same response for every path as the manifest's routes give.
    const closed = id === 'x402' && refuses(host);
    return [id === 'ucp' && move && truth === 'present' ? 'partial' : truth, ...(unasked || closed ? ['error'] : [])];
  }
  const pages = ['mcp', 'llms', 'openapi'].includes(id) ? ['absent', 'partial'] : ['absent'];
  switch (elsewhere.kind) {
    case 'not_found':
      return ['absent'];
    // A home page that asks for payment is then a gate in front of every path.
    case 'redirects_home':
      return '/' in host.publication.routes ? ['absent', 'error'] : ['absent'];
    case 'catch_all':
      return elsewhere.page.kind === 'html' ? pages : ['absent'];
    default: {
      // These are decided all the same: mpp by the home page, and ap2 by documents that do not mention it.
      const usual = elsewhere.kind === 'status' && elsewhere.status === 403 && reach !== 'everything';
      const seen = (id === 'mpp' && reach !== 'everything') || (id === 'ap2' && declaresNothing(host));
      return usual || seen ? ['absent', 'error'] : ['error'];
    }
  }
}

/** When the first path is refused, the second is not requested, and the cell says why. */
const AT_A_SECOND_PATH: Readonly<Record<string, string>> = { 'agent-of-0.3': 'a2a' };

function refuses({ elsewhere: { kind } }: GeneratedHost): boolean {
  return !['not_found', 'catch_all', 'redirects_home'].includes(kind);
}

/** Both documents that may declare AP2 exist, and neither does. */
function declaresNothing({ publication, reach }: GeneratedHost): boolean {
  const documents = ['/.well-known/ucp', '/.well-known/agent-card.json'];
  return reach === 'missing' && documents.every((path) => path in publication.routes);
}

/** The redirect chain is too long to be followed, so no path behind it can be read. */
function leadsTooFar({ elsewhere, move }: GeneratedHost): boolean {
  const hops = (move?.via.length ?? 0) + (move?.home === undefined ? 0 : 1);
  if (elsewhere.kind === 'cookie') return hops + (elsewhere.way === 'detour' ? 2 : 1) > PROBE_LIMITS.redirects;
  return elsewhere.kind === 'redirects_home' && hops + 1 > PROBE_LIMITS.redirects;
}

/** So slow that the probe may run out of time before its last request. */
function isSlow({ latencyMs }: GeneratedHost): boolean {
  return latencyMs > 500;
}

/** Reasons that do not come from the host: a redirect chain that is too long, and the end of the probe's time. */
function isOurEnd(host: GeneratedHost, status: string, reason: string): boolean {
  if (leadsTooFar(host) && reason === 'redirect_refused') return true;
  // Without the home page and the controls, the meaning of a 403 or a redirect at this host is unknown.
  const late = ['not_reached', 'not_exercised', 'timeout', 'forbidden', 'refused'];
  return isSlow(host) && (late.includes(reason) || (status === 'error' && refuses(host)));
}

/** The payment options of a report, under the name of the host that answered. */
function optionsOf({ rails }: PaymentRails, { move }: Pick<GeneratedHost, 'move'>): readonly unknown[] {
  const name = move?.via.at(-1) ?? NAME;
  return rails.map((rail) => {
    const { hostname } = new URL(rail.resource);
    return { ...rail, observedAt: null, resource: hostname === NAME ? name : hostname };
  });
}

/** An optional document that was not reached leaves its cell as if the host did not publish it. */
function mayMiss(host: GeneratedHost, answered: ReadonlySet<string>): boolean {
  return isSlow(host) && Object.keys(host.publication.routes).some((path) => !answered.has(path));
}

/** Requested documents that no published document names; hosts that redirect name others. */
function unnamed({ publication, elsewhere, move }: GeneratedHost, log: readonly string[]): readonly string[] {
  if (move || ['redirect', 'cookie', 'redirects_home'].includes(elsewhere.kind)) return [];
  const named = JSON.stringify(publication.routes);
  const paths = log.flatMap((line) => (line.startsWith('GET ') ? new URL(line.slice(4)).pathname : []));
  return [...new Set(paths)].filter((path) => !named.includes(path) || path in publication.routes);
}

/** The faults of a result, as sentences; empty if it is correct. */
function faultsOf(host: GeneratedHost, plain: Verdict, { cells, rails, answered }: Verdict): readonly string[] {
  const wrong = cells.flatMap((cell, at) => {
    const published = plain.cells[at]!;
    const unseen = mayMiss(host, answered) ? allowed(host, { ...published, status: 'absent' }) : [];
    const expected = [...allowed(host, published), ...unseen];
    const reason = typeof cell.details['reason'] === 'string' ? cell.details['reason'] : '';
    const reasonless = cell.status === 'error' && reason === '';
    const told = `${cell.id} ${cell.status} ${JSON.stringify({ ...cell.details, evidence: undefined })}`;
    const gated = host.elsewhere.kind === 'cookie' && cell.status === 'error' && !isSlow(host);
    if (gated && reason !== 'cookie_gate' && !isOurEnd(host, cell.status, reason)) return [`${told}, no cookie gate`];
    const right = expected.includes(cell.status) || isOurEnd(host, cell.status, reason);
    return right && !reasonless ? [] : [`${told}, not ${expected.join(' or ')}`];
  });
  if (isSlow(host) && !rails.payable) return wrong;
  const due = host.reach === 'missing' ? optionsOf(plain.rails, host) : [];
  const shown = optionsOf(rails, { move: undefined });
  const same = isSlow(host) || JSON.stringify(due) === JSON.stringify(shown);
  return same ? wrong : [...wrong, `options ${JSON.stringify(shown)}, not ${JSON.stringify(due)}`];
}

describe('generated hosts', () => {
  let known: readonly Publication[] = [];
  const plain = new Map<string, Verdict>();
  beforeAll(async () => {
    known = await publications();
    for (const publication of known) plain.set(publication.name, await plainly(publication));
  });

  const expectTrue = (host: GeneratedHost, seen: CollectedEvidence): Verdict => {
    const verdict = verdictOf(seen);
    expect(faultsOf(host, plain.get(host.publication.name)!, verdict)).toEqual([]);
    expect(seen.requests).toBeLessThanOrEqual(40);
    return verdict;
  };

  it('get the status of their documents, or the reason why those could not be read', async () => {
    let hosts = 0;
    await fc.assert(
      fc.asyncProperty(generatedHosts(known), async (host) => {
        hosts += 1;
        const seen = await probeInMemory(answersOf(host), {});
        expect(unsentRows(expectTrue(host, seen).cells, seen)).toEqual([]);
        expect(unnamed(host, seen.log).length).toBeLessThanOrEqual(REQUEST_BUDGET.presence + REQUEST_BUDGET.signals);
      }),
      { numRuns: HOSTS },
    );
    process.stdout.write(`generated hosts ${hosts}\n`);
  }, 900_000);

  it('get the same results through real sockets', async () => {
    const phases = ['presence', 'callability'] as const;
    await fc.assert(
      fc.asyncProperty(generatedHosts(known), async (host) => {
        const server = await startTestHost({ '*': routeOf(answersOf(host)) });
        const names = [NAME, ...(host.move?.via ?? [])];
        const prober = await testProber({ connectTo: names.map((name) => server.as(name)).join() });
        const seen = await prober
          .collect(hostName(), { detectors: DETECTORS, phases })
          .finally(() => Promise.all([prober.close(), server.close()]));
        expectTrue(host, seen);
      }),
      { numRuns: HOSTS / 50 },
    );
  }, 300_000);
});
