import { Module } from '@nestjs/common';
import { HttpModule } from '../platform/http.module';
import { Claims } from './claims';
import { ProbingClientModule } from '../probing-client/probing-client.module';
import { ClaimsController } from './claims.controller';
import { OwnerProbes } from './owner-probes';

/** Owners, and how they show that a host is theirs. */
@Module({
  imports: [HttpModule, ProbingClientModule],
  providers: [Claims, OwnerProbes],
  controllers: [ClaimsController],
  exports: [Claims, OwnerProbes],
})
export class ClaimsModule {}
