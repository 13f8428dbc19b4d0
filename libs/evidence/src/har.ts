import type { FileBody, ReadBundle } from './bundle-file';
import { keptHash, type DerivedLine, type Line } from './lines';

type ExchangeLine = Exclude<Line, DerivedLine>;
type AnswerLine = Extract<Line, { kind: 'answer' }>;
type Content = Readonly<Record<string, unknown>>;

/**
 * A bundle in HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/), for developer tools and for replaying a host. Each
 * redirect is an entry of its own; a failure has status 0 and says why in `_failureText`. Times that were not measured are 0.
 */
export function harOf({ head, lines, bodies }: Pick<ReadBundle, 'head' | 'lines' | 'bodies'>): unknown {
  const [name = head.prober, version = ''] = head.prober.split('/');
  const entries = lines
    .filter((line): line is ExchangeLine => line.kind !== 'derived')
    .flatMap((line) => entriesOf(line, line.kind === 'answer' ? bodies.get(keptHash(line)) : undefined));
  return { log: { version: '1.2', creator: { name, version }, entries } };
}

function entriesOf(line: ExchangeLine, body: FileBody | undefined): readonly unknown[] {
  const hops = line.redirects.map(({ status, location }, index) => {
    const headers = [{ name: 'location', value: location }];
    return entryOf(line, urlAt(line, index), { status, headers, redirectURL: location, content: EMPTY, bodySize: 0 });
  });
  const last = line.kind === 'answer' ? line.finalUrl : urlAt(line, line.redirects.length);
  return [...hops, entryOf(line, last, line.kind === 'answer' ? answered(line, body) : failed(line.reason))];
}

/** The URL of one request of a chain. */
function urlAt({ url, redirects }: ExchangeLine, index: number): string {
  return index === 0 ? url : (redirects[index - 1]?.location ?? url);
}

const EMPTY: Content = { size: 0, mimeType: 'x-unknown' };

function entryOf({ method, observedAt, requestBody }: ExchangeLine, url: string, response: object): unknown {
  const queryString = [...new URL(url).searchParams].map(([name, value]) => ({ name, value }));
  const postData = requestBody === undefined ? {} : { postData: { mimeType: 'application/json', text: requestBody } };
  const bodySize = requestBody === undefined ? 0 : Buffer.byteLength(requestBody);
  const none = { httpVersion: 'HTTP/1.1', cookies: [], headersSize: -1 };
  return {
    startedDateTime: observedAt,
    time: 0,
    request: { method, url, ...none, headers: [], queryString, ...postData, bodySize },
    response: { statusText: '', ...none, ...response },
    cache: {},
    timings: { send: 0, wait: 0, receive: 0 },
  };
}

function answered(line: AnswerLine, body: FileBody | undefined): object {
  const headers = line.headers.map(([name, value]) => ({ name, value }));
  const location =
    line.status >= 300 && line.status < 400 ? line.headers.find(([name]) => name === 'location') : undefined;
  const mimeType = line.headers.find(([name]) => name === 'content-type')?.[1] ?? 'x-unknown';
  const content = { size: line.bytes, mimeType, ...contentOf(line, body) };
  return { status: line.status, headers, redirectURL: location?.[1] ?? '', content, bodySize: -1 };
}

function contentOf(line: AnswerLine, body: FileBody | undefined): Content {
  if (body === undefined) return { comment: 'missing' };
  if ('withheld' in body) return { comment: `withheld: ${body.withheld}` };
  const text = { text: Buffer.from(body.bytes).toString('base64'), encoding: 'base64' };
  return line.kept ? { ...text, comment: `the first ${line.kept.bytes} bytes` } : text;
}

function failed(reason: string): object {
  return { status: 0, headers: [], redirectURL: '', content: EMPTY, bodySize: -1, _failureText: reason };
}
