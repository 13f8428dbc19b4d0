import { Global, Module, type DynamicModule } from '@nestjs/common';
import type { Logger } from '@app/platform';
import { LOGGER } from './tokens';
import { AllowedMethods } from '../http/allowed-methods';
import { ErrorFilter, type ErrorForm } from '../http/error.filter';
import { GatewayMetrics } from './metrics/gateway-metrics';
import { MetricsModule } from './metrics/metrics.module';

/** How errors are answered, counted and logged on every route. */
@Global()
@Module({ imports: [MetricsModule], providers: [AllowedMethods], exports: [AllowedMethods, ErrorFilter] })
export class ErrorResponsesModule {
  /** @param forms of floors above, the first that wants a request goes first */
  static inForms(forms: readonly ErrorForm[]): DynamicModule {
    return {
      module: ErrorResponsesModule,
      providers: [
        {
          provide: ErrorFilter,
          useFactory: (logger: Logger, methods: AllowedMethods, metrics: GatewayMetrics) =>
            new ErrorFilter({ logger, methods, metrics, forms }),
          inject: [LOGGER, AllowedMethods, GatewayMetrics],
        },
      ],
    };
  }
}
