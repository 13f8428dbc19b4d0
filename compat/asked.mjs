// Lists the challenges that the clients are tested with: those of the fixture hosts, and generated ones. A challenge with several
// options is also tested with each option alone, because a client uses the first one that it supports.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { changedChallenges, generatedChallenges } from './challenges.mjs';
import { framedChallenges } from './frames.mjs';

const HEADER = 'payment-required';

/** Returns the challenge as `whole`. If it has several options, `alone` has the same challenge with each one alone. */
export const withEachAlone = (whole) => ({ whole, alone: [...optionsOf(whole), ...linesOf(whole)] });

function optionsOf({ status, headers, body }) {
  const inHeader = challengeIn(Buffer.from([headers[HEADER] ?? ''].flat()[0], 'base64').toString('utf8'));
  if (inHeader) {
    const framed = (challenge) => Buffer.from(JSON.stringify(challenge), 'utf8').toString('base64');
    return inHeader.map((challenge) => ({ status, headers: { ...headers, [HEADER]: framed(challenge) }, body }));
  }
  return (challengeIn(body) ?? []).map((challenge) => ({ status, headers, body: JSON.stringify(challenge) }));
}

function challengeIn(text) {
  try {
    const challenge = JSON.parse(text);
    const options = challenge.accepts.length > 1 ? challenge.accepts : [];
    return options.map((option) => ({ ...challenge, accepts: [option] }));
  } catch {
    return undefined;
  }
}

function linesOf({ status, headers, body }) {
  const lines = [headers['www-authenticate'] ?? []].flat();
  return lines.length > 1 ? lines.map((line) => ({ status, headers: { 'www-authenticate': [line] }, body })) : [];
}

/** Files of `test/fixtures/hosts` that contain payment challenges, and where the response contains them. */
const FIXTURES = [
  ['x402-first-version/challenge.json', 'body'],
  ['x402-several-networks/challenge.json', HEADER],
  ['x402-several-networks/quotes.json', HEADER],
  ['mpp-beside-x402/challenge.json', HEADER],
  ['wallet-sign-in-wall/challenge.json', HEADER],
];

function fixtureChallenges() {
  return FIXTURES.map(([file, at]) => {
    const path = join(import.meta.dirname, '../test/fixtures/hosts', file);
    const text = readFileSync(path, 'utf8');
    if (at === 'body') return { status: 402, headers: {}, body: text };
    return { status: 402, headers: { [at]: Buffer.from(text, 'utf8').toString('base64') }, body: '{}' };
  });
}

/** Everything that is recorded for a seed. */
export const askedChallenges = (seed, count) =>
  [...fixtureChallenges(), ...changedChallenges(), ...framedChallenges(), ...generatedChallenges(seed, count)].map(
    withEachAlone,
  );
