import { claimPaths } from './claims/claim-paths';
import { discoveryPaths } from './discovery/discovery-paths';
import { evidencePaths } from './evidence/evidence-paths';
import { mcpPaths } from './mcp/mcp-paths';
import type { OpenApiDocument } from './api-description/openapi-document';
import type { Paths } from './api-description/operation';
import { documentPaths, openApiDocument } from './openapi/document';
import { hostPaths } from './openapi/host-paths';
import { productPaths } from './openapi/product-paths';
import { statementPaths } from './openapi/statement-paths';
import { pagePaths, peoplePaths } from './pages/page-paths';
import { runPaths } from './probing-client/run-paths';
import { healthPaths } from './platform/health/health-paths';
import { watchPaths } from './watches/watch-paths';
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
    claimPaths(),
    watchPaths(),
    statementPaths(),
    mcpPaths(),
    documentPaths(),
    discoveryPaths(),
    pagePaths('pages'),
    healthPaths(),
    pagePaths('service'),
  ];
}
