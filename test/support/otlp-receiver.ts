import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { LoopbackServer } from './loopback-server.js';

const value = z.strictObject({
  stringValue: z.string().optional(),
  intValue: z.union([z.number().int(), z.string().regex(/^-?\d+$/)]).optional(),
  doubleValue: z.number().optional(),
  boolValue: z.boolean().optional(),
  arrayValue: z.strictObject({ values: z.array(z.strictObject({ stringValue: z.string() })) }).optional(),
});
const attributes = z.array(z.strictObject({ key: z.string().min(1), value }));
const traceId = z.string().regex(/^(?!0+$)[0-9a-f]{32}$/);
const spanId = z.string().regex(/^(?!0+$)[0-9a-f]{16}$/);
const nanos = z.string().regex(/^[1-9]\d{18}$/);
const count = z.number().int().min(0);

/** A request of OTLP/HTTP with JSON as its protocol defines it; unknown members are refused. */
const REQUEST = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes, droppedAttributesCount: count }),
      schemaUrl: z.string().optional(),
      scopeSpans: z.array(
        z.strictObject({
          scope: z.strictObject({ name: z.string(), version: z.string().optional() }),
          schemaUrl: z.string().optional(),
          spans: z.array(
            z.strictObject({
              traceId,
              spanId,
              parentSpanId: spanId.optional(),
              traceState: z.string().optional(),
              name: z.string().min(1),
              kind: z.number().int().min(1).max(5),
              startTimeUnixNano: nanos,
              endTimeUnixNano: nanos,
              attributes,
              droppedAttributesCount: z.literal(0),
              events: z.array(z.never()),
              droppedEventsCount: z.literal(0),
              status: z.strictObject({ code: z.number().int().min(0).max(2), message: z.string().optional() }),
              links: z.array(
                z.strictObject({
                  traceId,
                  spanId,
                  traceState: z.string().optional(),
                  attributes,
                  droppedAttributesCount: count,
                  flags: count.optional(),
                }),
              ),
              droppedLinksCount: z.literal(0),
              flags: count.optional(),
            }),
          ),
        }),
      ),
    }),
  ),
});

/** A span as the receiver got it. */
export interface ReceivedSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly isError: boolean;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
}

/** A collector that takes nothing but what the protocol allows. */
export class OtlpReceiver extends LoopbackServer {
  readonly spans: ReceivedSpan[] = [];
  /** What was wrong with requests. */
  readonly problems: string[] = [];
  readonly headers: IncomingMessage['headers'][] = [];

  static start(): Promise<OtlpReceiver> {
    return new OtlpReceiver().listen();
  }

  /** The spans whose names begin like this. */
  named(name: string): readonly ReceivedSpan[] {
    return this.spans.filter((span) => span.name.startsWith(name));
  }

  protected override handle(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
    this.take(request, body.toString());
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  }

  private take(request: IncomingMessage, body: string): void {
    const { method, url, headers } = request;
    if (method !== 'POST' || url !== '/v1/traces') this.problems.push(`${method} ${url}`);
    if (headers['content-type'] !== 'application/json') this.problems.push(`content-type ${headers['content-type']}`);
    this.headers.push(headers);
    const parsed = REQUEST.safeParse(JSON.parse(body));
    if (!parsed.success) {
      this.problems.push(JSON.stringify(parsed.error.issues));
      return;
    }
    for (const { resource, scopeSpans } of parsed.data.resourceSpans) {
      for (const span of scopeSpans.flatMap(({ spans }) => spans)) {
        if (BigInt(span.endTimeUnixNano) < BigInt(span.startTimeUnixNano))
          this.problems.push(`${span.name} ends early`);
        this.spans.push({
          ...span,
          parentSpanId: span.parentSpanId,
          isError: span.status.code === 2,
          attributes: plain(span.attributes),
          resource: plain(resource.attributes),
        });
      }
    }
  }
}

function plain(list: z.infer<typeof attributes>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    list.map(({ key, value: { stringValue, intValue, doubleValue, boolValue, arrayValue } }) => [
      key,
      stringValue ?? intValue ?? doubleValue ?? boolValue ?? arrayValue?.values.map((item) => item.stringValue),
    ]),
  );
}
