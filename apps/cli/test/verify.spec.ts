import { createPrivateKey, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { DETECTORS, judgeHost } from '@app/detectors';
import { bundleText, keptExchanges, makeBundle } from '@app/evidence';
import {
  newSigningKey,
  membersOf,
  KEYS_PATH,
  publicJwkOf,
  sha256Of,
  shortHash,
  signJws,
  type StatementMembers,
} from '@app/signing';
import { assembleFacts, paymentRails, renderFacts } from '@app/reports';
import { runCommand } from '../../../test/support/command-line';
import { paywalled } from '../../../test/support/challenges';
import { plain } from '../../../test/support/evidence';
import { hostName } from '../../../test/support/report';
import { probeSite } from '../../../test/support/site';

/** The number of odd bundles, reports and statements to try, of each kind. */
const ODD = Number(process.env['ODD_FILES'] ?? 40);

const AT = '2026-11-01T12:00:00.000Z';

const ISSUER = 'https://probe.example.com';
const [key, stranger] = [newSigningKey(), newSigningKey()].map((pem) => createPrivateKey(pem));
const KEYS = JSON.stringify({ keys: [{ ...publicJwkOf(key!), kid: 'one', use: 'sig' }], revoked: [] });

describe('hostprobe verify', () => {
  const dir = mkdtempSync(join(tmpdir(), 'hostprobe-verify-'));
  const written = (name: string, content: string | Uint8Array): string => {
    writeFileSync(join(dir, name), content);
    return join(dir, name);
  };
  let files: { bundle: string; report: string; keys: string };
  let bytes: Buffer;
  let root: string;
  let report: string;
  let claims: StatementMembers;

  beforeAll(async () => {
    const seen = await probeSite({
      '/': paywalled(),
      '/llms.txt': plain('# Shop\n\n- [a](https://shop.example.com/a)\n'),
    });
    const judged = judgeHost(DETECTORS, seen);
    const facts = assembleFacts({
      host: hostName(),
      origin: seen.origin,
      reachable: true,
      ...judged,
      rails: paymentRails(seen),
      clocks: { probedAt: AT, callabilityProbedAt: AT },
    });
    report = renderFacts(facts);
    const subject = {
      domain: seen.domain,
      origin: seen.origin,
      prober: 'hostprobe/1',
      rules: facts.rules!.version,
      leftOut: 0,
    };
    const bundle = makeBundle(subject, keptExchanges(seen.exchanges, judged.cells), []);
    root = bundle.root;
    bytes = Buffer.from(bundleText(bundle.lines, bundle.bodies));
    claims = membersOf(
      {
        facts: report,
        clocks: { probedAt: AT, callabilityProbedAt: AT },
        id: 'run',
        sha256: Buffer.from(sha256Of(report), 'base64url').toString('hex'),
        evidence: { root, lines: bundle.lines.length },
      },
      'payment',
      ISSUER,
    );
    files = {
      bundle: written('bundle.jsonl', bytes),
      report: written('report.json', report),
      keys: written('keys.json', KEYS),
    };
  });

  /** A statement with changed members. */
  const statement = (changed: object = {}, by = key!): string =>
    written(
      `${randomUUID()}.jwt`,
      `${signJws({ ...claims, ...changed }, 'hostprobe-report+jwt', { kid: 'one', key: by })}\n`,
    );

  const verify = (...args: string[]) => runCommand(['verify', ...args], { env: {} });

  it('confirms that bundle and report match', async () => {
    const { code, out, err } = await verify(files.bundle, '--root', root, '--report', files.report);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain(`root ${root}`);
    expect(out).toMatch(/^x402 +same +present@2$/m);
    expect(out).not.toMatch(/differs|not rejudged/);
    expect(await verify(files.bundle, '--root', shortHash(root))).toMatchObject({ code: 0, err: '' });
    expect(await verify(files.bundle)).toMatchObject({
      code: 0,
      err: 'the root was not compared with anything: give --statement, or the expected --root\n',
    });
  });

  it('ends with 8 when the detectors reach another result', async () => {
    const facts = JSON.parse(report) as {
      protocols: { id: string; status: string }[];
      paymentRails: { rails: { amount: string }[] };
    };
    const forged = facts.protocols.map((cell) => (cell.id === 'ucp' ? { ...cell, status: 'present' } : cell));
    const better = written('better.json', JSON.stringify({ ...facts, protocols: forged }));
    const { code, out } = await verify(files.bundle, '--report', better);
    expect(code).toBe(8);
    expect(out).toMatch(/^ucp +differs +stated present, judged absent$/m);
    facts.paymentRails.rails[0]!.amount = '1';
    const cheaper = written('cheaper.json', JSON.stringify(facts));
    expect(await verify(files.bundle, '--report', cheaper)).toMatchObject({
      code: 8,
      out: expect.stringMatching(/^paymentRails +differs/m) as string,
    });
  });

  it('ends with 9 for another root and for an invalid bundle, and with 2 for a missing file', async () => {
    expect(await verify(files.bundle, '--root', 'f'.repeat(64))).toMatchObject({ code: 9, out: '' });
    expect(await verify(files.report)).toMatchObject({ code: 9, out: '' });
    expect(await verify(join(dir, 'none'))).toMatchObject({
      code: 2,
      err: expect.stringMatching(/cannot read .* \(ENOENT\)/) as string,
    });
    expect(await verify(files.bundle, '--root', 'f')).toMatchObject({ code: 2 });
    expect(await verify(files.bundle, '--report', files.bundle)).toMatchObject({ code: 2 });
  });

  const signed = (token: string, keys = files.keys) => ['--statement', token, '--keys', keys];

  it('confirms that bundle and statement match, with or without the report', async () => {
    for (const more of [[], ['--report', files.report]]) {
      const { code, out, err } = await verify(files.bundle, ...signed(statement()), ...more);
      expect([code, err]).toEqual([0, '']);
      expect(out).not.toMatch(/differs|not rejudged/);
      expect(out).toMatch(more.length > 0 ? /^paymentRails +same/m : /^rails +same +1 options/m);
      expect(out).toContain(`signed by ${ISSUER}`);
    }
  });

  it.each([
    [
      'another cell',
      () => ({ cells: { ...claims.cells, ucp: 'present@2026-08-25' } }),
      /^ucp +differs +stated present@/m,
    ],
    ['another payee', () => ({ rails: [{ ...(claims.rails as object[])[0], to: '0x00' }] }), /^rails +differs/m],
  ])('ends with 8 for a statement with %s', async (_, changed, row) => {
    const forged = statement(changed());
    const differs = { code: 8, out: expect.stringMatching(row) as string };
    expect(await verify(files.bundle, ...signed(forged))).toMatchObject(differs);
  });

  it('ends with 8 when the statement contradicts a cell of the report it names', async () => {
    const forged = statement({ cells: { ...claims.cells, ucp: 'present' } });
    const { code, out } = await verify(files.bundle, ...signed(forged), '--report', files.report);
    expect([code, out]).toEqual([8, expect.stringMatching(/^ucp +differs +stated present, judged absent$/m)]);
    expect(out.match(/^ucp /gm)).toHaveLength(1);
  });

  it('does not compare payment options with a bundle of a later probe', async () => {
    const { out } = await verify(files.bundle, ...signed(statement({ iat: 1, rails: [] })));
    expect(out).not.toMatch(/^rails/m);
  });

  it.each([
    ['another root', () => ({ evidence: { ...claims.evidence, root: shortHash('f'.repeat(64)) } }), /has another root/],
    ['another number of lines', () => ({ evidence: { ...claims.evidence, n: 4 } }), /another number of lines/],
    ['another host', () => ({ sub: 'https://other.example.com' }), /about another host/],
    ['no evidence', () => ({ evidence: undefined }), /contains no evidence/],
  ])('ends with 9 for a statement with %s', async (_, changed, sentence) => {
    const end = await verify(files.bundle, ...signed(statement(changed())));
    expect(end).toEqual({ code: 9, out: '', err: expect.stringMatching(sentence) as string });
  });

  it('ends with 9 for a statement signed with another key, an invalid one, and a report that it does not name', async () => {
    const refused = (code: string) => ({
      code: 9,
      out: '',
      err: expect.stringContaining(`failed verification: ${code}`) as string,
    });
    expect(await verify(files.bundle, ...signed(statement({}, stranger)))).toEqual(refused('signature'));
    expect(await verify(files.bundle, ...signed(files.report))).toEqual(refused('not_a_statement'));
    const other = written('other.json', report.replace('shop', 'ship'));
    expect(await verify(files.bundle, ...signed(statement()), '--report', other)).toMatchObject({ code: 9 });
    // Invalid UTF-8 decodes to the replacement character.
    const replaced = report.replace('shop', 'sh\uFFFDp');
    const of = { report: { ...claims.report, sha256: sha256Of(replaced) } };
    const bytes = Buffer.from(replaced.replace('\uFFFD', '\u00ff'), 'latin1');
    const args = [files.bundle, ...signed(statement(of)), '--report', written('bytes.json', bytes)];
    expect(await verify(...args)).toMatchObject({
      code: 9,
      err: expect.stringContaining('about another report') as string,
    });
  });

  it('fetches the keys of a service by its URL, and then accepts only what that service signed', async () => {
    let answer = KEYS;
    const server = createServer((request, response) => {
      response.writeHead(request.url === KEYS_PATH ? 200 : 404).end(answer);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const own = statement({ iss: url });
    try {
      for (const keys of [url, `${url}/`, `${url}${KEYS_PATH}`]) {
        expect(await verify(files.bundle, ...signed(own, keys))).toMatchObject({ code: 0, err: '' });
      }
      expect(await verify(files.bundle, ...signed(statement(), url))).toMatchObject({
        code: 9,
        err: expect.stringContaining('failed verification: issuer') as string,
      });
      answer = ' '.repeat(65_536) + KEYS;
      expect(await verify(files.bundle, ...signed(own, url))).toMatchObject({ code: 4, out: '' });
      expect(await verify(files.bundle, ...signed(own, `${url}/other`))).toMatchObject({ code: 4, out: '' });
    } finally {
      server.close();
    }
    expect(await verify(files.bundle, ...signed(own, url))).toMatchObject({ code: 4, out: '' });
    expect(await verify(files.bundle, ...signed(own, 'http://probe.example.com'))).toMatchObject({ code: 2 });
  });

  describe('of a host', () => {
    let url: string;
    let answers: Record<string, string | Uint8Array>;
    const server = createServer((request, response) => {
      const answer = answers[request.url ?? ''];
      const error = JSON.stringify({ error: 'No valid statement for this host.', code: 'statement_expired' });
      response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(answer ?? error);
    });
    const verifyHost = (domain: string, ...more: string[]) => verify(domain, '--url', url, ...more);

    beforeAll(async () => {
      await once(server.listen(0, '127.0.0.1'), 'listening');
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    });
    afterAll(() => server.close());
    beforeEach(() => {
      const token = signJws({ ...claims, iss: url }, 'hostprobe-report+jwt', { kid: 'one', key: key! });
      answers = {
        [KEYS_PATH]: KEYS,
        '/api/v1/hosts/shop.example.com/statement': token,
        '/api/v1/hosts/other.example.com/statement': token,
        [`/api/v1/hosts/shop.example.com/evidence/${claims.evidence!.root}`]: bytes,
        [`/api/v1/hosts/shop.example.com/reports/${claims.report!.sha256}`]: report,
      };
    });

    it('fetches what the service publishes, judges it again, and saves it for later', async () => {
      const folder = join(dir, 'saved');
      const { code, out, err } = await verifyHost('https://shop.example.com/', '--save', folder);
      expect(code).toBe(0);
      expect(out).toMatch(/^shop\.example\.com {2}probed on \d+ \w+ \d{4} at \d\d:\d\d UTC$/m);
      expect(out).toContain(`✓ signed by ${url}, expired on 1 November 2026 at 12:15 UTC\n`);
      expect(out).toContain('✓ the report is the one that the statement names\n');
      expect(out).toMatch(/^✓ (\d+) of \1 results reproduced by the detectors of this release$/m);
      const [, again = ''] = /^to verify again offline: hostprobe verify (.*)\n$/.exec(err) ?? [];
      expect(await verify(...again.split(' '))).toEqual({ code: 0, out, err: '' });
    });

    it('ends with 4 without a valid statement, and with 9 for what is not what was signed', async () => {
      expect(await verifyHost('third.example.com')).toEqual({
        code: 4,
        out: '',
        err: 'the service replied: No valid statement for this host.\n',
      });
      expect(await verifyHost('other.example.com')).toMatchObject({
        code: 9,
        err: 'the statement is about another host\n',
      });
      const stranger = written('stranger.json', KEYS.replace('"one"', '"two"'));
      expect(await verifyHost('shop.example.com', '--keys', stranger)).toMatchObject({
        code: 9,
        err: 'the statement failed verification: unknown_kid\n',
      });
      for (const path of Object.keys(answers).filter((one) => /evidence|reports/.test(one))) {
        const right = answers[path]!;
        answers[path] = path.includes('reports') ? '{}' : Buffer.from(right).fill(0x31, 20, 21);
        expect(await verifyHost('shop.example.com')).toMatchObject({ code: 9, out: '' });
        answers[path] = right;
      }
    });

    it('ends with 2 without a service, and with files beside one', async () => {
      expect(await verify('shop.example.com')).toMatchObject({
        code: 2,
        err: expect.stringMatching(/add --url/) as string,
      });
      expect(await verifyHost('shop.example.com', '--report', files.report)).toMatchObject({ code: 2 });
      expect(await verify(files.bundle, '--save', dir)).toMatchObject({ code: 2 });
      expect(await verifyHost('localhost')).toMatchObject({ code: 3 });
    });
  });

  it('requires the keys of a statement, and ends with 2 for an invalid key file', async () => {
    expect(await verify(files.bundle, '--statement', statement())).toMatchObject({ code: 2 });
    expect(await verify(files.bundle, '--keys', files.keys)).toMatchObject({ code: 2 });
    expect(await verify(files.bundle, ...signed(statement(), files.report))).toMatchObject({ code: 2 });
  });

  /** Values that an attacker may write anywhere: unexpected types, and sequences that control a terminal. */
  const odd = fc.oneof(
    fc.constantFrom<unknown>('', 'http://[', '../../etc/passwd', '\u001b]0;x\u0007\u009b2J\u202e', 'a'.repeat(99_999)),
    fc.constantFrom<unknown>(
      null,
      true,
      0,
      -1,
      1e300,
      999,
      [],
      {},
      { '\u001b]0;x\u0007': 'present' },
      [null],
      { root: 1 },
      { sha256: null, n: 'x' },
    ),
    fc.constant<unknown>('@deep@'),
    fc.jsonValue(),
  );
  const spot: fc.Arbitrary<Spot> = fc.record({ at: fc.nat(), odd });
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const textOf = (value: unknown): string => JSON.stringify(value).replaceAll('"@deep@"', deep);

  interface Spot {
    readonly at: number;
    readonly odd: unknown;
  }

  /** A value with one part of it replaced. */
  function disturbed(value: unknown, { at, odd: by }: Spot): unknown {
    if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return by;
    const names = Object.keys(value);
    const [name, below] = [names[at % names.length]!, Math.floor(at / names.length)];
    if (below % 4 === 0) return Array.isArray(value) ? [...(value as unknown[]), by] : { ...value, [name]: by };
    const inner = disturbed((value as Record<string, unknown>)[name], { at: Math.floor(below / 4), odd: by });
    return Array.isArray(value)
      ? value.map((one: unknown, index) => (String(index) === name ? inner : one))
      : { ...value, [name]: inner };
  }

  it.each([
    [
      'bundle',
      (at: Spot) => {
        const lines = bytes.toString().slice(0, -1).split('\n');
        const one = at.at % lines.length;
        lines[one] = textOf(disturbed(JSON.parse(lines[one]!), { ...at, at: Math.floor(at.at / lines.length) }));
        return [written('odd.jsonl', `${lines.join('\n')}\n`), '--report', files.report];
      },
    ],
    [
      'report',
      (at: Spot) => [files.bundle, '--report', written('odd.json', textOf(disturbed(JSON.parse(report), at)))],
    ],
    [
      'statement',
      (at: Spot) => {
        const said = disturbed({ ...claims }, at) as object;
        return [files.bundle, ...signed(statement(JSON.stringify(said).length > 2_000 ? {} : said))];
      },
    ],
  ])('ends with an exit code and writes no control sequences, whatever a %s contains', async (_, argumentsOf) => {
    await fc.assert(
      fc.asyncProperty(spot, async (at) => {
        const { code, out, err } = await verify(...argumentsOf(at));
        expect([0, 2, 8, 9]).toContain(code);
        // eslint-disable-next-line no-control-regex
        expect(out + err).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
        expect(out.length + err.length).toBeLessThan(200_000);
      }),
      { numRuns: ODD },
    );
  });

  it('ends with 9 for a bundle that is longer than any real one', async () => {
    const file = written('long.jsonl', Buffer.alloc(33 * 1_048_576, 10));
    expect(await verify(file)).toMatchObject({ code: 9, err: 'the file is too large for a bundle\n' });
  });
});
