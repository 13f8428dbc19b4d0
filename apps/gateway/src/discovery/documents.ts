import { PATHS } from '../http/paths';
import { published, publishedJson, type Published } from '../http/published';
import type { Installation } from '../products/installation';
import { ardManifest } from './ard-manifest';
import { llmsText } from './llms-text';
import { mcpManifest, mcpServerCard } from './mcp-manifest';
import { x402Manifest } from './x402-manifest';
import { PROBER_PATH } from '@app/signing';

export const TEXT = 'text/plain; charset=utf-8';

/** `/robots.txt` (RFC 9309): everything may be read; what costs money asks for it. */
const ROBOTS_TEXT = 'User-agent: *\nAllow: /\n';

/** What is served where. */
export const DOCUMENTS: Readonly<Record<string, (site: Installation) => Published>> = {
  [PATHS.llms]: (site) => published(TEXT, llmsText(site)),
  [PATHS.x402]: (site) => publishedJson(x402Manifest(site)),
  [PATHS.mcp]: (site) => publishedJson(mcpManifest(site)),
  [PATHS.serverCard]: (site) => publishedJson(mcpServerCard(site)),
  [PATHS.catalogue]: (site) =>
    publishedJson(apiCatalog(site), 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'),
  [PATHS.ard]: (site) => publishedJson(ardManifest(site)),
  [PATHS.robots]: () => published(TEXT, ROBOTS_TEXT),
};

/** `/.well-known/api-catalog` (RFC 9727), a link set in JSON (RFC 9264). */
function apiCatalog({ baseUrl }: Pick<Installation, 'baseUrl'>): object {
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
