// `npm run compat:alerts`: a worker creates messages of each type, with one secret and with two, and Svix's own code verifies them.
// (Svix 2 calls the Standard Webhooks library, which npm test already covers.) Fails if Svix accepts an invalid message or rejects a
// valid one. Takes two seconds.
import assert from 'node:assert/strict';
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { Webhook } from 'svix';
import { built } from '../../bench/stage/built.mjs';

const { ALERT_TYPES, newWebhookSecret, VERIFY_TYPE, WebhookKeys } = built('libs/owners/src/index');
const { sealSecret } = built('libs/storage/src/index');
const { attempt } = built('apps/worker/src/schedule/attempt');

const MESSAGES = 700;
const KEYS = new WebhookKeys(randomUUID());

/** The message that a worker sends for an alert. */
async function sentFor(type, secrets) {
  const watch = randomUUID();
  const alert = {
    ...{ id: `msg_${randomUUID().replaceAll('-', '')}`, type, at: new Date(randomInt(2 ** 40)) },
    ...{ domain: `${'a'.repeat(1 + randomInt(63))}.xn--caf-dma.example`, seq: randomInt(1e6) },
    ...{ coalesced: randomInt(2) ? randomInt(1e4) : null, subject: randomBytes(24).toString('hex') },
  };
  let message;
  const sender = {
    send: async (_url, headers, body) => {
      message = { headers, body };
      return { kind: 'answer', status: 204, retryAfter: '', body: '' };
    },
  };
  const sealed = secrets.map((secret) => sealSecret(KEYS.published.sealing, watch, secret));
  const due = { watch, url: 'https://hooks.example.com/', secrets: sealed, alert, failures: 0, inARow: 0 };
  await attempt({ sender, keys: [KEYS], baseUrl: 'https://probe.example.com' }, due);
  return message;
}

const types = [VERIFY_TYPE, ...ALERT_TYPES];
for (let n = 0; n < MESSAGES; n += 1) {
  const type = types[n % types.length];
  const secrets = Array.from({ length: 1 + randomInt(2) }, newWebhookSecret);
  const { headers, body } = await sentFor(type, secrets);
  for (const secret of secrets) assert.equal(new Webhook(secret).verify(body, headers).type, type);
  const refuses = (secret, text, more) =>
    assert.throws(() => new Webhook(secret).verify(text, { ...headers, ...more }), {
      name: 'WebhookVerificationError',
    });
  refuses(newWebhookSecret(), body);
  refuses(secrets[0], body.replace('{', '{ '));
  refuses(secrets[0], body, { 'webhook-id': 'msg_other' });
  refuses(secrets[0], body, { 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 1) });
}
process.stdout.write(`${MESSAGES} messages of ${types.length} types: Svix verifies each, and none that was changed\n`);
