/** A request to a demo host. */
export interface DemoRequest {
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  readonly body: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface DemoAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A demo host: its name, the feature it demonstrates, and its responses. */
export interface DemoSite {
  readonly name: string;
  /** The feature that it demonstrates, for the terminal; missing for the receiver of alerts. */
  readonly shows?: string;
  /** Its certificate has expired. */
  readonly expired?: true;
  readonly answer: (request: DemoRequest) => DemoAnswer;
}

export function json(document: unknown, headers: Readonly<Record<string, string>> = {}, status = 200): DemoAnswer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(document) };
}

export function text(type: 'text/html' | 'text/plain', body: string, status = 200): DemoAnswer {
  return { status, headers: { 'content-type': `${type}; charset=utf-8` }, body };
}

export const NOT_FOUND = json({ error: 'not found' }, {}, 404);

export const METHOD_NOT_ALLOWED = json({ error: 'use POST' }, { allow: 'POST' }, 405);
