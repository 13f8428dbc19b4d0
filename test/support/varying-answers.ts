import fc from 'fast-check';
import type { Reply } from './evidence';
import type { MemoryRequest } from './memory-host';

/** A page or message that differs slightly between requests, like real catch-all answers. */
export interface VaryingAnswer {
  readonly kind: 'html' | 'json' | 'text' | 'markdown' | 'rpc' | 'empty';
  /** Number of words on the page in addition to the message. */
  readonly words: number;
  readonly nonce: { readonly alphabet: string; readonly min: number; readonly max: number } | undefined;
  /** The position of the nonce, as a fraction of the constant text. */
  readonly at: number;
  readonly echo: keyof typeof ECHOES | 'none';
  readonly clock: 'iso' | 'epoch' | 'counter' | 'none';
  /** Whether fields, lines or elements are in another order each time. */
  readonly shuffled: boolean;
  readonly message: string;
}

const ALPHABETS = [
  '0123456789',
  '0123456789abcdef',
  '0123456789abcdefghijklmnopqrstuvwxyz',
  'ABCDEFGHIJKLMNOPQRSTUVWXYZ',
  'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_',
  'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/',
] as const;

/** How servers repeat the requested path. */
const ECHOES = {
  raw: (path: string) => path,
  url: (path: string) => `https://shop.example.com${path}`,
  encoded: (path: string) => encodeURIComponent(path),
  base64: (path: string) => Buffer.from(path).toString('base64'),
  base64url: (path: string) => Buffer.from(path).toString('base64url'),
  hex: (path: string) => Buffer.from(path).toString('hex'),
  upper: (path: string) => path.toUpperCase(),
  escaped: (path: string) => path.replaceAll('/', '\\/'),
  entities: (path: string) => path.replaceAll('/', '&#x2F;'),
  name: (path: string) => path.split('/').at(-1) ?? '',
  segments: (path: string) => path.split('/').join(' > '),
  reversed: (path: string) => Array.from(path).reverse().join(''),
} as const satisfies Readonly<Record<string, (path: string) => string>>;

const WORDS =
  'lamps shades bulbs brass table floor reading light warm shop catalogue delivery returns help contact about'.split(
    ' ',
  );

export const varyingAnswer = (
  messages: readonly string[],
  kinds: readonly VaryingAnswer['kind'][],
): fc.Arbitrary<VaryingAnswer> =>
  fc.record({
    kind: fc.constantFrom(...kinds),
    words: fc.oneof(fc.constant(0), fc.nat(16), fc.nat(400)),
    nonce: fc.option(
      fc
        .tuple(fc.constantFrom(...ALPHABETS), fc.integer({ min: 1, max: 40 }), fc.nat(8))
        .map(([alphabet, min, more]) => ({ alphabet, min, max: Math.min(40, min + (more < 6 ? 0 : more)) })),
      { nil: undefined, freq: 5 },
    ),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    echo: fc.constantFrom('none', ...(Object.keys(ECHOES) as (keyof typeof ECHOES)[])),
    clock: fc.constantFrom('none', 'iso', 'epoch', 'counter'),
    shuffled: fc.boolean(),
    message: fc.constantFrom(...messages),
  });

/** Random numbers from 0 to below 1 that only depend on a seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The answer to request number `count`. */
export function say(answer: VaryingAnswer, request: MemoryRequest, count: number, draw: () => number): Reply {
  const fields = varyingFields(answer, request, count);
  const order = <T>(list: readonly T[]): readonly T[] =>
    answer.shuffled
      ? list
          .map((item) => [draw(), item] as const)
          .sort(([a], [b]) => a - b)
          .map(([, item]) => item)
      : list;
  const token = nonceOf(answer, draw);
  // If the order changes, the nonce is part of an element; otherwise it is anywhere in the constant text.
  const varied = answer.shuffled
    ? { ...answer, message: inserted(answer.message, Math.floor(answer.at * answer.message.length), token) }
    : answer;
  const text = TEXTS[answer.kind](varied, fields, order);
  const constant = TEXTS[answer.kind](answer, [], order).length;
  const type = { html: 'text/html', json: 'application/json', rpc: 'application/json', markdown: 'text/markdown' };
  return {
    headers: { 'content-type': (type as Readonly<Record<string, string>>)[answer.kind] ?? 'text/plain' },
    body: answer.shuffled ? text : inserted(text, Math.floor(answer.at * constant), token),
  };
}

type Fields = readonly (readonly [name: string, value: string])[];
type Text = (answer: VaryingAnswer, fields: Fields, order: <T>(list: readonly T[]) => readonly T[]) => string;

function varyingFields({ echo, clock }: VaryingAnswer, { url }: MemoryRequest, count: number): Fields {
  const now = Date.UTC(2026, 10, 1, 12) + count * 977;
  const times = { iso: new Date(now).toISOString(), epoch: String(now), counter: String(count + 7) };
  return [
    ...(echo === 'none' ? [] : [['path', ECHOES[echo](url.pathname)] as const]),
    ...(clock === 'none' ? [] : [['at', times[clock]] as const]),
  ];
}

const prose = ({ words }: VaryingAnswer): readonly string[] =>
  Array.from({ length: Math.ceil(words / 8) }, (_, line) =>
    Array.from(
      { length: Math.min(8, words - line * 8) },
      (_unused, at) => WORDS[(line * 5 + at * 3) % WORDS.length],
    ).join(' '),
  );

const json = (members: readonly (readonly [string, unknown])[]) => JSON.stringify(Object.fromEntries(members));

const TEXTS: Readonly<Record<VaryingAnswer['kind'], Text>> = {
  html: (answer, fields, order) =>
    `<!doctype html><html><head><title>${answer.message}</title></head><body><h1>${answer.message}</h1>${order([
      ...prose(answer).map((line) => `<p>${line}</p>`),
      ...fields.map(([name, value]) => `<p class="${name}">${value}</p>`),
    ]).join('')}</body></html>`,
  json: (answer, fields, order) =>
    json(
      order([
        ['message', answer.message],
        ['ok', true],
        ...prose(answer).map((line, i) => [`line${i}`, line] as const),
        ...fields,
      ]),
    ),
  rpc: (answer, fields, order) => {
    const told = [answer.message, ...fields.map(([, value]) => value)].join(' ');
    return json(
      order([
        ['jsonrpc', '2.0'],
        ['error', { code: -32_601, message: told }],
        ['id', null],
      ]),
    );
  },
  text: (answer, fields, order) =>
    order([answer.message, ...prose(answer), ...fields.map(([name, value]) => `${name}: ${value}`)]).join('\n'),
  markdown: (answer, fields, order) =>
    `# ${answer.message}\n\n${order([...prose(answer).map((line) => `- ${line}`), ...fields.map(([name, value]) => `- ${name} \`${value}\``)]).join('\n')}\n`,
  empty: () => '',
};

function nonceOf({ kind, nonce }: VaryingAnswer, draw: () => number): string {
  if (!nonce || kind === 'empty') return '';
  const { alphabet, min, max } = nonce;
  const length = min + Math.floor(draw() * (max - min + 1));
  return Array.from({ length }, () => alphabet[Math.floor(draw() * alphabet.length)]).join('');
}

function inserted(text: string, at: number, token: string): string {
  return text.slice(0, at) + token + text.slice(at);
}
