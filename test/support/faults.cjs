// Preloaded into a process: signals on which it goes wrong, and in a gateway routes whose handlers do so beside their answers.
const { subscribe } = require('node:diagnostics_channel');
const { setTimeout: sleep } = require('node:timers/promises');

const reject = async (message) => {
  await sleep(1);
  throw new Error(message);
};
process.on('SIGUSR2', () => void reject('a fault in the background'));
process.on('SIGHUP', () => {
  throw new Error('a thrown fault');
});

const FAULTS = {
  /** Awaited too late. */
  stored: async () => {
    const begun = reject('a stored fault');
    await sleep(20);
    await begun.catch(() => undefined);
    return 'an answer';
  },
  /** Never awaited, in a request that would never be answered. */
  floating: () => {
    void reject('a floating fault');
    return new Promise(() => undefined);
  },
  /** Not even an error. */
  nothing: () => {
    void Promise.reject(undefined);
    return new Promise(() => undefined);
  },
  /** After the answer. */
  late: () => {
    void sleep(50).then(() => reject('a late fault'));
    return 'an answer';
  },
  /** Under way while the process ends. */
  slow: () => sleep(1_500).then(() => 'an answer'),
};

/** Beside each request to a facilitator, in the request that pays. */
const send = globalThis.fetch;
globalThis.fetch = (input, init) => {
  if (/\/(?:verify|settle)$/.test(String(input))) void reject('a fault beside a sale');
  return send(input, init);
};

subscribe('fastify.initialization', ({ fastify }) => {
  for (const [name, handler] of Object.entries(FAULTS)) fastify.get(`/fault/${name}`, handler);
});
