import type { Answer } from './exchange';
import { isObject } from './json';
import type { Reading } from './reading';

/** A body that is there and cannot be the JSON object a protocol wants, and why (`details.note`). */
export function unreadable(reading: Reading): { readonly note: string; readonly answer: Answer } | undefined {
  switch (reading.kind) {
    case 'json':
      return isObject(reading.value) ? undefined : { note: 'not_an_object', answer: reading.answer };
    case 'broken_json':
      return { note: reading.fault, answer: reading.answer };
    case 'text':
      return { note: 'not_json', answer: reading.answer };
    case 'empty':
      return { note: 'empty_body', answer: reading.answer };
    case 'html':
      return { note: 'html_not_machine_document', answer: reading.answer };
    default:
      return undefined;
  }
}
