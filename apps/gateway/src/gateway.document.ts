import { DISCOVERY_ROUTES } from './discovery/discovery-routes';
import { hostPaths } from './discovery/openapi/host-paths';
import { openApiDocument } from './discovery/openapi/document';
import { MCP_ROUTE } from './mcp/mcp-route';
import { CLAIM_ROUTES } from './owners/claim-routes';
import { WATCH_ROUTES } from './owners/watch-routes';
import { pagePaths, peoplePaths } from './pages/page-paths';
import { HEALTH_ROUTES } from './platform/health/health-routes';
import { RUN_ROUTES } from './probing-client/run-routes';
import type { Installation } from './products/installation';
import { productRoutes } from './products/product-routes';
import { SUBSCRIPTION_ROUTES } from './products/subscription-routes';
import type { OpenApiDocument } from './routes/openapi-document';
import { pathsOf, type Paths } from './routes/operation';
import { EVIDENCE_ROUTES } from './statements/evidence-routes';
import { STATEMENT_ROUTES } from './statements/statement-routes';

/** Every route of an installation, in the order of the OpenAPI document. */
export const gatewayRoutes = (installation: Installation) => [
  ...SUBSCRIPTION_ROUTES,
  ...RUN_ROUTES,
  ...productRoutes(installation),
  ...EVIDENCE_ROUTES,
  ...CLAIM_ROUTES,
  ...WATCH_ROUTES,
  ...STATEMENT_ROUTES,
  MCP_ROUTE,
  ...DISCOVERY_ROUTES,
  ...HEALTH_ROUTES,
];

/** The OpenAPI document of an installation, from what each part of the gateway says of its routes to programs. */
export function gatewayDocument(installation: Installation): OpenApiDocument {
  return openApiDocument(installation, forPrograms(installation));
}

/** {@link gatewayDocument} with the pages for people: every route there is. */
export function everyRoute(installation: Installation): OpenApiDocument {
  return openApiDocument(installation, [...forPrograms(installation), peoplePaths()]);
}

function forPrograms(installation: Installation): readonly Paths[] {
  const routes = gatewayRoutes(installation);
  const others = routes.filter((route) => !HEALTH_ROUTES.includes(route as never));
  return [hostPaths(), pathsOf(others), pagePaths('pages'), pathsOf(HEALTH_ROUTES), pagePaths('service')];
}
