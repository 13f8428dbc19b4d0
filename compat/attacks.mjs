// Generated purchases that must not be signed: all kinds that packages/guard/test/clients.spec.ts has for EVM, also for Solana.
import { getAddressDecoder } from '@solana/kit';
import fc from 'fast-check';
import { drawnIssuer } from './issuer.mjs';
import { MINTS, TOKENS } from './sound.mjs';

const ISSUER_URL = 'https://hostprobe.example';
const issuer = drawnIssuer(ISSUER_URL);
export const ISSUER = { issuer: ISSUER_URL, keys: issuer.keys, states: issuer.states };

const bytes = (size) => fc.uint8Array({ minLength: size, maxLength: size });
const ADDRESSES = {
  eip155: bytes(20).map((drawn) => `0x${Buffer.from(drawn).toString('hex')}`),
  solana: bytes(32).map((drawn) => getAddressDecoder().decode(drawn)),
};
const now = () => Math.floor(Date.now() / 1_000);
const seconds = (min) => fc.integer({ min, max: 100_000 });
/** Names that resemble a host name: look-alike letters, another case, another form. */
const resembling = (hostname) => [
  hostname.replace('o', '\u043e'),
  hostname.replace('l', '1'),
  hostname.toUpperCase(),
  `${hostname}.`,
  `${hostname}@${hostname}`,
  `www.${hostname}`,
];
const changed = (text, at) => `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;

const swapped = (letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase());

/** The payment that the host asks for. */
function challenges(terms) {
  const [family] = terms.network.split(':');
  const price = BigInt(terms.amount);
  const address = ADDRESSES[family];
  const dearer = fc.bigInt({ min: price + 1n, max: 6n * price }).map(String);
  const networks = [...TOKENS, ...MINTS].map(([network, , asset]) => ({ network, asset }));
  const elsewhere = networks.filter(({ network, asset }) => network !== terms.network || asset !== terms.asset);
  // Case does not matter in an Ethereum address, but it does in a Solana address.
  const known = (payee) => (family === 'eip155' ? payee.toLowerCase() : payee);
  const letters = [...terms.payTo].flatMap((letter, at) => (at > 1 && /[a-z]/i.test(letter) ? [at] : []));
  const kinds = {
    'another payee': address.map((payTo) => ({ payTo })),
    'a higher amount': dearer.map((amount) => ({ amount })),
    'a higher amount with other decimals': fc
      .tuple(dearer, fc.nat(24))
      .map(([amount, decimals]) => ({ amount, extra: { ...terms.extra, decimals } })),
    'more than the buyer allows': fc
      .bigInt({ min: 1_000_001n, max: 10n ** 18n })
      .map((amount) => ({ amount: `${amount}` })),
    'another asset': address.map((asset) => ({ asset })),
    'another network or token': fc.constantFrom(...elsewhere),
    'a payee that resembles it': fc
      .constantFrom(...letters)
      .map((at) => ({ payTo: changed(terms.payTo, at) }))
      .filter(({ payTo }) => known(payTo) !== known(terms.payTo)),
    ...(family === 'solana' && {
      'a payee in another case': fc
        .constantFrom(...letters)
        .map((at) => ({ payTo: `${terms.payTo.slice(0, at)}${swapped(terms.payTo[at])}${terms.payTo.slice(at + 1)}` })),
    }),
    ...(family === 'eip155' && {
      'Permit2 for another': address.map((payTo) => ({
        payTo,
        extra: { ...terms.extra, assetTransferMethod: 'permit2' },
      })),
    }),
  };
  return Object.entries(kinds).map(([name, kind]) => [name, kind.map((asked) => ({ asked }))]);
}

/** Statements about a host that is honest itself. */
function statements(origin, rails) {
  const { protocol, hostname } = new URL(origin);
  const claims = (made) => made.map((said) => ({ statement: () => issuer.states(origin, rails, said()) }));
  const about = (other) => other.map((subject) => ({ statement: () => issuer.states(subject, rails) }));
  return Object.entries({
    'a statement that ended': claims(seconds(1).map((ago) => () => ({ iat: now() - 900 - ago, exp: now() - ago }))),
    'a statement that is too old': claims(seconds(901).map((ago) => () => ({ iat: now() - ago, exp: now() + 900 }))),
    'a statement of tomorrow': claims(
      seconds(70).map((ahead) => () => ({ iat: now() + ahead, exp: now() + ahead + 900 })),
    ),
    'a statement of another issuer': claims(fc.domain().map((domain) => () => ({ iss: `https://${domain}` }))),
    'a host that was not probed': claims(
      fc.constantFrom('not_probed:budget', 'unreachable:timeout').map((outcome) => () => ({ outcome, rails: [] })),
    ),
    'a forged statement': fc.nat().map((drawn) => ({
      statement: () => {
        const good = issuer.states(origin, rails);
        return changed(good, drawn % good.length);
      },
    })),
    'a statement of a stranger': fc
      .constantFrom('key-1', 'key-2')
      .map((kid) => ({ statement: () => drawnIssuer(ISSUER_URL, kid).states(origin, rails) })),
    'a statement about another host': about(fc.domain().map((domain) => `https://${domain}`)),
    'a statement about a name that resembles it': about(
      fc.constantFrom(...resembling(hostname)).map((name) => `${protocol}//${name}`),
    ),
    'no statement': fc.constantFrom(undefined, '', 'not found').map((text) => ({ statement: () => text })),
  });
}

/** Changes between challenge and signature. The second and third need a client with a hook. */
function ways(terms, hasHook) {
  const elsewhere = fc.domain().map((domain) => `https://${domain}/v1/quote`);
  const address = ADDRESSES[terms.network.split(':')[0]];
  const others = [...TOKENS, ...MINTS].filter(
    ([network, , asset]) => network === terms.network && asset !== terms.asset,
  );
  return Object.entries({
    'a redirect to another origin': elsewhere.map((from) => ({ from })),
    ...(hasHook && {
      'a resource of another origin': elsewhere.map((resource) => ({ resource })),
      'a later hook that changes the payee': address.map((payTo) => ({ tamper: { payTo } })),
      'a later hook that changes the amount': fc
        .bigInt({ min: BigInt(terms.amount) + 1n, max: 6n * BigInt(terms.amount) })
        .map((amount) => ({ tamper: { amount: `${amount}`, maxAmountRequired: `${amount}` } })),
      'a later hook that changes the token': fc.constantFrom(...others).map(([, , asset]) => ({ tamper: { asset } })),
    }),
  });
}

/**
 * `[kind, attacks]` for one client, the same in every run.
 * @param count minimum number of attacks in total
 */
export function attacksOn({ terms, hasHook }, { origin, rails, count }) {
  const kinds = [...challenges(terms), ...statements(origin, rails), ...ways(terms, hasHook)];
  const numRuns = Math.ceil(count / kinds.length);
  return kinds.map(([name, kind]) => [name, fc.sample(kind, { numRuns, seed: 1 })]);
}
