import { Module } from '@nestjs/common';
import { HttpModule } from '../platform/http.module';
import { EvidenceController } from './evidence.controller';
import { EvidenceFiles } from './evidence-files';

/** The evidence behind reports, free to fetch. */
@Module({ imports: [HttpModule], providers: [EvidenceFiles], controllers: [EvidenceController] })
export class EvidenceModule {}
