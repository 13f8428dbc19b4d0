// Preloaded into a process. Makes it fail on certain signals, and adds routes to a gateway whose handlers fail outside
// their response.
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
  /** Never awaited, in a request that would never get a response. */
  floating: () => {
    void reject('a floating fault');
    return new Promise(() => undefined);
  },
  /** Rejects without an Error. */
  nothing: () => {
    void Promise.reject(undefined);
    return new Promise(() => undefined);
  },
  /** Fails after the response. */
  late: () => {
    void sleep(50).then(() => reject('a late fault'));
    return 'an answer';
  },
  /** Still running while the process ends. */
  slow: () => sleep(1_500).then(() => 'an answer'),
};

/** Fails during each request to a facilitator, in the request that pays. */
const send = globalThis.fetch;
globalThis.fetch = (input, init) => {
  if (/\/(?:verify|settle)$/.test(String(input))) void reject('a fault beside a sale');
  return send(input, init);
};

subscribe('fastify.initialization', ({ fastify }) => {
  for (const [name, handler] of Object.entries(FAULTS)) fastify.get(`/fault/${name}`, handler);
});
