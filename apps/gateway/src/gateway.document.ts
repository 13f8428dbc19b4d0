import { DISCOVERY_ROUTES } from './discovery/discovery-routes';
import { openApiDocument } from './discovery/openapi/document';
import { mcpRoute } from './mcp/mcp-route';
import { CLAIM_ROUTES } from './owners/claim-routes';
import { WATCH_ROUTES } from './owners/watch-routes';
import { pageRoutes } from './pages/page-routes';
import { HEALTH_ROUTES } from './platform/health/health-routes';
import { RUN_ROUTES } from './probing-client/run-routes';
import type { Installation } from './products/installation';
import { productRoutes } from './products/product-routes';
import { SUBSCRIPTION_ROUTES } from './products/subscription-routes';
import { HOSTS_ROUTE } from './reports/find-payable';
import { CHANGES_ROUTE } from './reports/list-changes';
import { REPORT_ROUTE } from './reports/lookup-host';
import type { OpenApiDocument } from './routes/openapi-document';
import { EVIDENCE_ROUTES } from './statements/evidence-routes';
import { STATEMENT_ROUTES } from './statements/statement-routes';

/** Every route of an installation, in the order of the OpenAPI document. */
export const gatewayRoutes = (installation: Installation) => [
  REPORT_ROUTE,
  HOSTS_ROUTE,
  CHANGES_ROUTE,
  ...SUBSCRIPTION_ROUTES,
  ...RUN_ROUTES,
  ...productRoutes(installation),
  ...EVIDENCE_ROUTES,
  ...CLAIM_ROUTES,
  ...WATCH_ROUTES,
  ...STATEMENT_ROUTES,
  mcpRoute(installation),
  ...DISCOVERY_ROUTES,
  ...pageRoutes('pages'),
  ...HEALTH_ROUTES,
  ...pageRoutes('service'),
];

/** The OpenAPI document of an installation, without the pages for people. */
export function gatewayDocument(installation: Installation): OpenApiDocument {
  const routes = gatewayRoutes(installation);
  return openApiDocument(
    installation,
    routes.filter(({ forPeople }) => !forPeople),
  );
}

/** {@link gatewayDocument} plus the pages for people. */
export function everyRoute(installation: Installation): OpenApiDocument {
  return openApiDocument(installation, gatewayRoutes(installation));
}
