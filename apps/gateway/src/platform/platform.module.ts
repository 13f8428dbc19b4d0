import { Inject, Module, type DynamicModule, type Type } from '@nestjs/common';
import { Failures } from '@app/platform';
import { Database, DeliveryRepository, HeartbeatRepository, ReportKeyRepository, RunRepository } from '@app/storage';
import { PRODUCERS, type Producers } from './tokens';
import { Drain } from './health/drain';
import { HEALTH_PARTS, type HealthParts } from './health/health-parts';
import { HealthController } from './health/health.controller';
import { GatewayMetrics } from './metrics/gateway-metrics';
import { MetricsModule } from './metrics/metrics.module';
import {
  observeServiceState,
  PAYMENTS_STATE,
  type PaymentsState,
  type ServiceStateDeps,
} from './metrics/service-state';

const SERVICE_STATE = Symbol('ServiceStateDeps');

/** What operators and load balancers are told. */
@Module({
  imports: [MetricsModule],
  controllers: [HealthController],
  providers: [
    Drain,
    {
      provide: HEALTH_PARTS,
      useFactory: healthParts,
      inject: [Database, PRODUCERS, HeartbeatRepository, PAYMENTS_STATE],
    },
    {
      provide: SERVICE_STATE,
      useFactory: (
        runs: RunRepository,
        heartbeats: HeartbeatRepository,
        producers: Producers,
        reportKeys: ReportKeyRepository,
        alerts: DeliveryRepository,
        payments: PaymentsState,
      ) => ({ runs, heartbeats, producers, reportKeys, alerts, ...payments }) satisfies ServiceStateDeps,
      inject: [RunRepository, HeartbeatRepository, PRODUCERS, ReportKeyRepository, DeliveryRepository, PAYMENTS_STATE],
    },
  ],
})
export class PlatformModule {
  constructor(metrics: GatewayMetrics, @Inject(SERVICE_STATE) state: ServiceStateDeps, failures: Failures) {
    observeServiceState(metrics.registry, state, failures);
  }

  /** @param payments the module, a floor above, that provides {@link PAYMENTS_STATE} */
  static watching(payments: Type): DynamicModule {
    return { module: PlatformModule, imports: [payments] };
  }
}

function healthParts(
  database: Database,
  { live }: Producers,
  heartbeats: HeartbeatRepository,
  { facilitator }: PaymentsState,
): HealthParts {
  return {
    database: async () => {
      await database.answers();
      return 'up';
    },
    queue: async () => {
      await live.counts();
      return 'up';
    },
    worker: async () => ((await heartbeats.capacity()) > 0 ? 'up' : 'down'),
    facilitator: () => facilitator.state(),
  };
}
