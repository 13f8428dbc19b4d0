import type { OpenApiDocument } from '../../apps/gateway/src/routes/openapi-document';
import { Contract } from './contract';

const plainFetch = globalThis.fetch;

/** Contracts of services in processes of their own, by origin. */
const services = new Map<string, Contract>();

/** From now on, what `fetch` gets from a service in a process of its own is held against the document it serves. */
export async function watchService(baseUrl: string): Promise<void> {
  const { origin } = new URL(baseUrl);
  if (services.has(origin)) return; // the same one, started again
  const document = (await (await plainFetch(`${origin}/openapi.json`)).json()) as OpenApiDocument;
  services.set(origin, new Contract(document).keep());
}

/** `fetch` that shows the answers of watched services to their contracts. */
export const watchedFetch: typeof fetch = async (input, init) => {
  const response = await plainFetch(input, init);
  const { origin, pathname } = new URL(response.url);
  const contract = services.get(origin);
  const asked = init?.method ?? (input instanceof Request ? input.method : 'GET');
  const body = contract && (await wholeBody(response.clone()));
  if (contract && body !== undefined) {
    contract.check({
      method: response.redirected ? 'GET' : asked,
      route: contract.routeOf(pathname),
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body,
    });
  }
  return response;
};

/** Undefined for an answer that breaks off: that is none, and its reader learns of it. */
async function wholeBody(response: Response): Promise<string | undefined> {
  return response.text().catch(() => undefined);
}
