import type { Attributes, Tracer, TracingOptions, Work } from './open-telemetry';

let tracer: Tracer | undefined;

/**
 * Sends spans to OTEL_EXPORTER_OTLP_ENDPOINT from now on. The SDK is loaded here and nowhere else, so a process without
 * that variable pays nothing for it.
 * @returns what sends the last spans and ends it
 */
export async function startTracing(options: TracingOptions): Promise<() => Promise<void>> {
  const { openTracer } = await import('./open-telemetry.js');
  const opened = openTracer(options);
  tracer = opened;
  return () => opened.close();
}

/**
 * Runs `work` as a span of the current trace, or just runs it when nothing is traced.
 * @param parent a `traceparent` header or what {@link traceparent} returned elsewhere
 */
export function traced<T>(name: string, attributes: Attributes, work: Work<T>, parent?: string): Promise<T> {
  return tracer ? tracer.run(name, attributes, work, parent) : work(ignore);
}

/** The open span as a `traceparent` header, for work that another process goes on with. */
export function traceparent(): string | undefined {
  return tracer?.traceparent();
}

function ignore(): void {
  // nobody reads it
}
