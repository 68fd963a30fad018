import {
  discardedMessageIds,
  isTerminalEvent,
  isTerminalStatus,
  RUN_RECOVERED,
  type AgentEvent,
  type Message,
} from '../../../events/index.js';
import type { ItemView } from '../items/item-view.js';
import { askedCallId } from '../items/output-items.js';
import { serverCallId } from '../items/make-item.js';
import { callData, isOutput, outputData } from '../items/tool-data.js';
import { FunctionCallWriter } from './call-writer.js';
import type { EventOut } from './event-out.js';
import { McpCallWriter, writeApprovedCall } from './mcp-writer.js';

/** What has become clear about a call: it is the server's, the client's, waits for a permission, or no longer counts. */
export type CallFate = 'server' | 'client' | 'asked' | 'discarded';

/** The calls of the server that are shown and have no outcome yet. */
export class ServerCalls {
  private readonly open = new Map<string, { readonly messageId: string; readonly writer: McpCallWriter }>();
  private readonly seen = new Set<string>();

  constructor(
    private readonly out: EventOut,
    private readonly view: ItemView,
  ) {}

  /** Shows a call whose fate has become clear. */
  show(call: Message, fate: CallFate): void {
    const { callId } = callData(call, this.view.agentLabel);
    this.seen.add(callId);
    if (fate === 'server') this.begin(callId, call);
    if (fate === 'client') new FunctionCallWriter(this.out, call, () => true).close(call);
  }

  /** True when this event ends a call that is shown already: it may pass while others are waited for. */
  isOutcome(event: AgentEvent): boolean {
    return isClosedOutput(event) && this.open.has(outputData(event).callId);
  }

  /** Takes a closed output: of an open call, or of one that an earlier run asked a permission for. */
  outcome(output: Message): void {
    const { callId, isDenied } = outputData(output);
    const call = this.open.get(callId);
    this.open.delete(callId);
    if (call) call.writer.outcome(output);
    else if (!this.seen.has(callId) && !isDenied && output.type !== 'function_call_output') {
      writeApprovedCall(this.out, output, this.view);
    }
  }

  /** Ends what is open: all of it, or the calls of the given messages. */
  cutAll(messageIds?: readonly string[]): void {
    for (const [callId, { messageId }] of [...this.open]) {
      if (!messageIds || messageIds.includes(messageId)) this.cut(callId);
    }
  }

  private begin(callId: string, call: Message): void {
    // Ids of calls are unique but for broken agents: then the newest counts.
    this.cut(callId);
    const writer = new McpCallWriter(this.out, call, this.view, serverCallId(call));
    this.open.set(callId, { messageId: call.id, writer });
    // A call that was cut off is never made.
    if (call.status !== 'completed') this.cut(callId);
  }

  private cut(callId: string): void {
    this.open.get(callId)?.writer.cut();
    this.open.delete(callId);
  }
}

/** What an event says about the fate of a call; undefined when it says nothing. */
export function fateIn(event: AgentEvent, call: Message): CallFate | undefined {
  const { callId } = callData(call, '');
  if (event.object === 'message') {
    if (event.type === 'mcp_approval_request') return askedCallId(event) === callId ? 'asked' : undefined;
    return isClosedOutput(event) && outputData(event).callId === callId ? 'server' : undefined;
  }
  const isRecovery = event.object === 'custom' && event.name === RUN_RECOVERED;
  if (isRecovery && discardedMessageIds(event).includes(call.id)) return 'discarded';
  if (isTerminalEvent(event)) return call.type === 'function_call' ? 'client' : 'server';
  return undefined;
}

/** True for the closing event of any call's outcome. */
export function isClosedOutput(event: AgentEvent): event is Message {
  return event.object === 'message' && isOutput(event.type) && isTerminalStatus(event.status);
}
