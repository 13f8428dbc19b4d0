// Probed hosts: the report of a demo host, stored under many names.
import { createHash } from 'node:crypto';
import { built } from './built.mjs';

const { DETECTORS, HostEvidence, judgeHost, nextWave } = built('libs/detectors/src/index');
const { HostName } = built('libs/hosts/src/index');
const { assembleFacts, paymentRails, renderFacts } = built('libs/reports/src/index');
const { CHAINS } = built('libs/networks/src/index');
const { fullStore } = built('apps/standalone/src/demo/full-store');
const { apiOnly } = built('apps/standalone/src/demo/small-sites');

const PAY_TO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

/** The name of host number `index`, from 1. */
export const hostName = (index) => `h${index}.example.com`;

export const reportPath = (name) => `/api/v1/hosts/${name}`;

/** The result of probing the full store in stored form: `{ facts, rails, name }`. */
export const probeFullStore = () => probeAt(fullStore({ network: CHAINS['eip155:8453'], payTo: PAY_TO }));

/** The same for a host that sells a route and publishes little else, like most hosts. */
export const probeApi = () => probeAt(apiOnly({ network: CHAINS['eip155:8453'], payTo: PAY_TO }));

function probeAt(site, at = new Date()) {
  const { host } = HostName.parse(site.name);
  const given = { domain: site.name, origin: host.origin, site: host.site };
  const exchanges = [];
  for (const phase of ['presence', 'presence', 'presence', 'callability', 'callability', 'callability']) {
    const wave = nextWave(DETECTORS, phase, new HostEvidence({ ...given, exchanges }));
    const answerTo = ({ method, url, body = '' }) => site.answer({ method, path: new URL(url).pathname, body });
    exchanges.push(...wave.map((request) => answered(request, phase, answerTo(request), at)));
  }
  const seen = new HostEvidence({ ...given, exchanges });
  const rails = paymentRails(seen);
  const clocks = { probedAt: at.toISOString(), callabilityProbedAt: at.toISOString() };
  const probe = { host, origin: host.origin, reachable: true, ...judgeHost(DETECTORS, seen), rails, clocks };
  return { name: site.name, facts: renderFacts(assembleFacts(probe)), rails: rails.rails };
}

/** The exchange of an answered request, as in the evidence. */
export function answered({ method, url, body: requestBody }, phase, { status, headers = {}, body = '' }, at) {
  return {
    kind: 'answer',
    method,
    url,
    ...(requestBody === undefined ? {} : { requestBody }),
    phase,
    observedAt: at.toISOString(),
    redirects: [],
    finalUrl: url,
    status,
    headers: Object.entries(headers),
    body,
    bytes: Buffer.byteLength(body),
    sha256: createHash('sha256').update(body).digest('hex'),
    truncated: false,
  };
}

/** Stores the probe under the names 1 to `hosts`, as if probed now by this release. */
export async function storeHosts(pool, hosts, { facts, name } = probeFullStore()) {
  await pool.query(
    `INSERT INTO host (domain, site, version, facts, statement_id, facts_sha256, probed_at, callability_probed_at,
                       reachable, payable, updated_at)
     SELECT name, 'example.com', 1, facts, gen_random_uuid()::text, encode(sha256(convert_to(facts, 'UTF8')), 'hex'),
            now(), now(), true, true, now()
     FROM (SELECT name, replace($1, $2, name) AS facts
           FROM (SELECT 'h' || i || '.example.com' AS name FROM generate_series(1, $3::int) i) numbers) names`,
    [facts, name, hosts],
  );
  await pool.query('VACUUM ANALYZE host');
}
