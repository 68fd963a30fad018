import { flag, httpUrl, setting, settings, token } from '../../config/index.js';

/** Where traces are sent. The names are those of OpenTelemetry. */
export class TracingSettings extends settings('Traces', {
  endpoint: setting('OTEL_EXPORTER_OTLP_ENDPOINT', httpUrl(), {
    unset: 'no traces are made',
    description:
      'Base URL of a collector that takes OTLP over HTTP, such as `http://127.0.0.1:4318`. Traces go to `/v1/traces` below it. See [operations](operations/traces-and-logs.md#traces).',
  }),
  headers: setting('OTEL_EXPORTER_OTLP_HEADERS', token(4096), {
    unset: 'none',
    secret: true,
    description: 'Headers of the requests to the collector: `name=value`, separated by commas, percent-encoded.',
  }),
  serviceName: setting('OTEL_SERVICE_NAME', token(128), {
    default: 'parley',
    description: 'The name of this service in traces.',
  }),
  capturesContent: setting('OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT', flag(), {
    default: false,
    description: 'Whether spans hold prompts, answers, and arguments and results of tools.',
  }),
}) {}
