import { Inject, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { Config } from '@app/config';
import { newSigningKey } from '@app/identity';
import { OptOuts } from '@app/limits';
import { Failures } from '@app/observability';
import { ReportKeyRepository, ServerSecretRepository, StatementRepository } from '@app/persistence';
import { CONFIG } from '../connections/tokens';
import { HttpModule } from '../http/http.module';
import { HostReportsService } from '../reports/host-reports.service';
import { ReportsModule } from '../reports/reports.module';
import { DailyRoots } from './daily-roots';
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
    {
      provide: DailyRoots,
      useFactory: ({ http }: Config, keys: ReportKeys, rows: StatementRepository, failures: Failures) => {
        const failed = failures.of('daily_root', 'the root of a day could not be signed', 'error');
        return new DailyRoots({ baseUrl: http.publicBaseUrl, keys, rows, failed });
      },
      inject: [CONFIG, ReportKeys, StatementRepository, Failures],
    },
  ],
  exports: [Statements],
})
export class StatementsModule implements OnModuleInit, OnApplicationShutdown {
  constructor(
    @Inject(ReportKeys) private readonly keys: ReportKeys,
    @Inject(DailyRoots) private readonly roots: DailyRoots,
  ) {}

  /** @throws Error that names REPORT_SIGNING_KEY */
  async onModuleInit(): Promise<void> {
    await this.keys.start();
    this.roots.start();
  }

  onApplicationShutdown(): void {
    this.roots.stop();
  }
}
