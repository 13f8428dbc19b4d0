// The processor time of each detector for a megabyte of the worst input, including parsing: `npm run bench --
// detectors`.
import { at, median } from './measuring/figures.mjs';
import { built } from './stage/built.mjs';
import { answered } from './stage/stored-hosts.mjs';

const { DETECTORS, HostEvidence, nextWave, runDetector } = built('libs/detectors/src/index');

const MEGABYTE = 1_048_576;
const ROUNDS = 15;
const GIVEN = { domain: 'shop.example.com', origin: 'https://shop.example.com', site: 'example.com' };

const fill = (unit) => unit.repeat(Math.ceil(MEGABYTE / unit.length)).slice(0, MEGABYTE);
const list = (head, item, tail) =>
  head +
  fill(item)
    .replace(/[^}\]]*$/, '')
    .replace(/,$/, '') +
  tail;

/** One megabyte each: nesting, many fields, long strings, long lines, near matches of every pattern. */
const BODIES = {
  'one string': JSON.stringify({ name: fill('a') }),
  'nested arrays': fill('['),
  'deep objects': fill('{"a":'),
  'many members': `{${Array.from({ length: 19_000 }, (_, i) => `"member${i}":"${'x'.repeat(35)}"`).join(',')}}`,
  'too many members': `{${Array.from({ length: 60_000 }, (_, i) => `"m${i}":0`).join(',')}}`,
  'equal members': `{${fill('"ucp":{},').slice(0, -9)}}`,
  'ucp entries': `{"ucp":{"version":"2026-08-25","services":{"dev.ucp.shopping":[{"transport":"rest","endpoint":"https://shop.example.com/x"}]},"capabilities":{${Array.from({ length: 3_000 }, (_, i) => `"dev.ucp.c${i}":[{"version":"2026-08-25","schema":"https://ucp.dev/${'s'.repeat(250)}"}]`).join(',')}},"payment_handlers":{}}}`,
  'card skills': list(
    '{"name":"a","url":"https://shop.example.com/a2a","skills":[',
    `{"id":"s","name":"${'n'.repeat(150)}","description":"d"},`,
    ']}',
  ),
  'x402 options': list(
    '{"x402Version":2,"accepts":[',
    `{"scheme":"exact","network":"eip155:8453","amount":"1","payTo":"0x","asset":"${'0'.repeat(90)}"},`,
    ']}',
  ),
  'x402 routes': list('{"x402Version":2,"resources":[', `{"url":"https://shop.example.com/${'r'.repeat(160)}"},`, ']}'),
  'signing keys': list('{"keys":[', `{"kty":"OKP","crv":"Ed25519","x":"${'A'.repeat(160)}"},`, ']}'),
  'openapi paths': `{"openapi":"3.1.0","info":{"title":"a","version":"1"},"paths":{${Array.from({ length: 4_000 }, (_, i) => `"/p${i}/${'s'.repeat(180)}":{"get":{"x-payment-info":{"protocols":["x402"]}}}`).join(',')}}}`,
  'mcp servers': list('{"servers":[', `{"url":"https://shop.example.com/${'m'.repeat(150)}"},`, ']}'),
  'yaml keys': `openapi: 3.0.3\npaths:\n${fill('  /path-of-some-length: {get: {summary: text}}\n')}`,
  'yaml anchors': `openapi: 3.0.3\na: &a [x]\n${fill('b: [*a, *a, *a, *a]\n')}`,
  'yaml flow': `openapi: 3.0.3\npaths: ${fill('{a: ')}`,
  'map of links': `# Shop\n${fill('- [a](https://shop.example.com/a): note\n')}`,
  'open brackets': `# Shop\n${fill('[')}`,
  'one line of links': `# Shop\n${fill('[a] (')}`,
  'HTML page': `<!doctype html><title>Shop</title>${fill('<p>text</p>')}`,
  'inline paywall': `<!doctype html><script>window.x402 = {${fill('paymentRequirements: [{')}`,
  'white space': fill(' \n'),
  'replacement characters': fill('\uFFFD'),
};

const AT = new Date('2026-11-01T12:00:00Z');
const answerOf = (request, body, phase, status) =>
  answered(request, phase, { status, headers: { 'content-type': 'application/json' }, body }, AT);

/** The exchanges of a probe in which one detector gets the body for every request; the control pair is normal. */
function exchangesOf(detector, body, status) {
  const exchanges = [answerOf({ method: 'GET', url: `${GIVEN.origin}/${'0'.repeat(32)}.txt` }, '', 'presence', 404)];
  for (const phase of ['presence', 'presence', 'callability']) {
    const wave = nextWave([detector], phase, new HostEvidence({ ...GIVEN, exchanges }));
    // One megabyte in total: other requests get 404.
    for (const request of wave) {
      const first = !exchanges.some((exchange) => exchange.status !== 404);
      exchanges.push(first ? answerOf(request, body, phase, status) : answerOf(request, '', phase, 404));
    }
  }
  return exchanges;
}

const ms = (value) => value.toFixed(1).padStart(7);
const rows = [];
for (const detector of DETECTORS) {
  for (const [name, body] of Object.entries(BODIES)) {
    for (const status of [200, 402]) {
      const exchanges = exchangesOf(detector, body, status);
      const times = Array.from({ length: ROUNDS }, () => {
        // Processor time, so that other load on the machine does not matter.
        const started = process.cpuUsage();
        runDetector(detector, new HostEvidence({ ...GIVEN, exchanges }));
        const { user, system } = process.cpuUsage(started);
        return (user + system) / 1_000;
      });
      rows.push({ id: detector.id, name: `${name}, ${status}`, median: median(times), worst: at(times, 1) });
    }
  }
}
process.stdout.write(
  `detector       median ms  worst of ${ROUNDS}  slowest input of ${rows.length / DETECTORS.length} (1 MB each)\n`,
);
for (const { id } of DETECTORS) {
  const slowest = rows.filter((row) => row.id === id).sort((a, b) => b.median - a.median)[0];
  process.stdout.write(`${id.padEnd(12)}   ${ms(slowest.median)}     ${ms(slowest.worst)}      ${slowest.name}\n`);
}
process.exitCode = rows.some((row) => row.median > 50) ? 1 : 0;
