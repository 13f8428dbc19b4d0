import { createLogger, Failures } from '@app/platform';
import { GatewayMetrics } from '../../apps/gateway/src/platform/metrics/gateway-metrics';
import { observeServiceState } from '../../apps/gateway/src/platform/metrics/service-state';
import { WorkerMetrics } from '../../apps/worker/src/jobs/worker-metrics';

/** The metrics of a gateway whose databases do not answer, and those of a worker. */
export function registries() {
  const [gateway, worker] = [new GatewayMetrics().registry, new WorkerMetrics().registry];
  const never = () => Promise.reject(new Error('away'));
  const away = { counts: never };
  const state = {
    runs: { oldestWaitSec: never },
    heartbeats: { capacity: never },
    reportKeys: { signingSince: never },
    alerts: { standing: never },
    payments: { openByState: never },
    producers: { live: away, presence: away, claims: away },
    facilitator: { state: never },
  };
  observeServiceState(gateway, state, new Failures(createLogger('unit', 'silent')));
  return [gateway, worker];
}
