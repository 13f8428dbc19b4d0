// Synthetic hosts of a census, the same at each run: shares are about those that censuses publish, and every kind of value occurs.
const PROTOCOLS = ['llms', 'mcp', 'a2a', 'x402', 'mpp', 'ucp', 'openapi'];
const STATUSES = ['present', 'present', 'partial', 'absent', 'absent', 'undiscoverable', 'error'];
const REASONS = ['timeout', 'bot_challenge', 'too_large', undefined];
const FAILURES = [
  'unreachable:timeout',
  'unreachable:dns_nxdomain',
  'unreachable:tls_error',
  'blocked:bot_challenge',
  'unwanted',
  'not_probed',
];
const NETWORKS = ['eip155:8453', 'eip155:137', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', 'eip155:84532', null];
const PRICES = ['0.0005', '0.001', '0.0099', '0.01', '0.5', '1', '12.5', '1e3', null];
const CLIENTS = ['@x402/fetch 2.27', '@x402/fetch 2.11', 'mppx 0.11', '@faremeter/fetch 0.22'];

/** Numbers by a seed (mulberry32). */
function numbers(seed) {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** The host of a number on a day: what came of it, and what was found. */
export function hostOf(at, day) {
  const below = numbers(at * 2 + (at % 10 === 0 ? Date.parse(day) / 86_400_000 : 0));
  const one = (list) => list[below(list.length)];
  const row = {
    domain: `h${at}.s${at % 5_000}.example`,
    site: `s${at % 5_000}.example`,
    list: 'synthetic',
    probedAt: new Date(day),
  };
  const kind = below(100);
  if (kind < 15) return { ...row, outcome: one(FAILURES), finding: null };
  const request = {
    method: 'GET',
    url: `https://${row.domain}/`,
    phase: 'presence',
    status: 200,
    bytes: 1_000,
    sha256: 'ab'.repeat(32),
  };
  const base = { rules: '2026-11-22', signs: [], requests: Array.from({ length: 7 }, () => request) };
  if (kind < 80)
    return {
      ...row,
      outcome: 'nothing',
      finding: { ...base, probed: 'first', cells: {}, payable: false, rails: [], signals: [] },
    };
  const cells = Object.fromEntries(PROTOCOLS.map((protocol) => [protocol, cellOf(protocol, one, below)]));
  const rails = Array.from({ length: below(3) }, () => railOf(row.domain, one, below));
  const signals = ['x402-dns', 'agents-txt'].map((id) => ({ id, status: one(['valid', 'faulty', 'absent']) }));
  const found = Object.values(cells).some(({ status, catchAll }) => /^p/.test(status) && !catchAll);
  const finding = { ...base, probed: 'full', cells, payable: rails.some(({ payable }) => payable), rails, signals };
  return { ...row, outcome: found ? 'found' : 'nothing', finding };
}

function cellOf(protocol, one, below) {
  const status = one(STATUSES);
  const reason = status === 'error' ? one(REASONS) : undefined;
  const fixes = status === 'partial' ? [`${protocol}.partial`, `${protocol}.rule_${below(4)}`] : undefined;
  return { status, ...(reason && { reason }), ...(fixes && { fixes }), ...(below(20) === 0 && { catchAll: true }) };
}

function railOf(domain, one, below) {
  const network = one(NETWORKS);
  const payable = below(3) > 0;
  return {
    protocol: one(['x402', 'mpp']),
    network,
    testnet: network === 'eip155:84532',
    asset: null,
    amount: '1000',
    amountUsd: one(PRICES),
    payTo: null,
    resource: `https://${domain}/api`,
    payable,
    reasons: payable ? [] : ['asset_unknown'],
    clients: CLIENTS.filter(() => below(2) === 0),
  };
}
