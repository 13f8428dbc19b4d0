/** A request we refuse, in words for the caller. Rendered as `{ error, code, ... }` with `status` (contract 2). */
export class RequestError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    sentence: string,
    /** Further members of the body, where they help: `allowed`, `item`, `retryAfterSec`. */
    readonly extra: Readonly<Record<string, unknown>> = {},
  ) {
    super(sentence);
    this.name = 'RequestError';
  }
}
