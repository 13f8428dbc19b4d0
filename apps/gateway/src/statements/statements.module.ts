import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import type { Config } from '@app/config';
import { newSigningKey } from '@app/signing';
import { OptOuts } from '@app/limits';
import { ReportKeyRepository, ServerSecretRepository, StatementRepository } from '@app/storage';
import { CONFIG } from '../platform/tokens';
import { HttpModule } from '../platform/http.module';
import { HostReportsService } from '../reports/host-reports.service';
import { ReportsModule } from '../reports/reports.module';
import { ReportKeys } from './report-keys';
import { Statements } from './statements';
import { StatementsController } from './statements.controller';

/** What the service says of hosts under its own signature. */
@Module({
  imports: [HttpModule, ReportsModule],
  controllers: [StatementsController],
  providers: [
    {
      provide: ReportKeys,
      useFactory: (
        { reportSigningKey, identity }: Config,
        keys: ReportKeyRepository,
        secrets: ServerSecretRepository,
      ) =>
        new ReportKeys({
          keys,
          configured: reportSigningKey,
          proberKey: async () => identity.signingKey ?? secrets.obtain('prober_key', newSigningKey),
        }),
      inject: [CONFIG, ReportKeyRepository, ServerSecretRepository],
    },
    {
      provide: Statements,
      useFactory: (
        { http }: Config,
        reports: HostReportsService,
        optOuts: OptOuts,
        keys: ReportKeys,
        rows: StatementRepository,
      ) => new Statements({ baseUrl: http.publicBaseUrl, reports, optOuts, keys, rows }),
      inject: [CONFIG, HostReportsService, OptOuts, ReportKeys, StatementRepository],
    },
  ],
  exports: [Statements],
})
export class StatementsModule implements OnModuleInit {
  constructor(@Inject(ReportKeys) private readonly keys: ReportKeys) {}

  /** @throws Error that names REPORT_SIGNING_KEY */
  onModuleInit(): Promise<void> {
    return this.keys.start();
  }
}
