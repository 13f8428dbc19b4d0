import { readFileSync } from 'node:fs';
import { RECORDED_AT } from '../../apps/gateway/src/routes/recorded-answers';
import recorded from '../../apps/gateway/src/routes/recorded-answers.json';

/** The part of an OpenAPI operation that is read here. */
interface Operation {
  readonly summary: string;
  readonly 'x-payment-info'?: { readonly price: Readonly<Record<'amount' | 'min' | 'max', string | undefined>> };
  readonly 'x-codeSamples': readonly [{ readonly source: string }];
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
}

interface Media {
  readonly examples?: Readonly<Record<string, { readonly $ref?: string }>>;
}

const MARK =
  '<!-- The answers below are recorded from a service: `npm run examples`, then `npm run oracle -- --write`. -->';
const END = '<!-- End of the recorded answers. -->';
const WIDTH = 140;

/**
 * docs/examples.md, with the recorded response of each operation that has one. @param baseUrl the base URL of the
 * document
 */
export function examples(document: object, baseUrl: string): string {
  const text = readFileSync('docs/examples.md', 'utf8');
  const [head = '', rest = ''] = text.split(MARK);
  const { paths } = document as { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> };
  const shown = new Set<string>();
  const sections = Object.values(paths)
    .flatMap((item) => Object.values(item))
    .flatMap((operation) => {
      const name = recordedName(operation);
      if (name === undefined || shown.has(name)) return [];
      shown.add(name);
      return [section(operation, recorded[name]).replaceAll(baseUrl, RECORDED_AT)];
    });
  return `${head}${MARK}\n\n${sections.join('\n')}\n${END}${rest.split(END)[1] ?? ''}`;
}

function recordedName({ responses }: Operation): keyof typeof recorded | undefined {
  const [, reference] = /"#\/components\/examples\/(\w+)"/.exec(JSON.stringify(responses['200'] ?? {})) ?? [];
  return Object.keys(recorded).find((name): name is keyof typeof recorded => name === reference);
}

function section(operation: Operation, answer: unknown): string {
  const [{ source }] = operation['x-codeSamples'];
  const { amount, min, max } = operation['x-payment-info']?.price ?? {};
  const price = amount ?? (min === undefined ? undefined : `${min} to ${max ?? ''}`);
  const title = `### ${operation.summary}${price === undefined ? '' : ` (${price} USDC)`}`;
  return `${title}\n\n\`\`\`console\n$ ${source.replace('curl -i', 'curl -s')}\n${wrapped(shortened(answer))}\n\`\`\`\n`;
}

/** All members, but only the first item of long lists and the beginning of long strings. */
function shortened(value: unknown): unknown {
  if (typeof value === 'string') return value.length > 120 ? `${value.slice(0, 60)}…` : value;
  if (typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value))
    return Object.fromEntries(Object.entries(value).map(([name, of]) => [name, shortened(of)]));
  const items = value.map(shortened);
  return items.length < 2 || JSON.stringify(items).length < 120 ? items : [items[0], '…'];
}

/** JSON with line breaks only between members. */
function wrapped(value: unknown): string {
  const parts = JSON.stringify(value).match(/(?:"(?:[^"\\]|\\.)*"|[^",])+,?/g) ?? [];
  return parts
    .reduce<string[]>((lines, part) => {
      const last = lines.at(-1);
      return last !== undefined && last.length + part.length <= WIDTH
        ? [...lines.slice(0, -1), last + part]
        : [...lines, lines.length === 0 ? part : ` ${part}`];
    }, [])
    .join('\n');
}
