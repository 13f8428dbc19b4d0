import { Module, type DynamicModule } from '@nestjs/common';
import type { Config } from '@app/config';
import type { Logger } from '@app/platform';
import { CheckoutModule } from './checkout/checkout.module';
import { ClaimsModule } from './owners/claims.module';
import { ConnectionsModule } from './platform/connections.module';
import { DiscoveryModule } from './discovery/discovery.module';
import { EvidenceModule } from './statements/evidence.module';
import { gatewayDocument } from './gateway.document';
import { HttpModule } from './platform/http.module';
import { RPC_ERRORS } from './mcp/json-rpc';
import { McpModule } from './mcp/mcp.module';
import { OpenApiModule } from './discovery/openapi/openapi.module';
import { ERROR_PAGES } from './pages/error-pages';
import { PagesModule } from './pages/pages.module';
import { ErrorResponsesModule } from './platform/error-responses.module';
import { PlatformModule } from './platform/platform.module';
import { ProbingClientModule } from './probing-client/probing-client.module';
import { ProductsModule } from './products/products.module';
import { ReportsModule } from './reports/reports.module';
import { StatementsModule } from './statements/statements.module';
import { WatchesModule } from './owners/watches.module';

/** Composition of the gateway: its floors, lowest first. */
@Module({
  imports: [
    HttpModule,
    ProbingClientModule,
    ErrorResponsesModule.inForms([ERROR_PAGES, RPC_ERRORS]),
    PlatformModule.watching(CheckoutModule),
    CheckoutModule,
    ReportsModule,
    EvidenceModule,
    ClaimsModule,
    WatchesModule,
    StatementsModule,
    ProductsModule,
    McpModule,
    OpenApiModule.serving(gatewayDocument),
    DiscoveryModule,
    PagesModule,
  ],
})
export class GatewayModule {
  static with(config: Config, logger: Logger): DynamicModule {
    return { module: GatewayModule, imports: [ConnectionsModule.with(config, logger)] };
  }
}
