import { Module } from '@nestjs/common';
import type { Config } from '@app/config';
import { ProberIdentity } from '@app/signing';
import { ServerSecretRepository } from '@app/storage';
import { API_DOCUMENT, type OpenApiDocument } from '../routes/openapi-document';
import { Claims } from '../owners/claims';
import { ClaimsModule } from '../owners/claims.module';
import { OwnerProbes } from '../owners/owner-probes';
import { CONFIG } from '../platform/tokens';
import { HttpModule } from '../platform/http.module';
import { RateLimits } from '../http/rate-limits';
import { INSTALLATION, type Installation } from '../products/installation';
import { ProductsModule } from '../products/products.module';
import { PayableHostsList } from '../reports/payable-hosts';
import { ReportForms } from '../reports/report-forms';
import { ReportsModule } from '../reports/reports.module';
import { PAGE_DEPS, type PageDeps } from './page-definition';
import { PagesController } from './pages.controller';
import { RecentHosts } from './recent-hosts';
import { layout } from './registry';

type DepsGiven = [
  Installation,
  RecentHosts,
  PayableHostsList,
  ReportForms,
  ProberIdentity,
  Config,
  OpenApiDocument,
  Claims,
  OwnerProbes,
  RateLimits,
];

/** What people read. */
@Module({
  imports: [ProductsModule, ReportsModule, ClaimsModule, HttpModule],
  controllers: [PagesController],
  providers: [
    RecentHosts,
    {
      provide: PAGE_DEPS,
      useFactory: (...given: DepsGiven): PageDeps => {
        const [site, recent, payable, hosts, identity, config, document, claims, ownerProbes, limits] = given;
        const reads = { site, recent, payable, hosts, identity, config, document, layout };
        return { ...reads, claims, ownerProbes, limits };
      },
      inject: [
        INSTALLATION,
        RecentHosts,
        PayableHostsList,
        ReportForms,
        ProberIdentity,
        CONFIG,
        API_DOCUMENT,
        Claims,
        OwnerProbes,
        RateLimits,
      ],
    },
    { provide: ProberIdentity, useFactory: openProberIdentity, inject: [CONFIG, ServerSecretRepository] },
  ],
})
export class PagesModule {}

/** The identity the workers sign with: the configured key, or the one they share through the database. */
function openProberIdentity({ identity, http }: Config, secrets: ServerSecretRepository): Promise<ProberIdentity> {
  return ProberIdentity.open({ configured: identity.signingKey, secrets, baseUrl: http.publicBaseUrl });
}
