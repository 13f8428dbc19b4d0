/** A published figure about a day of a census: its definition and denominator, and the exact query. */
export interface Figure {
  readonly id: string;
  readonly title: string;
  /** The counted hosts. */
  readonly definition: string;
  /** The total that they are compared with. */
  readonly denominator: string;
  /** The meaning of row names that are not self-explanatory. */
  readonly means?: Readonly<Record<string, string>>;
  /**
   * A query over the tables of a release, and the previous release as `earlier_probes` and `earlier_cells`. It returns
   * rows of `name`, `hosts` and `total`.
   */
  readonly sql: string;
}

const PUBLISHED = `status IN ('present', 'partial') AND NOT catch_all`;
const ANSWERED = `outcome IN ('found', 'nothing')`;
const ASKED = `outcome IN ('found', 'nothing', 'blocked', 'unreachable')`;
const PAID = `protocol IN ('x402', 'mpp') AND ${PUBLISHED}`;
/** The maximum number of rows of an open-ended list. */
const MOST = 15;

/** Sorted by hosts, descending; equal ones by name in code point order. */
const ranked = (sql: string, most?: number): string =>
  `SELECT name, hosts, total FROM (${sql}) AS counted ORDER BY hosts DESC, name COLLATE "C"${most === undefined ? '' : ` LIMIT ${most}`}`;

/** The publishers of x402 or MPP on a day. */
const sellers = (cells: string): string => `SELECT DISTINCT domain FROM ${cells} WHERE ${PAID}`;
const change = (protocol: string, way: string, from: string, without: string): string =>
  `SELECT domain, ${protocol} AS protocol, '${way}' AS way FROM ${from} EXCEPT SELECT domain, ${protocol}, '${way}' FROM ${without}`;

/** Every figure of a release. */
export const FIGURES: readonly Figure[] = [
  {
    id: 'outcomes',
    title: 'How hosts answered',
    definition: 'Hosts by outcome.',
    denominator: 'All hosts of the lists that had not opted out.',
    means: {
      found: 'publishes at least one protocol',
      nothing: 'answered, but publishes no protocol',
      blocked: 'blocked the prober',
      unreachable: 'did not answer',
      unwanted: 'asked not to be probed',
      not_probed: 'abandoned, because the request budget of the host was used up or the probe failed',
    },
    sql: ranked(`SELECT outcome AS name, count(*) AS hosts, (SELECT count(*) FROM probes) AS total
FROM probes GROUP BY outcome`),
  },
  {
    id: 'adoption',
    title: 'Adoption of each protocol',
    definition:
      'Hosts where the protocol is present or partial. Hosts that give the same response for any path do not count.',
    denominator: 'Hosts that answered: found or nothing.',
    sql: ranked(`SELECT protocol AS name, count(*) AS hosts, (SELECT count(*) FROM probes WHERE ${ANSWERED}) AS total
FROM cells JOIN probes USING (domain) WHERE ${ANSWERED} AND ${PUBLISHED} GROUP BY protocol`),
  },
  {
    id: 'dead',
    title: 'Dead hosts, by definition',
    definition: 'Hosts that are dead by each definition.',
    denominator:
      'Stated in each definition. Requested hosts are those with the outcome found, nothing, blocked or unreachable.',
    means: {
      no_answer: 'did not answer, of the requested hosts',
      no_answer_or_refused: 'did not answer or blocked the prober, of the requested hosts',
      nothing_found: 'published nothing, of the requested hosts',
      lost: 'does not answer now, of the hosts that published x402 or MPP in the previous release and were requested again',
      no_challenge: 'did not answer with a payment challenge, of the hosts that publish x402 or MPP',
      not_payable: 'offers no payment option that passes every check, of the hosts that publish x402 or MPP',
    },
    sql: `WITH asked AS (SELECT domain, outcome FROM probes WHERE ${ASKED}),
sellers AS (${sellers('cells')}),
earlier AS (SELECT domain, outcome FROM asked JOIN (${sellers('earlier_cells')}) AS sold USING (domain))
SELECT 'no_answer' AS name, (SELECT count(*) FROM asked WHERE outcome = 'unreachable') AS hosts, (SELECT count(*) FROM asked) AS total
UNION ALL SELECT 'no_answer_or_refused', (SELECT count(*) FROM asked WHERE outcome IN ('unreachable', 'blocked')), (SELECT count(*) FROM asked)
UNION ALL SELECT 'nothing_found', (SELECT count(*) FROM asked WHERE outcome <> 'found'), (SELECT count(*) FROM asked)
UNION ALL SELECT 'lost', (SELECT count(*) FROM earlier WHERE outcome = 'unreachable'), (SELECT count(*) FROM earlier)
UNION ALL SELECT 'no_challenge', (SELECT count(*) FROM sellers WHERE NOT EXISTS (SELECT 1 FROM rails WHERE rails.domain = sellers.domain)), (SELECT count(*) FROM sellers)
UNION ALL SELECT 'not_payable', (SELECT count(*) FROM sellers WHERE NOT EXISTS (SELECT 1 FROM rails WHERE rails.domain = sellers.domain AND payable)), (SELECT count(*) FROM sellers)`,
  },
  {
    id: 'payable',
    title: 'Payable hosts',
    definition:
      'Hosts that publish x402 or MPP; of these, hosts that answered with a payment challenge; of these, hosts with a payment option that passes every check.',
    denominator: 'Hosts that answered: found or nothing.',
    means: {
      published: 'publishes x402 or MPP',
      challenged: 'answered a request with a payment challenge',
      payable: 'can be paid',
      testnet_only: 'can be paid only on test networks',
    },
    sql: `WITH answered AS (SELECT domain, payable FROM probes WHERE ${ANSWERED})
SELECT 'published' AS name, (SELECT count(*) FROM answered WHERE domain IN (${sellers('cells')})) AS hosts, (SELECT count(*) FROM answered) AS total
UNION ALL SELECT 'challenged', (SELECT count(*) FROM answered WHERE domain IN (SELECT domain FROM rails)), (SELECT count(*) FROM answered)
UNION ALL SELECT 'payable', (SELECT count(*) FROM answered WHERE payable), (SELECT count(*) FROM answered)
UNION ALL SELECT 'testnet_only', (SELECT count(*) FROM answered WHERE payable
AND NOT EXISTS (SELECT 1 FROM rails WHERE rails.domain = answered.domain AND rails.payable AND NOT testnet)), (SELECT count(*) FROM answered)`,
  },
  {
    id: 'payers',
    title: 'Clients that can pay them',
    definition:
      'Hosts with a payment option that passes every check and that the client can pay; the clients with the most hosts.',
    denominator: 'Hosts with a payment option that passes every check.',
    sql: ranked(
      `SELECT client AS name, count(DISTINCT domain) AS hosts, (SELECT count(DISTINCT domain) FROM rails WHERE payable) AS total
FROM rails, unnest(string_to_array(clients, ',')) AS paying(client) WHERE payable AND client <> ''
GROUP BY client`,
      MOST,
    ),
  },
  {
    id: 'networks',
    title: 'Payment networks',
    definition: 'Hosts with a payment option on the network that passes every check; the networks with the most hosts.',
    denominator: 'Hosts with a payment option that passes every check.',
    sql: ranked(
      `SELECT coalesce(network, 'not stated') AS name, count(DISTINCT domain) AS hosts,
(SELECT count(DISTINCT domain) FROM rails WHERE payable) AS total
FROM rails WHERE payable GROUP BY coalesce(network, 'not stated')`,
      MOST,
    ),
  },
  {
    id: 'prices',
    title: 'Prices',
    definition:
      'Hosts by their cheapest payment option in US dollars that passes every check and is not on a test network.',
    denominator: 'Hosts with such an option whose asset has a known price.',
    sql: `WITH priced AS (SELECT domain, min(CASE WHEN amount_usd ~ '^[0-9]+([.][0-9]+)?$' THEN CAST(amount_usd AS DOUBLE PRECISION) END) AS usd
FROM rails WHERE payable AND NOT testnet GROUP BY domain),
steps AS (SELECT domain, CASE WHEN usd < 0.001 THEN 1 WHEN usd < 0.01 THEN 2 WHEN usd < 0.1 THEN 3 WHEN usd < 1 THEN 4 WHEN usd < 10 THEN 5 ELSE 6 END AS step
FROM priced WHERE usd IS NOT NULL)
SELECT CASE step WHEN 1 THEN 'below 0.001' WHEN 2 THEN '0.001 to 0.01' WHEN 3 THEN '0.01 to 0.1' WHEN 4 THEN '0.1 to 1' WHEN 5 THEN '1 to 10' ELSE '10 and more' END AS name,
count(*) AS hosts, (SELECT count(*) FROM steps) AS total FROM steps GROUP BY step ORDER BY step`,
  },
  {
    id: 'failures',
    title: 'Why probes fail',
    definition: 'Hosts without a result, by reason.',
    denominator: 'All hosts of the lists that had not opted out.',
    sql: ranked(
      `SELECT CASE WHEN reason IS NULL THEN outcome ELSE outcome || ': ' || reason END AS name, count(*) AS hosts, (SELECT count(*) FROM probes) AS total
FROM probes WHERE NOT ${ANSWERED} GROUP BY outcome, reason`,
      MOST,
    ),
  },
  {
    id: 'undecided',
    title: 'Why some checks were inconclusive',
    definition: 'Hosts with a cell of status error, by reason; a host counts once per reason.',
    denominator: 'Hosts that were probed in full.',
    sql: ranked(
      `SELECT coalesce(cells.reason, 'not stated') AS name, count(DISTINCT domain) AS hosts, (SELECT count(*) FROM probes WHERE probed = 'full') AS total
FROM cells WHERE status = 'error' GROUP BY coalesce(cells.reason, 'not stated')`,
      MOST,
    ),
  },
  {
    id: 'findings',
    title: 'Most common problems',
    definition: 'Hosts that publish a protocol and have this fix for it; the fixes with the most hosts.',
    denominator: 'Hosts that publish the protocol of the fix.',
    sql: ranked(
      `WITH published AS (SELECT domain, protocol, fixes FROM cells WHERE ${PUBLISHED})
SELECT fix AS name, count(DISTINCT domain) AS hosts, max(publishers) AS total
FROM published JOIN (SELECT protocol, count(*) AS publishers FROM published GROUP BY protocol) AS counted USING (protocol),
unnest(string_to_array(fixes, ',')) AS told(fix) WHERE fix <> '' GROUP BY protocol, fix`,
      MOST,
    ),
  },
  {
    id: 'signals',
    title: 'Related signals',
    definition: 'Hosts with a valid signal.',
    denominator: 'Hosts that were probed in full.',
    sql: ranked(
      `SELECT signal AS name, count(*) AS hosts, (SELECT count(*) FROM probes WHERE probed = 'full') AS total
FROM signals WHERE status = 'valid' GROUP BY signal`,
      MOST,
    ),
  },
  {
    id: 'drift',
    title: 'Changes since the previous release',
    definition:
      'Hosts that publish a protocol, or can be paid, in only one of the two releases. Cells that are inconclusive in either release do not count.',
    denominator: 'Hosts that answered (found or nothing) in both releases.',
    sql: ranked(`WITH both_days AS (SELECT probes.domain, probes.payable AS is_paid, earlier_probes.payable AS was_paid FROM probes
JOIN earlier_probes ON earlier_probes.domain = probes.domain
WHERE probes.${ANSWERED} AND earlier_probes.${ANSWERED}),
now_there AS (SELECT domain, protocol FROM cells WHERE ${PUBLISHED}),
was_there AS (SELECT domain, protocol FROM earlier_cells WHERE ${PUBLISHED}),
undecided AS (SELECT domain, protocol FROM cells WHERE status = 'error' UNION SELECT domain, protocol FROM earlier_cells WHERE status = 'error'),
changed AS ((${change('protocol', 'appeared', 'now_there', 'was_there')}) UNION ALL (${change('protocol', 'gone', 'was_there', 'now_there')})
UNION ALL SELECT domain, 'payable', 'appeared' FROM both_days WHERE is_paid AND NOT was_paid
UNION ALL SELECT domain, 'payable', 'gone' FROM both_days WHERE was_paid AND NOT is_paid)
SELECT protocol || ' ' || way AS name, count(*) AS hosts, (SELECT count(*) FROM both_days) AS total
FROM changed JOIN both_days USING (domain)
WHERE NOT EXISTS (SELECT 1 FROM undecided WHERE undecided.domain = changed.domain AND undecided.protocol = changed.protocol)
GROUP BY protocol, way`),
  },
];
