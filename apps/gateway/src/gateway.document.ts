import { CLAIM_ROUTES } from './owners/claim-routes';
import { DISCOVERY_ROUTES } from './discovery/discovery-routes';
import { EVIDENCE_ROUTES } from './statements/evidence-routes';
import { MCP_ROUTE } from './mcp/mcp-route';
import type { OpenApiDocument } from './routes/openapi-document';
import { pathsOf, type Paths } from './routes/operation';
import { openApiDocument } from './discovery/openapi/document';
import { hostPaths } from './discovery/openapi/host-paths';
import { productPaths } from './discovery/openapi/product-paths';
import { STATEMENT_ROUTES } from './statements/statement-routes';
import { pagePaths, peoplePaths } from './pages/page-paths';
import { RUN_ROUTES } from './probing-client/run-routes';
import { HEALTH_ROUTES } from './platform/health/health-routes';
import { WATCH_ROUTES } from './owners/watch-routes';
import type { Installation } from './products/installation';

/** The OpenAPI document of an installation, from what each part of the gateway says of its routes to programs. */
export function gatewayDocument(installation: Installation): OpenApiDocument {
  return openApiDocument(installation, forPrograms(installation));
}

/** {@link gatewayDocument} with the pages for people: every route there is. */
export function everyRoute(installation: Installation): OpenApiDocument {
  return openApiDocument(installation, [...forPrograms(installation), peoplePaths()]);
}

function forPrograms(installation: Installation): readonly Paths[] {
  return [
    hostPaths(),
    pathsOf(RUN_ROUTES),
    productPaths(installation),
    pathsOf(EVIDENCE_ROUTES),
    pathsOf(CLAIM_ROUTES),
    pathsOf(WATCH_ROUTES),
    pathsOf(STATEMENT_ROUTES),
    pathsOf([MCP_ROUTE, ...DISCOVERY_ROUTES]),
    pagePaths('pages'),
    pathsOf(HEALTH_ROUTES),
    pagePaths('service'),
  ];
}
