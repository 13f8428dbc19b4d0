import { Module } from '@nestjs/common';
import { CheckoutModule } from '../checkout/checkout.module';
import { ProbingClientModule } from '../probing-client/probing-client.module';
import { ChangeHistory } from './change-history';
import { HostPages } from './report-forms';
import { HostReportsService } from './host-reports.service';
import { PayableHostsList } from './payable-hosts';
import { Readers } from './readers';
import { ReportCache } from './report-cache';

/** What is known about hosts, free to read. Needs `REPORT_OFFERS` from the floor that sells, and the `LAYOUT` of pages. */
@Module({
  imports: [CheckoutModule, ProbingClientModule],
  providers: [Readers, ReportCache, HostReportsService, ChangeHistory, HostPages, PayableHostsList],
  exports: [HostReportsService, ChangeHistory, HostPages, PayableHostsList],
})
export class ReportsModule {}
