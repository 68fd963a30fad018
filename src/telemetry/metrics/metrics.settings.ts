import { hostName, integer, setting, settings } from '../../config/index.js';

/** Where Prometheus reads the metrics of this process. */
export class MetricsSettings extends settings('Metrics', {
  port: setting('METRICS_PORT', integer({ min: 0, max: 65_535 }), {
    unset: 'metrics are not served',
    description:
      'Port on which Prometheus reads `/metrics`, apart from the port of the clients; 0 chooses a free port. With several `WORKERS` each process has a port of its own, this one and those after it. See [operations](operations/metrics.md).',
  }),
  host: setting('METRICS_HOST', hostName(), {
    default: '127.0.0.1',
    description:
      'Address on which the metrics are served. They need no credential, and contain no data of tenants or users.',
  }),
}) {}
