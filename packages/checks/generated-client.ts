// The code of programs whose client openapi-typescript generates from the OpenAPI document, with openapi-fetch.
// pack.mjs compiles it with the TypeScript version that both support.
import createClient from 'openapi-fetch';
import type { paths } from '../client/src/openapi.js';

const { GET, POST } = createClient<paths>({ baseUrl: 'https://probe.example.com' });

/** Reads fields of an answer without first narrowing several possible bodies. */
export async function presentProtocols(domain: string): Promise<readonly string[]> {
  const { data, error } = await GET('/api/v1/hosts/{domain}', { params: { path: { domain } } });
  if (!data) throw new Error(error.error);
  const mayPay: boolean = data.cache.callabilityStale && data.refresh.priceUsd < 1;
  const present = data.protocols.filter(({ status }) => status === 'present').map(({ id }) => id);
  return mayPay ? [data.domain, ...present] : present;
}

export async function countProbed(domains: string[]): Promise<number> {
  const { data } = await POST('/api/v1/hosts/refresh', { body: { domains, mode: 'full' } });
  return data?.results.filter(({ ok }) => ok).length ?? 0;
}
