import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module';
import { Claims } from './claims';
import { ProbingClientModule } from '../probing-client/probing-client.module';
import { ClaimsController } from './claims.controller';
import { OwnerNotes } from './owner-notes';
import { OwnerProbes } from './owner-probes';
import { WalletBadges } from './wallet-badges';

/** Owners, and how they show that a host is theirs. */
@Module({
  imports: [HttpModule, ProbingClientModule],
  providers: [Claims, OwnerNotes, OwnerProbes, WalletBadges],
  controllers: [ClaimsController],
  exports: [Claims, OwnerNotes, OwnerProbes],
})
export class ClaimsModule {}
