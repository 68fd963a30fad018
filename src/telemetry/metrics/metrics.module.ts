import { Module } from '@nestjs/common';
import { HttpMetrics } from './http.metrics.js';
import { MetricsServer } from './metrics-server.js';

/** Shows the metrics of all features. Needs `Metrics` and `MetricsSettings` from global modules. */
@Module({ providers: [MetricsServer, HttpMetrics], exports: [MetricsServer, HttpMetrics] })
export class MetricsModule {}
