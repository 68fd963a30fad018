/** Values of span attributes. */
export type Attributes = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** One operation of a trace. */
export interface Span {
  /** As the header `traceparent` (W3C Trace Context): for what the operation calls, and what continues it. */
  readonly traceparent: string;
  readonly traceId: string;
  set(attributes: Attributes): void;
  rename(name: string): void;
  /** Ends the span. @param error the type of the error that the operation ended with; absent: it succeeded */
  end(error?: string): void;
}

/** How a span begins. */
export interface SpanOptions {
  readonly kind: 'server' | 'client' | 'internal';
  /** The `traceparent` of the operation that it is part of; absent or invalid: the span begins a trace. */
  readonly parent?: string | undefined;
  /** The `traceparent` of operations of other traces that it continues. */
  readonly links?: readonly string[];
  readonly attributes?: Attributes;
}

/**
 * Makes spans. Parents are passed by hand: an asynchronous context would slow down every promise of the process
 * (docs/performance.md).
 */
export abstract class Tracing {
  /** Whether spans hold prompts, answers, arguments and results. */
  abstract readonly capturesContent: boolean;

  /** Undefined if traces are not exported. */
  abstract start(name: string, options: SpanOptions): Span | undefined;
}

/** Makes no spans. */
export class NoTracing extends Tracing {
  readonly capturesContent = false;

  start(): undefined {
    return undefined;
  }
}

/** The parts of a `traceparent` header. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: number;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Undefined for a header that the W3C recommendation does not allow. */
export function parseTraceparent(header: string | undefined): TraceParent | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] = TRACEPARENT.exec(header ?? '') ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}
