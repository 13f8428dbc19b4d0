import { Module } from '@nestjs/common';
import { CheckoutModule } from '../checkout/checkout.module';
import { HttpModule } from '../platform/http.module';
import { Watches } from './watches';
import { WatchesController } from './watches.controller';

/** Who is told of changes of hosts, and how. */
@Module({
  imports: [CheckoutModule, HttpModule],
  providers: [Watches],
  controllers: [WatchesController],
  exports: [Watches],
})
export class WatchesModule {}
