import { Module } from '@nestjs/common';
import { GatewayMetrics } from './gateway-metrics';

/** What the process counts, for every floor above. */
@Module({ providers: [GatewayMetrics], exports: [GatewayMetrics] })
export class MetricsModule {}
