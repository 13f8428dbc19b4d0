import { context, propagation, SpanStatusCode, trace } from '@opentelemetry/api';
import { NodeSDK, tracing } from '@opentelemetry/sdk-node';

/** What a span says of the work it stands for. */
export type Attributes = Readonly<Record<string, string | number>>;

/** Work under a span; `note` adds what is known only at its end. */
export type Work<T> = (note: (attributes: Attributes) => void) => Promise<T>;

/** What sends spans. */
export interface Tracer {
  /** @param parent a `traceparent` of W3C Trace Context; the span that is open here unless given */
  run<T>(name: string, attributes: Attributes, work: Work<T>, parent?: string): Promise<T>;
  traceparent(): string | undefined;
  close(): Promise<void>;
}

export interface TracingOptions {
  /** `service.name` of the spans. */
  readonly service: string;
  /** The part of traces that is sent, 0 to 1. */
  readonly share: number;
  /** Whether the sampling decision in a `traceparent` counts: true for those that come over our queue. */
  readonly trustsParents: boolean;
}

const { ParentBasedSampler, SamplingDecision } = tracing;

/**
 * A tracer on the official SDK, which reads the other OTEL_* variables itself. Nothing is instrumented behind our back: a
 * probed host must never get a `traceparent`.
 */
export function openTracer({ service, share, trustsParents }: TracingOptions): Tracer {
  // By chance and not by the trace's id, which a caller chooses: nobody can have the own requests always traced.
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
