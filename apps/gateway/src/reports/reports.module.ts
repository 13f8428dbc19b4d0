import { Module } from '@nestjs/common';
import { CheckoutModule } from '../checkout/checkout.module';
import { ProbingClientModule } from '../probing-client/probing-client.module';
import { ChangeHistory } from './change-history';
import { HostReportsService } from './host-reports.service';
import { PayableHostsList } from './payable-hosts';
import { Readers } from './readers';
import { ReportCache } from './report-cache';
import { ReportForms } from './report-forms';

/** What is known about hosts, free to read. Needs `REPORT_OFFERS` from the floor that sells. */
@Module({
  imports: [CheckoutModule, ProbingClientModule],
  providers: [Readers, ReportCache, HostReportsService, ChangeHistory, ReportForms, PayableHostsList],
  exports: [HostReportsService, ChangeHistory, ReportForms, PayableHostsList],
})
export class ReportsModule {}
