import { randomUUID } from 'node:crypto';
import { Global, Module } from '@nestjs/common';
import { GenAiMetrics } from './gen-ai.metrics.js';
import { HttpMetrics } from './metrics/http.metrics.js';
import { MetricsServer } from './metrics/metrics-server.js';
import { RunObserver } from './run-telemetry.js';
import { RequestTraces } from './tracing/request-traces.js';
import { NoTracing, Tracing } from './tracing/tracing.js';
import { TracingSettings } from './tracing/tracing.settings.js';

/** Loaded only where traces are exported. */
async function tracingOf(settings: TracingSettings): Promise<Tracing> {
  if (settings.endpoint === undefined) return new NoTracing();
  const { OtelTracing } = await import('./tracing/otel-tracing.js');
  return new OtelTracing(settings, randomUUID());
}

/** Metrics and traces of all features. Needs `Metrics`, `ServerLog` and the settings from global modules. */
@Global()
@Module({
  providers: [
    { provide: Tracing, useFactory: tracingOf, inject: [TracingSettings] },
    MetricsServer,
    HttpMetrics,
    GenAiMetrics,
    RequestTraces,
    RunObserver,
  ],
  exports: [HttpMetrics, MetricsServer, RequestTraces, RunObserver],
})
export class TelemetryModule {}
