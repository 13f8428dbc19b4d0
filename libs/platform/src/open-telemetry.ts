import { context, propagation, SpanStatusCode, trace } from '@opentelemetry/api';
import { NodeSDK, tracing } from '@opentelemetry/sdk-node';

/** The attributes of a span. */
export type Attributes = Readonly<Record<string, string | number>>;

/** Work within a span; `note` adds attributes that are only known at its end. */
export type Work<T> = (note: (attributes: Attributes) => void) => Promise<T>;

/** Creates and sends spans. */
export interface Tracer {
  /** @param parent a W3C `traceparent`; by default, the current span */
  run<T>(name: string, attributes: Attributes, work: Work<T>, parent?: string): Promise<T>;
  traceparent(): string | undefined;
  close(): Promise<void>;
}

export interface TracingOptions {
  /** `service.name` of the spans. */
  readonly service: string;
  /** The fraction of traces that is sent, 0 to 1. */
  readonly share: number;
  /** Whether to follow the sampling decision of a `traceparent`; true for those from our own queue. */
  readonly trustsParents: boolean;
}

const { ParentBasedSampler, SamplingDecision } = tracing;

/**
 * A tracer based on the official SDK, which reads the other OTEL_* variables itself. There is no automatic
 * instrumentation, because a probed host must never get a `traceparent`.
 */
export function openTracer({ service, share, trustsParents }: TracingOptions): Tracer {
  // Random, instead of based on the trace id: callers choose the id, and could have all their requests traced.
  const byChance: tracing.Sampler = {
    shouldSample: () => ({
      decision: Math.random() < share ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD,
    }),
    toString: () => `ByChance{${share}}`,
  };
  const strangers = trustsParents ? {} : { remoteParentSampled: byChance, remoteParentNotSampled: byChance };
  const sdk = new NodeSDK({
    serviceName: service,
    sampler: new ParentBasedSampler({ root: byChance, ...strangers }),
    metricReaders: [],
    logRecordProcessors: [],
  });
  sdk.start();
  const spans = trace.getTracer('hostprobe');
  return {
    run(name, attributes, work, parent) {
      const outer =
        parent === undefined ? context.active() : propagation.extract(context.active(), { traceparent: parent });
      return spans.startActiveSpan(name, { attributes }, outer, async (span) => {
        try {
          return await work((added) => span.setAttributes(added));
        } catch (error) {
          span.setStatus({ code: SpanStatusCode.ERROR });
          throw error;
        } finally {
          span.end();
        }
      });
    },
    traceparent() {
      const carrier: { traceparent?: string } = {};
      propagation.inject(context.active(), carrier);
      return carrier.traceparent;
    },
    close: () => sdk.shutdown(),
  };
}
