import { isObject, list, member, text } from '../formats/json';
import { jsonSignal } from './documents';
import type { SignalDefinition } from './signal';

const PATH = '/.well-known/api-catalog';

/** A catalogue of APIs (RFC 9727): a link set (RFC 9264). */
export const apiCatalog: SignalDefinition = {
  id: 'api-catalog',
  requests: [{ method: 'GET', url: PATH, accept: 'application/linkset+json, application/json;q=0.9' }],
  judge: (seen) =>
    jsonSignal(seen, PATH, (value) => {
      const contexts = list(member(value, 'linkset')) ?? [];
      const valid =
        contexts.length > 0 &&
        contexts.every(
          (context) =>
            text(member(context, 'anchor')) !== undefined &&
            isObject(context) &&
            Object.values(context).some((links) =>
              list(links)?.some((link) => text(member(link, 'href')) !== undefined),
            ),
        );
      return { status: valid ? 'valid' : 'faulty' };
    }),
};
