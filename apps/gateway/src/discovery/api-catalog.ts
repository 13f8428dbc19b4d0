import { PROBER_PATH } from '@app/signing';
import type { Installation } from '../products/installation';
import { PATHS } from '../http/paths';

/** `/.well-known/api-catalog` (RFC 9727), a link set in JSON (RFC 9264). */
export function apiCatalog({ baseUrl }: Pick<Installation, 'baseUrl'>): object {
  return {
    linkset: [
      {
        anchor: `${baseUrl}${PATHS.api}`,
        'service-desc': [{ href: `${baseUrl}${PATHS.openApi}`, type: 'application/json' }],
        'service-doc': [
          { href: `${baseUrl}${PATHS.llms}`, type: 'text/plain' },
          { href: `${baseUrl}${PROBER_PATH}`, type: 'text/html' },
        ],
        'service-meta': [PATHS.x402, PATHS.mcp].map((path) => ({
          href: `${baseUrl}${path}`,
          type: 'application/json',
        })),
        status: [{ href: `${baseUrl}${PATHS.health}`, type: 'application/json' }],
      },
    ],
  };
}
