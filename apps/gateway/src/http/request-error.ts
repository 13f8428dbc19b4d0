import { errorEntry, type ErrorCode } from './error-codes';

/**
 * The reason why a request is refused, as a sentence for the caller. The catalog of error codes provides status and
 * defaults.
 */
export class RequestError extends Error {
  constructor(
    readonly code: ErrorCode,
    /** Replaces the sentence of the catalog when more is known. */
    sentence: string = errorEntry(code).sentence,
    /** Further fields of the body, for example `allowed`, `item` or `retryAfterSec`. */
    readonly extra: Readonly<Record<string, unknown>> = {},
  ) {
    super(sentence);
    this.name = new.target.name;
  }

  get status(): number {
    return errorEntry(this.code).status;
  }
}
