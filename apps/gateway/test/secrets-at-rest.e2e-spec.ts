import { randomUUID } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { createSIWxPayload, encodeSIWxHeader, type SIWxExtension } from '@x402/extensions/sign-in-with-x';
import { Client } from 'pg';
import { generatePrivateKey } from 'viem/accounts';
import { loadConfig } from '@app/config';
import { Database, EvidenceRepository, ReportKeyRepository } from '@app/storage';
import { acceptV2, base64, challengeV2 } from '../../../test/support/challenges';
import { leakedKeys } from '../../../test/support/leaked-keys';
import { newPayer, signPayment, type Payer } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { says, startTestHost, type TestHost } from '../../../test/support/test-host';
import { until } from '../../../test/support/until';

const [KEY, NEXT] = [generatePrivateKey(), generatePrivateKey()];
/** Keys of each format that hosts publish by mistake, one host for each. */
const LEAKS = leakedKeys('at rest');

/** A host that publishes a text wherever a report could quote it. */
function showing(text: string): Parameters<typeof startTestHost>[0] {
  const json = (value: unknown) => says(JSON.stringify(value), { 'content-type': 'application/json' });
  const said = { name: text, description: text, title: text, version: '1', note: text };
  const url = 'https://shop.example.com/a';
  return {
    '/': says(`<!doctype html><title>${text}</title><p>${text}</p>`, { 'content-type': 'text/html' }),
    '/llms.txt': says(`# ${text}\n\n- [${text}](${url}): ${text}\n`),
    '/.well-known/ucp': json({ ucp: { ...said, version: '2026-01-11' }, wallet: { privateKey: text } }),
    '/.well-known/agent-card.json': json({ ...said, url, skills: [{ id: text, ...said }] }),
    '/.well-known/x402': json({ ...said, resources: [`${url}/${encodeURIComponent(text)}`] }),
    '/openapi.json': json({ openapi: '3.1.0', info: said, paths: { '/a': { get: said } } }),
    '/robots.txt': says(`User-agent: *\n# ${text}\n`),
  };
}

/**
 * Everything in a copy of the database as text: every column of every row of every schema, including gzip and base64
 * content such as the parts of a JWS.
 */
async function copyOf(database: Client): Promise<string> {
  const tables = await database.query<{ name: string }>(
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
     WHERE table_schema NOT IN ('pg_catalog', 'information_schema')`,
  );
  const texts: string[] = [];
  for (const { name } of tables.rows) {
    const { rows } = await database.query<Record<string, unknown>>(`SELECT * FROM ${name}`);
    for (const value of rows.flatMap((row) => Object.values(row))) {
      if (!Buffer.isBuffer(value)) texts.push(typeof value === 'string' ? value : JSON.stringify(value));
      else texts.push(value.toString('latin1'), value[0] === 0x1f ? gunzipSync(value).toString() : '');
    }
  }
  const encoded = texts.flatMap((text) => text.match(/[\w+/-]{40,}/g) ?? []);
  return [...texts, ...encoded.map((text) => Buffer.from(text, 'base64').toString('latin1'))].join('\n').toLowerCase();
}

/** Columns whose names suggest a secret. */
const TELLING = /secret|token|payment|identifier|nonce|digest|signature|private|pem|credential|(?:^|_)key/;
/** Those of these columns that are not secret, and why. */
const HARMLESS: Readonly<Record<string, string>> = {
  'claim.key_hash': 'SHA-256 of 32 random bytes',
  'limit_counter.key': 'says whose requests are counted',
  'payment_attempt.nonce': 'stands on the chain, and is of use with the signature alone',
  'payment_attempt.payload_digest': 'SHA-256 of a signed payment, which has 65 random bytes',
  'sign_in_nonce.nonce': 'was used',
  'subscription.key_hash': 'SHA-256 of 32 random bytes',
  'subscription.payment_digest': 'as in payment_attempt',
  'watch.key_hash': 'SHA-256 of 32 random bytes',
  'watch.former_secret': 'sealed to the workers',
  'watch.payment_digest': 'as in payment_attempt',
  'watch.secret': 'sealed to the workers',
};
const SEALED_OR_HASHED = /^(?:sealed:[\w-]{40,}|hmac:[\w-]{43})$/;

/** A token in a URL, or in the response of that URL. */
const token = (where: string): string => `${where}-${randomUUID()}`;
const CHECKED = { query: token('query'), path: token('path'), post: token('post'), challenge: token('challenge') };
const RECEIVER = { url: token('url'), query: token('query'), answer: token('answer'), refusal: token('refusal') };

/** With the queue in Postgres, where the database contains more than with Redis. */
describe('a copy of the database', () => {
  let service: Service;
  let hosts: readonly TestHost[];
  let receiver: TestHost;
  let client: Client;
  const name = randomUUID();
  /** Everything that buyers sent and received: payments, subscription keys, a sign-in. */
  const bought: string[] = [];

  beforeAll(async () => {
    receiver = await startTestHost({
      '*': (request, response) => {
        if (request.url?.startsWith('/check')) {
          const accepts = [acceptV2({ resource: CHECKED.challenge })];
          says('{}', { 'payment-required': base64(challengeV2(accepts)) }, 402)(request, response);
        } else if (request.url?.startsWith('/refuses')) says(RECEIVER.refusal, {}, 500)(request, response);
        else says(RECEIVER.answer)(request, response);
      },
    });
    hosts = await Promise.all(LEAKS.map(({ text }) => startTestHost(showing(text))));
    service = await startService({
      connectTo: [
        ...hosts.map((host, index) => host.as(`${LEAKS[index]!.form}.example.com`)),
        receiver.as('hooks.example.com'),
      ],
      env: { SECRETS_KEY: KEY },
    });
    await service.admitted();
    client = new Client({ connectionString: service.config.database.url });
    await client.connect();
    // A few at a time: a busy machine answers too late to many probes of one site.
    for (let at = 0; at < LEAKS.length; at += 4)
      await Promise.all(LEAKS.slice(at, at + 4).map(({ form }) => buy(`hosts/${form}.example.com/refresh`, 'GET')));
    const { payer, key } = await buy('hosts/pgp.example.com/subscription', 'POST', { 'idempotency-key': name });
    bought.push(key!, ...(await drawKey(payer)));
    for (const [path, method] of [
      [`/check?token=${CHECKED.query}`, 'GET'],
      [`/check/${CHECKED.path}`, 'GET'],
      [`/check?token=${CHECKED.post}`, 'POST'],
    ] as const) {
      const url = encodeURIComponent(`https://hooks.example.com${path}`);
      await buy(`endpoints/health?url=${url}&method=${method}`, 'GET');
    }
    for (const path of [`takes/${RECEIVER.url}`, `refuses?token=${RECEIVER.query}`])
      await buy('watches', 'POST', {}, { domain: 'pgp.example.com', url: `https://hooks.example.com/${path}` });
    await until('both receivers answered', async () => {
      const { rows } = await client.query('SELECT FROM alert_delivery WHERE tried_at IS NOT NULL');
      return rows.length === 2;
    });
  });
  afterAll(async () => {
    await client.end();
    await service.stop();
    await Promise.all([...hosts, receiver].map((host) => host.close()));
  });

  const at = (path: string): string => `${service.baseUrl}/api/v1/${path}`;

  async function buy(
    path: string,
    method: 'GET' | 'POST',
    named = {},
    body?: object,
  ): Promise<{ payer: Payer; key?: string }> {
    const payer = await newPayer(10_000_000n);
    const headers = { ...named, ...(body && { 'content-type': 'application/json' }) };
    const request = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const payment = await signPayment(payer, await fetch(at(path), request));
    const answer = await fetch(at(path), { ...request, headers: { ...headers, 'payment-signature': payment } });
    expect(answer.status).toBe(200);
    const read = JSON.parse(Buffer.from(payment, 'base64').toString()) as { payload: { signature: string } };
    bought.push(payment, read.payload.signature.slice(2));
    return { payer, ...((await answer.json()) as { key?: string }) };
  }

  /** The wallet signs in and rotates the key. @returns the new key and the sign-in */
  async function drawKey({ account }: Payer): Promise<readonly string[]> {
    const url = at('hosts/pgp.example.com/subscription');
    const { extensions } = (await (await fetch(url)).json()) as { extensions: { 'sign-in-with-x': SIWxExtension } };
    const asked = { ...extensions['sign-in-with-x'].info, chainId: 'eip155:8453', type: 'eip191' as const };
    const signIn = await createSIWxPayload(asked, account, url);
    const header = encodeSIWxHeader(signIn);
    const drawn = await fetch(`${url}/key`, { method: 'POST', headers: { 'sign-in-with-x': header } });
    const { key } = (await drawn.json()) as { key: string };
    expect((await fetch(url, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
    return [key, header, signIn.signature.slice(2)];
  }

  it('reveals no payments, tokens in URLs or answers, purchase names, subscription keys, sign-ins, service keys, or keys that a host published by mistake', async () => {
    const copy = await copyOf(client);
    const { rows } = await client.query<{ purpose: string }>('SELECT purpose FROM server_secret ORDER BY purpose');
    expect(rows.map(({ purpose }) => purpose)).toEqual(['data_key', 'prober_key', 'subscription_key', 'webhook_key']);
    const database = new Database(service.config.database.url, service.config.database);
    const own = await Promise.all(
      (['data_key', 'prober_key', 'subscription_key', 'webhook_key'] as const).map((purpose) =>
        database.secrets.obtain(purpose),
      ),
    );
    const reportKeys = (await new ReportKeyRepository(database).list()).map(({ pem }) => pem);
    expect(reportKeys).not.toEqual([]);
    const pemBodies = [own[1]!, ...reportKeys].map((pem) => pem.split('\n')[1]!);
    const secrets = [...bought, name, KEY, own[0]!, ...pemBodies, own[2]!, ...LEAKS.map(({ secret }) => secret)];
    secrets.push(...Object.values(CHECKED), ...Object.values(RECEIVER));
    expect(secrets.every((secret) => secret.length >= 20)).toBe(true);
    expect(secrets.filter((secret) => copy.includes(secret.toLowerCase()))).toEqual([]);
    expect(await new EvidenceRepository(database).findExchanges('pgp.example.com')).not.toEqual([]);
    await database.close();
  });

  it('has encrypted or keyed values in every secret column', async () => {
    const columns = await client.query<{ table_name: string; column_name: string }>(
      `SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'`,
    );
    const telling = columns.rows.filter(({ column_name: column }) => TELLING.test(column));
    const names = telling.map(({ table_name: table, column_name: column }) => `${table}.${column}`).sort();
    const held = [
      'payment_attempt.payment',
      'payment_attempt.payment_identifier',
      'report_key.secret',
      'server_secret.secret',
    ];
    expect(names).toEqual([...Object.keys(HARMLESS), ...held].sort());
    for (const name of held) {
      const [table, column] = name.split('.');
      const { rows } = await client.query<{ value: string | { sealed?: string } | null }>(
        `SELECT "${column}" AS value FROM "${table}"`,
      );
      const values = rows.flatMap(({ value }) =>
        value === null ? [] : typeof value === 'string' ? value : (value.sealed ?? JSON.stringify(value)),
      );
      expect(values.length).toBeGreaterThan(0);
      expect(values.filter((value) => !SEALED_OR_HASHED.test(value))).toEqual([]);
    }
  });

  it('can be decrypted with a new key after a process had both, and no longer with the old one', async () => {
    const { url } = service.config.database;
    const open = (env: Readonly<Record<string, string>>) =>
      new Database(url, loadConfig({ DATABASE_URL: url, ...env }).database);
    const [both, next, old] = [
      open({ SECRETS_KEY: NEXT, SECRETS_KEY_FORMER: KEY }),
      open({ SECRETS_KEY: NEXT }),
      open({ SECRETS_KEY: KEY }),
    ];
    await expect(open({ SECRETS_KEY: NEXT }).secrets.vault()).rejects.toThrow('SECRETS_KEY cannot decrypt');
    await both.secrets.vault();
    await next.secrets.vault();
    await expect(old.secrets.vault()).rejects.toThrow('SECRETS_KEY cannot decrypt the secrets in this database');
    expect(await new EvidenceRepository(next).findExchanges('pgp.example.com')).not.toEqual([]);
    await Promise.all([both.close(), next.close(), old.close()]);
  });
});
