import { defined } from '@app/platform';
import { unusable } from '../documents/declared-url';
import type { Answer } from '../evidence/exchange';
import type { HostEvidence } from '../evidence/host-evidence';
import type { JsonValue } from '../formats/json';
import type { NamedEndpoint } from './endpoints';
import { readServerDocument, type ServerDocument } from './server-document';

/** A server document of the host, with its endpoint resolved. */
export interface FoundDocument {
  readonly answer: Answer;
  readonly document: ServerDocument;
  /** The best endpoint that an outside client can call; undefined if there is none. */
  readonly endpoint?: NamedEndpoint & { readonly absolute: string };
  /** Why the endpoints cannot be called. */
  readonly unusable?: string;
}

/** Parses a server document and resolves its URLs against the document's own URL. */
export function foundDocument(value: JsonValue, answer: Answer, seen: HostEvidence): FoundDocument | undefined {
  const document = readServerDocument(value);
  if (!document) return undefined;
  const resolved = document.endpoints.flatMap((endpoint) => {
    const absolute = seen.resolve(endpoint.url, answer.finalUrl);
    const foreign = endpoint.ownSiteOnly && absolute !== undefined && !seen.sameSite(absolute);
    return foreign ? [] : [{ endpoint, absolute, fault: faultOf(endpoint.url, absolute) }];
  });
  const usable = resolved.filter(({ absolute, fault }) => absolute !== undefined && fault === undefined);
  // Every client can call a URL without variables, so it wins over the rank of its transport.
  const good = usable.find(({ endpoint }) => !isTemplate(endpoint.url)) ?? usable[0];
  if (good?.absolute !== undefined) {
    return { answer, document, endpoint: { ...good.endpoint, absolute: good.absolute } };
  }
  return defined({ answer, document, unusable: resolved[0]?.fault });
}

function faultOf(stated: string, absolute: string | undefined): string | undefined {
  const fault = absolute === undefined ? 'not_a_url' : unusable(absolute);
  return fault ?? (unusable(stated) === 'placeholder_url' ? 'placeholder_url' : undefined);
}

/** Whether a URL still has `{variables}`, so that a client cannot call it. */
export function isTemplate(url: string): boolean {
  return /\{[^{}]{1,100}\}|%7B[^%]{1,100}%7D/i.test(url);
}
