import { randomBytes } from 'node:crypto';
import {
  controlPaths,
  FIRST_PASS,
  isUnreachable,
  parseUrl,
  ROBOTS,
  saysNothing,
  type Exchange,
  type HostEvidenceInput,
  type ProbeRequest,
} from '@app/detectors';
import type { HostName } from '@app/hosts';
import { HOME, type CollectedEvidence, type Session } from './evidence-collector';

export interface FirstPassOptions {
  /** The protocols with a sign in the answers so far. Parsing can take long, so another thread may do it. */
  readonly signs: (known: HostEvidenceInput) => Promise<readonly string[]>;
  /** Gets the answer to `/robots.txt` before any other request; false ends the pass. */
  readonly mayProbe: (robots: Exchange) => Promise<boolean>;
  /**
   * Awaited before each request except the first, to let urgent work go first. It counts toward the time of the pass.
   */
  readonly giveWay: () => Promise<void>;
}

/** The results of a first pass. */
export interface FirstPass extends CollectedEvidence {
  /** Protocols with a sign; without any, a full probe would not find a requested protocol. */
  readonly signs: readonly string[];
}

/**
 * Decides with few requests whether a host is worth a full probe: robots.txt, home page, then well-known documents one
 * after the other on one connection, until there is a sign. The control request is only made if a document seems to
 * exist, because a plain "not found" needs no comparison.
 */
export async function collectFirstPass(
  host: HostName,
  { signs, mayProbe, giveWay }: FirstPassOptions,
  session: Pick<Session, 'send' | 'requests' | 'stoppedBy'>,
): Promise<FirstPass> {
  const exchanges: Exchange[] = [];
  let { origin } = host;
  const ask = async (request: ProbeRequest): Promise<Exchange | undefined> => {
    if (exchanges.length > 0) await giveWay();
    const url = request.url.startsWith('/') ? `${origin}${request.url}` : request.url;
    const exchange = await session.send({ ...request, url }, 'presence');
    if (exchange) exchanges.push(exchange);
    return exchange;
  };
  const known = (): HostEvidenceInput => ({ domain: host.ascii, origin, site: host.site, exchanges });
  const end = (found: readonly string[], disallowedByRobots = false): FirstPass => ({
    ...known(),
    requests: session.requests,
    stoppedBy: session.stoppedBy ?? null,
    disallowedByRobots,
    signs: found,
  });

  const robots = await ask(ROBOTS);
  if (!robots || (robots.kind === 'failure' && isUnreachable(robots.reason))) return end([]);
  if (!(await mayProbe(robots))) return end([], true);
  origin = moved(robots) ?? origin;
  const home = await ask(HOME);
  if (!home || (home.kind === 'failure' && isUnreachable(home.reason))) return end([]);
  const [control] = controlPaths(randomBytes(16).toString('hex'));
  let compared = false;
  let found = await signs(known());
  for (const request of FIRST_PASS) {
    if (found.length > 0) break;
    const came = await ask(request);
    if (!came) break;
    if (came.kind === 'answer' && saysNothing(came)) continue;
    // Without the host's answer to the control request, its other answers mean nothing.
    compared ||= (await ask({ method: 'GET', url: control }))?.kind === 'answer';
    if (!compared) break;
    found = await signs(known());
  }
  return end(found);
}

/** The other origin of the site to which robots.txt was redirected with the same path; the other requests go there. */
function moved({ redirects }: Exchange): string | undefined {
  const steps = redirects.map(({ location }) => parseUrl(location));
  return steps.findLast((step) => step?.protocol === 'https:' && step.pathname === ROBOTS.url)?.origin;
}
