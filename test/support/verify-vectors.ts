import { createHash, createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto';
import type { Exchange } from '@app/detectors';
import { bundleText, includedLine, keptExchanges, makeBundle, rootOf } from '@app/evidence';
import { shortHash } from '@app/signing';
import { exchange, failure, html, json, plain } from './evidence';

export const ISSUER = 'https://probe.example.com';
export const ORIGIN = 'https://shop.example.com';
/** 1 November 2026. */
export const IAT = 1_793_534_400;

/** A case of docs/verify/vectors.json. */
export interface Vector {
  readonly name: string;
  readonly kind: 'statement' | 'bundle' | 'line';
  readonly expected: string;
  readonly [member: string]: unknown;
}

/** A publicly known key, used only for these cases. */
export function keyOf(name: string): KeyObject {
  const seed = createHash('sha256').update(`hostprobe test vector ${name}`).digest();
  const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  return createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
}

function jwkOf(name: string, more: object = {}): object {
  const { x } = createPublicKey(keyOf(name)).export({ format: 'jwk' });
  return { kty: 'OKP', crv: 'Ed25519', x, kid: name, use: 'sig', ...more };
}

const base64url = (value: unknown): string =>
  (Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value))).toString('base64url');

function token(header: object, payload: unknown, by = 'current'): string {
  const signed = `${base64url({ alg: 'EdDSA', typ: 'hostprobe-report+jwt', kid: 'current', ...header })}.${base64url(payload)}`;
  return `${signed}.${sign(null, Buffer.from(signed), keyOf(by)).toString('base64url')}`;
}

/** A body that is not text. */
function image(): Exchange {
  const raw = Buffer.of(0xff, 0xd8, 0xff, 0xe0);
  const sha256 = createHash('sha256').update(raw).digest('hex');
  return { ...exchange('GET', `${ORIGIN}/image`, plain(raw.toString())), bytes: raw.length, sha256, raw } as Exchange;
}

const { root, lines, bodies } = makeBundle(
  { domain: 'shop.example.com', origin: ORIGIN, prober: 'hostprobe/0.2.0', rules: '2026-11-22', leftOut: 0 },
  keptExchanges(
    [
      exchange(
        'GET',
        `${ORIGIN}/`,
        html('<!doctype html><title>Lämps</title>', { headers: { 'set-cookie': 'sid=1' } }),
      ),
      exchange('GET', `${ORIGIN}/llms.txt`, plain('# Shop\n')),
      exchange('GET', `${ORIGIN}/bell`, plain('\u0007 rings \\u001F \u001f')),
      image(),
      exchange('GET', `${ORIGIN}/again.txt`, plain('# Shop\n')),
      exchange('GET', `${ORIGIN}/empty`, plain('')),
      exchange('POST', `${ORIGIN}/pay`, json({ error: 'pay' }, { status: 402 }), '{}'),
      exchange('GET', `${ORIGIN}/gone`, failure('timeout')),
    ],
    [],
  ),
  [],
);
export const BUNDLE_TEXT = bundleText(lines, bodies);
export const CLAIMS = {
  iss: ISSUER,
  sub: ORIGIN,
  iat: IAT,
  exp: IAT + 900,
  jti: 'run',
  evidence: { alg: 'rfc9162-sha256', root: shortHash(root), n: lines.length },
};

const statement = (name: string, expected: string, text: string, now = IAT + 60): Vector => ({
  name,
  kind: 'statement',
  statement: text,
  issuer: ISSUER,
  origin: ORIGIN,
  now,
  expected,
});
const bundle = (name: string, expected: string, text: string): Vector => ({
  name,
  kind: 'bundle',
  bundle: text,
  root,
  expected,
});
const line = (name: string, expected: string, changed: object = {}, index = 5): Vector => ({
  name,
  kind: 'line',
  line: { ...includedLine(root, lines, index), ...changed },
  root,
  expected,
});

const good = token({}, CLAIMS);
/** The next character of the alphabet has bits that belong to no byte. */
const nextCharacter = (last: string): string => String.fromCharCode(last.charCodeAt(0) + 1);

/** A statement with its header in another notation, with a valid signature. */
function respelled(statement: string, change: (header: string) => string): string {
  const [head = '', payload = ''] = statement.split('.');
  const signed = `${base64url(Buffer.from(change(Buffer.from(head, 'base64url').toString())))}.${payload}`;
  return `${signed}.${sign(null, Buffer.from(signed), keyOf('current')).toString('base64url')}`;
}

/** The content of docs/verify/vectors.json. */
export function verifyVectors(): { readonly keys: object; readonly cases: readonly Vector[] } {
  return {
    keys: { keys: [jwkOf('current'), jwkOf('former', { 'hostprobe:iat_before': IAT })], revoked: [] },
    cases: [
      statement('a statement', 'ok', good),
      statement('before the key was retired', 'ok', token({ kid: 'former' }, { ...CLAIMS, iat: IAT - 1 }, 'former')),
      statement('after the key was retired', 'key_retired', token({ kid: 'former' }, CLAIMS, 'former')),
      statement('of another type', 'typ', token({ typ: 'JWT' }, CLAIMS)),
      statement('without an algorithm', 'alg', token({ alg: 'none' }, CLAIMS)),
      statement('with a shared secret', 'alg', token({ alg: 'HS256' }, CLAIMS)),
      statement('with its own key', 'header', token({ jwk: jwkOf('stranger') }, CLAIMS, 'stranger')),
      statement('with an unknown critical header', 'header', token({ crit: ['b64'] }, CLAIMS)),
      statement(
        'with a member twice',
        'header',
        respelled(good, (head) => head.replace('{', '{"alg":"none",')),
      ),
      statement(
        'with a byte order mark',
        'header',
        respelled(good, (head) => `\uFEFF${head}`),
      ),
      statement('of an unknown key', 'unknown_kid', token({ kid: 'stranger' }, CLAIMS, 'stranger')),
      statement('signed with another key', 'signature', token({}, CLAIMS, 'stranger')),
      statement(
        'with other claims under the signature',
        'signature',
        good.replace(/\..*\./, `.${base64url({ ...CLAIMS, iat: IAT - 9 })}.`),
      ),
      statement('with a signature in another spelling', 'signature', good.replace(/.$/, nextCharacter)),
      statement('without claims', 'payload', token({}, [])),
      statement('with an end beyond the calendar', 'payload', token({}, { ...CLAIMS, exp: 253_402_300_800 })),
      statement('without a time', 'payload', token({}, { ...CLAIMS, iat: undefined })),
      statement('of another issuer', 'issuer', token({}, { ...CLAIMS, iss: 'https://other.example.com' })),
      statement('about another host', 'subject', token({}, { ...CLAIMS, sub: 'https://other.example.com' })),
      statement('from the future', 'from_the_future', good, IAT - 61),
      statement('that has expired', 'stale', good, IAT + 900),
      statement('that is too long', 'not_a_statement', token({}, { ...CLAIMS, more: 'x'.repeat(4_096) })),
      statement('of two parts', 'not_a_statement', good.slice(0, good.lastIndexOf('.'))),
      bundle('a bundle', 'ok', BUNDLE_TEXT),
      bundle('with a body withheld', 'ok', BUNDLE_TEXT.replace(/"text":"# Shop\\n"/, '"withheld":"opt_out"')),
      bundle('with a body missing', 'ok', BUNDLE_TEXT.replace(/\{"body":"[0-9a-f]{64}","text":"# Shop\\n"\}\n/, '')),
      bundle('with another status', 'root', BUNDLE_TEXT.replace('"status":402', '"status":200')),
      bundle('with another reason', 'root', BUNDLE_TEXT.replace('"timeout"', '"tls_error"')),
      bundle('with another body', 'body', BUNDLE_TEXT.replace('# Shop', '# Ship')),
      { ...bundle('under its root as statements write it', 'ok', BUNDLE_TEXT), root: shortHash(root) },
      bundle(
        'with a reason that there is not',
        'malformed',
        BUNDLE_TEXT.replace(/"text":"# Shop\\n"/, '"withheld":"opt-out"'),
      ),
      bundle('with a body in another spelling', 'body', BUNDLE_TEXT.replace('\\u001f', '\\u001F')),
      bundle('with base64 in another spelling', 'body', BUNDLE_TEXT.replace('"/9j/4A=="', '"/9j/4B=="')),
      bundle('with a space in the line of a body', 'body', BUNDLE_TEXT.replace('"text":"# Shop', '"text": "# Shop')),
      bundle('with an extra body', 'body', `${BUNDLE_TEXT}{"body":"${'0'.repeat(64)}","text":""}\n`),
      bundle(
        'with its last line twice',
        'root',
        `${[...lines, lines.at(-1)].join('\n')}\n`.replace('"lines":9', '"lines":10'),
      ),
      bundle('with a body twice', 'body', BUNDLE_TEXT.replace(/(\{"body":.*\n)/, '$1$1')),
      bundle('with bodies in another order', 'body', BUNDLE_TEXT.replace(/(\{"body":.*\n)(.*\n)/, '$2$1')),
      bundle('with more lines than it has', 'malformed', BUNDLE_TEXT.replace('"lines":9', '"lines":1000000000')),
      { ...bundle('without a line, under the root of an empty list', 'malformed', '{"lines":0}\n'), root: rootOf([]) },
      bundle('that ends within a line', 'malformed', BUNDLE_TEXT.slice(0, -1)),
      bundle('with a line that is not JSON', 'malformed', `${BUNDLE_TEXT}{\n`),
      line('a line: this 402 was seen', 'ok'),
      line('the head', 'ok', {}, 0),
      line('the last line', 'ok', {}, lines.length - 1),
      line('another line', 'root', { line: lines[4] }),
      line('at another index', 'root', { index: 4 }),
      line('in another size', 'root', { size: 5 }),
      line('with a path in another spelling', 'root', {
        path: includedLine(root, lines, 5)!.path.map((hash) => hash.toUpperCase()),
      }),
      line('with a path that is too short', 'root', { path: includedLine(root, lines, 5)!.path.slice(1) }),
    ],
  };
}
