import { CLAIM_ROUTES } from './owners/claim-routes';
import { discoveryPaths } from './discovery/discovery-paths';
import { evidencePaths } from './statements/evidence-paths';
import { mcpPaths } from './mcp/mcp-paths';
import type { OpenApiDocument } from './routes/openapi-document';
import { pathsOf, type Paths } from './routes/operation';
import { documentPaths, openApiDocument } from './discovery/openapi/document';
import { hostPaths } from './discovery/openapi/host-paths';
import { productPaths } from './discovery/openapi/product-paths';
import { statementPaths } from './statements/statement-paths';
import { pagePaths, peoplePaths } from './pages/page-paths';
import { runPaths } from './probing-client/run-paths';
import { healthPaths } from './platform/health/health-paths';
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
    runPaths(),
    productPaths(installation),
    evidencePaths(),
    pathsOf(CLAIM_ROUTES),
    pathsOf(WATCH_ROUTES),
    statementPaths(),
    mcpPaths(),
    documentPaths(),
    discoveryPaths(),
    pagePaths('pages'),
    healthPaths(),
    pagePaths('service'),
  ];
}
