import type { IncomingMessage, ServerResponse } from 'node:http';
import { type BaseEvent, EventType, verifyEvents } from '@ag-ui/client';
import type { RunAgentInput } from '@ag-ui/core';
import { EventSchemas, RunAgentInputSchema } from '@ag-ui/core/schemas';
import { EventEncoder } from '@ag-ui/encoder';
import { from } from 'rxjs';
import { LoopbackServer } from './loopback-server.js';

/** An event without the ids of its run, which the server adds. */
export type ScriptedEvent = { readonly type: EventType } & Readonly<Record<string, unknown>>;

/**
 * A server of AG-UI on loopback as the packages of the protocol make it: it takes only requests that the published schemas
 * take, checks each event and their order, and writes them with the published encoder.
 */
export class EncoderAgent extends LoopbackServer {
  /** The requests, as the schemas understood them. */
  readonly inputs: RunAgentInput[] = [];
  /** What the schemas refused of a request. */
  readonly refusals: string[] = [];
  script: (input: RunAgentInput) => readonly ScriptedEvent[] = () => [];

  protected override async handle(request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> {
    const parsed = RunAgentInputSchema.safeParse(JSON.parse(body.toString()));
    if (!parsed.success) {
      this.refusals.push(parsed.error.message);
      response.writeHead(422, { 'content-type': 'text/plain' }).end(parsed.error.message.slice(0, 400));
      return;
    }
    const input = parsed.data as RunAgentInput;
    this.inputs.push(input);
    await this.answer(input, request.headers.accept, response);
  }

  private async answer(input: RunAgentInput, accept: string | undefined, response: ServerResponse): Promise<void> {
    const { threadId, runId } = input;
    const scripted = this.script(input);
    const isEnded = scripted.at(-1)?.type === EventType.RUN_ERROR || scripted.at(-1)?.type === EventType.RUN_FINISHED;
    const events = [
      { type: EventType.RUN_STARTED },
      ...scripted,
      ...(isEnded ? [] : [{ type: EventType.RUN_FINISHED }]),
    ].map((event) => EventSchemas.parse({ threadId, runId, ...event }) as BaseEvent);
    const legal = await inOrder(events);
    const encoder = new EventEncoder(accept === undefined ? {} : { accept });
    response.writeHead(200, { 'content-type': encoder.getContentType() });
    for (const event of legal) response.write(encoder.encode(event));
    response.end();
  }
}

/** The events, as long as a client of the protocol takes them in this order. @throws the client's error */
function inOrder(events: readonly BaseEvent[]): Promise<readonly BaseEvent[]> {
  // The packages have a copy of rxjs of their own.
  const source = from(events) as unknown as Parameters<ReturnType<typeof verifyEvents>>[0];
  return new Promise((resolve, reject) => {
    const legal: BaseEvent[] = [];
    const next = (event: BaseEvent): void => void legal.push(event);
    verifyEvents(false)(source).subscribe({ next, error: reject, complete: () => resolve(legal) });
  });
}

/** The events of a text. */
export function textOfAgent(messageId: string, ...pieces: readonly string[]): ScriptedEvent[] {
  return [
    { type: EventType.TEXT_MESSAGE_START, messageId, role: 'assistant' },
    ...pieces.map((delta) => ({ type: EventType.TEXT_MESSAGE_CONTENT, messageId, delta })),
    { type: EventType.TEXT_MESSAGE_END, messageId },
  ];
}

/** The events of a call. @param result what the agent's own tool gives; undefined: somebody else answers */
export function callOfAgent(toolCallId: string, name: string, args: object, result?: string): ScriptedEvent[] {
  const text = JSON.stringify(args);
  return [
    { type: EventType.TOOL_CALL_START, toolCallId, toolCallName: name, parentMessageId: `m-${toolCallId}` },
    { type: EventType.TOOL_CALL_ARGS, toolCallId, delta: text.slice(0, 3) },
    { type: EventType.TOOL_CALL_ARGS, toolCallId, delta: text.slice(3) },
    { type: EventType.TOOL_CALL_END, toolCallId },
    ...(result === undefined
      ? []
      : [{ type: EventType.TOOL_CALL_RESULT, messageId: `r-${toolCallId}`, toolCallId, content: result }]),
  ];
}
