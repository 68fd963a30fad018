import {
  type Link,
  ROOT_CONTEXT,
  type Span as OtelSpan,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import type { OnApplicationShutdown } from '@nestjs/common';
import { VERSION } from '../../common/index.js';
import { COMMON } from './attributes.js';
import { type Attributes, parseTraceparent, type Span, type SpanOptions, Tracing } from './tracing.js';
import type { TracingSettings } from './tracing.settings.js';

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;

/** Milliseconds between two exports, and for the last one when the process stops. */
const EXPORT_INTERVAL_MS = 1000;
const LAST_EXPORT_MS = 2000;

/** Sends spans to a collector, in batches that no request waits for. What the collector does not take in time is lost. */
export class OtelTracing extends Tracing implements OnApplicationShutdown {
  readonly capturesContent: boolean;
  private readonly provider: NodeTracerProvider;
  private readonly tracer: Tracer;

  constructor({ endpoint = '', headers, serviceName, capturesContent }: TracingSettings, instanceId: string) {
    super();
    this.capturesContent = capturesContent;
    const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
    const exporter = new OTLPTraceExporter({ url, headers: headersOf(headers) });
    this.provider = new NodeTracerProvider({
      resource: resourceFromAttributes({
        'service.name': serviceName,
        'service.version': VERSION,
        'service.instance.id': instanceId,
      }),
      spanProcessors: [new BatchSpanProcessor(exporter, { scheduledDelayMillis: EXPORT_INTERVAL_MS })],
    });
    this.tracer = this.provider.getTracer('parley', VERSION);
  }

  start(name: string, { kind, parent, links = [], attributes = {} }: SpanOptions): Span {
    const within = contextOf(parent);
    const linked = links.flatMap((link): Link[] => {
      const linkedTo = trace.getSpanContext(contextOf(link));
      return linkedTo ? [{ context: linkedTo }] : [];
    });
    const options = { kind: KINDS[kind], attributes: mutable(attributes), links: linked };
    return new TracedSpan(this.tracer.startSpan(name, options, within));
  }

  async onApplicationShutdown(): Promise<void> {
    const timer = new Promise<void>((resolve) => void setTimeout(resolve, LAST_EXPORT_MS).unref());
    await Promise.race([this.provider.shutdown().catch(() => undefined), timer]);
  }
}

class TracedSpan implements Span {
  readonly traceId: string;
  readonly traceparent: string;

  constructor(private readonly span: OtelSpan) {
    const { traceId, spanId, traceFlags } = span.spanContext();
    this.traceId = traceId;
    this.traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  }

  set(attributes: Attributes): void {
    this.span.setAttributes(mutable(attributes));
  }

  rename(name: string): void {
    this.span.updateName(name);
  }

  end(error?: string): void {
    if (error !== undefined) {
      this.span.setAttribute(COMMON.errorType, error);
      this.span.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.span.end();
  }
}

/** The context of a remote parent; without one, that of a new trace. */
function contextOf(traceparent: string | undefined): typeof ROOT_CONTEXT {
  const parsed = parseTraceparent(traceparent);
  if (!parsed) return ROOT_CONTEXT;
  const { traceId, spanId, flags } = parsed;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: flags & 1, isRemote: true });
}

function mutable(attributes: Attributes): Record<string, string | number | boolean | string[]> {
  return attributes as Record<string, string | number | boolean | string[]>;
}

/** The headers of OTEL_EXPORTER_OTLP_HEADERS, as OpenTelemetry writes them. */
function headersOf(text = ''): Record<string, string> {
  const pairs = text.split(',').flatMap((pair): [string, string][] => {
    const at = pair.indexOf('=');
    return at > 0 ? [[pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())]] : [];
  });
  return Object.fromEntries(pairs);
}
