import { Module } from '@nestjs/common';
import { CheckoutModule } from '../checkout/checkout.module';
import { Subscribers } from '../checkout/subscribers';
import { INSTALLATION, type Installation } from '../products/installation';
import { ProductsModule } from '../products/products.module';
import { Sales } from '../products/sales';
import { ChangeHistory } from '../reports/change-history';
import { HostReportsService } from '../reports/host-reports.service';
import { PayableHostsList } from '../reports/payable-hosts';
import { ReportsModule } from '../reports/reports.module';
import { Statements } from '../statements/statements';
import { StatementsModule } from '../statements/statements.module';
import type { FreeToolDeps } from '../products/free-tool';
import { McpController } from './mcp.controller';
import { McpService } from './mcp-service';

const FREE_TOOL_DEPS = Symbol('FreeToolDeps');

/** The same reports and products as tools of agents. */
@Module({
  imports: [CheckoutModule, ProductsModule, ReportsModule, StatementsModule],
  controllers: [McpController],
  providers: [
    {
      provide: FREE_TOOL_DEPS,
      useFactory: (reports: HostReportsService, changes: ChangeHistory, payable: PayableHostsList): FreeToolDeps => ({
        reports,
        changes,
        payable,
      }),
      inject: [HostReportsService, ChangeHistory, PayableHostsList],
    },
    {
      provide: McpService,
      useFactory: (
        installation: Installation,
        sales: Sales,
        free: FreeToolDeps,
        statements: Statements,
        subscribers: Subscribers,
      ) => new McpService({ installation, sales, free, statements, subscribers }),
      inject: [INSTALLATION, Sales, FREE_TOOL_DEPS, Statements, Subscribers],
    },
  ],
})
export class McpModule {}
