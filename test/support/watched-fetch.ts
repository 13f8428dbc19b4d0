import type { OpenApiDocument } from '../../apps/gateway/src/routes/openapi-document';
import { Contract } from './contract';

const plainFetch = globalThis.fetch;

/** Contracts of services in other processes, by origin. */
const services = new Map<string, Contract>();

/** From now on, `fetch` compares the answers of this service with its OpenAPI document. */
export async function watchService(baseUrl: string): Promise<void> {
  const { origin } = new URL(baseUrl);
  if (services.has(origin)) return; // the same service, restarted
  const document = (await (await plainFetch(`${origin}/openapi.json`)).json()) as OpenApiDocument;
  services.set(origin, new Contract(document).keep());
}

/** `fetch` that passes the answers of watched services to their contracts. */
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

/** Undefined for an incomplete answer, whose reader gets an error. */
async function wholeBody(response: Response): Promise<string | undefined> {
  return response.text().catch(() => undefined);
}
