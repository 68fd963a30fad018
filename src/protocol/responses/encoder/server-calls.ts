import {
  discardedMessageIds,
  isTerminalEvent,
  isTerminalStatus,
  RUN_RECOVERED,
  type AgentEvent,
  type Message,
} from '../../../events/index.js';
import { approvedCallItem } from '../items/make-item.js';
import { isOutcomeOf } from '../items/output-items.js';
import { callData, isOutput, outputData, permissionOf } from '../items/tool-data.js';
import { ApprovedCallWriter, McpCallWriter, type McpSurroundings, writeWhole } from './mcp-writer.js';

/** What has become clear about a call: it is the server's, the client's, or no longer counts. */
export type CallFate = 'server' | 'client' | 'discarded';

/** The calls of the server that are shown and have no outcome yet. */
export class ServerCalls {
  private readonly open = new Set<McpCallWriter>();
  private readonly approved: ApprovedCallWriter[] = [];
  private readonly shown = new Set<string>();
  /** The calls that a permission is needed for. */
  private readonly hidden = new Map<string, Message>();

  constructor(private readonly to: McpSurroundings) {}

  /** Shows the calls that the request allowed: they are made first of all. */
  beginApproved(): void {
    if (this.approved.length > 0) return;
    for (const one of this.to.view.approved) this.approved.push(new ApprovedCallWriter(this.to, one));
  }

  /** A call of the server's, shown as it grows; where a permission is possible, once it is known that none is needed. */
  begin(message: Message, id?: string): McpCallWriter {
    return new McpCallWriter(this.to, message, permissionOf(message) !== undefined, id);
  }

  /** The call is whole. One that a permission is asked for is not shown: the request is. */
  close(writer: McpCallWriter, message: Message): void {
    if (permissionOf(message) !== undefined) {
      this.hidden.set(callData(message, '').callId, message);
      return;
    }
    writer.close(message);
    // Ids of calls are unique but for broken agents: then the newest counts.
    this.find(writer.callId)?.cut();
    this.shown.add(writer.callId);
    this.open.add(writer);
  }

  /** True when this event ends a call that is shown already: it may pass while others are waited for. */
  isOutcome(event: AgentEvent): boolean {
    return isClosedOutput(event) && this.find(outputData(event).callId) !== undefined;
  }

  /** Takes a closed output: of an open call, or of one that an earlier run asked a permission for. */
  outcome(output: Message): void {
    const { callId, isDenied } = outputData(output);
    const call = this.find(callId) ?? this.approved.find(({ approved }) => isOutcomeOf(approved, output));
    if (call) call.outcome(output);
    else if (!this.shown.has(callId) && !isDenied && output.type !== 'function_call_output') {
      writeWhole(this.to, approvedCallItem(output, this.to.view, this.hidden.get(callId)));
    }
  }

  /** A permission is asked for after all: what was shown of the call is cut, and the request is shown. */
  asked(callId: string): void {
    this.find(callId)?.cut();
  }

  /** Ends what is open: all of it, or the calls of the given messages. */
  cutAll(messageIds?: readonly string[]): void {
    for (const call of this.open) if (!messageIds || messageIds.includes(call.messageId)) call.cut();
    if (!messageIds) for (const call of this.approved) call.cut();
  }

  private find(callId: string): McpCallWriter | undefined {
    for (const call of this.open) {
      if (call.isOver) this.open.delete(call);
      else if (call.callId === callId) return call;
    }
    return undefined;
  }
}

/** What an event says about the fate of a call that nobody has declared; undefined when it says nothing. */
export function fateIn(event: AgentEvent, call: Message): CallFate | undefined {
  if (event.object === 'message') {
    const isOwn = isClosedOutput(event) && outputData(event).callId === callData(call, '').callId;
    return isOwn ? 'server' : undefined;
  }
  const isRecovery = event.object === 'custom' && event.name === RUN_RECOVERED;
  if (isRecovery && discardedMessageIds(event).includes(call.id)) return 'discarded';
  return isTerminalEvent(event) ? 'client' : undefined;
}

/** True for the closing event of any call's outcome. */
export function isClosedOutput(event: AgentEvent): event is Message {
  return event.object === 'message' && isOutput(event.type) && isTerminalStatus(event.status);
}
