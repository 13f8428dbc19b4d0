import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { fastify } from 'fastify';
import { contentTag } from '../../http/entity-tag';

export interface ReferenceScript {
  readonly plain: Buffer;
  readonly gzipped: Buffer;
  readonly etag: string;
}

const PREFIX = '/docs';

let loaded: Promise<ReferenceScript> | undefined;

/**
 * The browser part of the API reference, four megabytes: loaded and packed when somebody first opens it. The library
 * hands it out as a Fastify plugin only, so it is asked for in an instance of its own that listens nowhere.
 */
export function referenceScript(): Promise<ReferenceScript> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<ReferenceScript> {
  const { default: reference } = await import('@scalar/fastify-api-reference');
  const server = fastify();
  await server.register(reference, { routePrefix: PREFIX, configuration: { url: '/openapi.json' } });
  const { rawPayload: plain } = await server.inject(`${PREFIX}/js/scalar.js`);
  await server.close();
  return { plain, gzipped: await promisify(gzip)(plain), etag: `W/${contentTag(plain)}` };
}
