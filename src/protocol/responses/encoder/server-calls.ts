import {
  discardedMessageIds,
  isTerminalEvent,
  isTerminalStatus,
  RUN_RECOVERED,
  type AgentEvent,
  type Message,
} from '../../../events/index.js';
import { approvedCallItem } from '../items/make-item.js';
import { isOutputOf } from '../items/output-items.js';
import { callData, isOutput, outputData, permissionOf } from '../items/tool-data.js';
import { ApprovedCallWriter, McpCallWriter, type ServerCallContext, writeCallWithOutput } from './mcp-writer.js';

/** Who makes a call: the server or its client; `discarded` for one that a recovery has discarded. */
export type CallOwner = 'server' | 'client' | 'discarded';

/** Writes the calls of the server and matches them with their outputs. */
export class ServerCalls {
  private readonly open = new Set<McpCallWriter>();
  private readonly approved: ApprovedCallWriter[] = [];
  private readonly shown = new Set<string>();
  /** The calls that need an approval, by id. */
  private readonly hidden = new Map<string, Message>();

  constructor(private readonly context: ServerCallContext) {}

  /** Begins the calls that the request approved: they are made first. */
  beginApproved(): void {
    if (this.approved.length > 0) return;
    for (const one of this.context.view.approved) this.approved.push(new ApprovedCallWriter(this.context, one));
  }

  /** Makes the writer of a call. Where an approval is possible, it writes nothing before it is known that none is needed. */
  begin(message: Message, id?: string): McpCallWriter {
    return new McpCallWriter(this.context, message, permissionOf(message) !== undefined, id);
  }

  /** Takes the closing event of a call. One that needs an approval is not shown: the approval request is. */
  close(writer: McpCallWriter, message: Message): void {
    if (permissionOf(message) !== undefined) {
      this.hidden.set(callData(message, '').callId, message);
      return;
    }
    writer.close(message);
    // Broken agents repeat ids of calls: then the newest call gets the output.
    this.find(writer.callId)?.cut();
    this.shown.add(writer.callId);
    this.open.add(writer);
  }

  /** True for the output of a call that is shown already. */
  isOutputOfShown(event: AgentEvent): boolean {
    return isClosedOutput(event) && this.find(outputData(event).callId) !== undefined;
  }

  /** Takes a closed output: of an open call, or of one that waited for an approval in an earlier run. */
  output(output: Message): void {
    const { callId, isDenied } = outputData(output);
    const call = this.find(callId) ?? this.approved.find(({ approved }) => isOutputOf(approved, output));
    if (call) call.output(output);
    else if (!this.shown.has(callId) && !isDenied && output.type !== 'function_call_output') {
      writeCallWithOutput(this.context, approvedCallItem(output, this.context.view, this.hidden.get(callId)));
    }
  }

  /** An approval is requested after all: what was shown of the call becomes incomplete. */
  approvalRequested(callId: string): void {
    this.find(callId)?.cut();
  }

  /** Ends open calls as incomplete: all of them, or those of the given messages. */
  cutAll(messageIds?: readonly string[]): void {
    for (const call of this.open) if (!messageIds || messageIds.includes(call.messageId)) call.cut();
    if (!messageIds) for (const call of this.approved) call.cut();
  }

  /** An open call by its id. Calls that have ended are removed on the way. */
  private find(callId: string): McpCallWriter | undefined {
    for (const call of this.open) {
      if (call.isOver) this.open.delete(call);
      else if (call.callId === callId) return call;
    }
    return undefined;
  }
}

/** Who makes a call, as far as an event shows, for a run whose client tools are unknown; undefined when it does not. */
export function callOwner(event: AgentEvent, call: Message): CallOwner | undefined {
  if (event.object === 'message') {
    const isOwn = isClosedOutput(event) && outputData(event).callId === callData(call, '').callId;
    return isOwn ? 'server' : undefined;
  }
  const isRecovery = event.object === 'custom' && event.name === RUN_RECOVERED;
  if (isRecovery && discardedMessageIds(event).includes(call.id)) return 'discarded';
  return isTerminalEvent(event) ? 'client' : undefined;
}

/** True for the closing event of the output of any call. */
export function isClosedOutput(event: AgentEvent): event is Message {
  return event.object === 'message' && isOutput(event.type) && isTerminalStatus(event.status);
}
