import { errorEntry, type ErrorCode } from './error-codes';

/** Why a request is refused, as a sentence for the caller. Status and defaults come from the catalogue of error codes. */
export class RequestError extends Error {
  constructor(
    readonly code: ErrorCode,
    /** Replaces the sentence of the catalogue where more is known. */
    sentence: string = errorEntry(code).sentence,
    /** Further members of the body, where they help: `allowed`, `item`, `retryAfterSec`. */
    readonly extra: Readonly<Record<string, unknown>> = {},
  ) {
    super(sentence);
    this.name = new.target.name;
  }

  get status(): number {
    return errorEntry(this.code).status;
  }
}
