import type { Attributes, Tracer, TracingOptions, Work } from './open-telemetry';

let tracer: Tracer | undefined;

/**
 * Starts sending spans to OTEL_EXPORTER_OTLP_ENDPOINT. The SDK is loaded only here, so that it costs nothing without
 * that variable.
 * @returns sends the remaining spans and stops
 */
export async function startTracing(options: TracingOptions): Promise<() => Promise<void>> {
  const { openTracer } = await import('./open-telemetry.js');
  const opened = openTracer(options);
  tracer = opened;
  return () => opened.close();
}

/**
 * Runs `work` as a span of the current trace, or without a span if tracing is off.
 * @param parent a `traceparent` header, or the result of {@link traceparent} in another process
 */
export function traced<T>(name: string, attributes: Attributes, work: Work<T>, parent?: string): Promise<T> {
  return tracer ? tracer.run(name, attributes, work, parent) : work(ignore);
}

/** The current span as a `traceparent` header, for another process that continues the work. */
export function traceparent(): string | undefined {
  return tracer?.traceparent();
}

function ignore(): void {
  // nobody reads it
}
