import type { Principal, Reach } from '../../common/index.js';
import { CALL_TYPES, dataOf, type Message, type MessageType, OUTPUT_TYPES } from '../../events/index.js';
import type { Interrupts } from '../../interrupt/index.js';
import type { FoundMessage, SessionMessage, Sessions } from '../../session/index.js';
import { isServerCallId, messageIdOf } from './items/item-ids.js';
import { approvalOf } from './items/make-item.js';
import { askedCallId } from './items/output-items.js';
import { callData, isOutput, isServerCall, isServerOutput, outputData, text } from './items/tool-data.js';

/** Where a message is stored: the session, and whose it is. */
type Place = Pick<FoundMessage, 'sessionId' | 'userId'>;

const APPROVAL_REQUEST: MessageType = 'mcp_approval_request';
const TYPES: readonly MessageType[] = [...CALL_TYPES, ...OUTPUT_TYPES, APPROVAL_REQUEST];

/** The tool calls of a session, oldest first. */
class SessionCalls {
  /** By the id of the call. */
  private readonly calls = new Map<string, SessionMessage[]>();
  private readonly outputs = new Map<string, SessionMessage[]>();
  /** By the id of the request. */
  private readonly requests = new Map<string, SessionMessage>();

  constructor(messages: readonly SessionMessage[]) {
    for (const stored of messages) {
      const { message } = stored;
      if (isServerCall(message.type)) addTo(this.calls, callData(message, '').callId, stored);
      else if (isOutput(message.type)) addTo(this.outputs, outputData(message).callId, stored);
      else if (message.type === APPROVAL_REQUEST) this.requests.set(text(dataOf(message)?.['id']), stored);
    }
  }

  /** The output of a call, which follows it. */
  outputAfter(seq: number, callId: string): Message | undefined {
    return this.outputs.get(callId)?.find((output) => output.seq > seq)?.message;
  }

  /** The call of an output, which precedes it. */
  callBefore(seq: number, callId: string): Message | undefined {
    return this.calls.get(callId)?.findLast((call) => call.seq < seq)?.message;
  }

  approvalRequest(id: string): SessionMessage | undefined {
    return this.requests.get(id);
  }
}

/**
 * The stored items that one request refers to. The calls of a session are read once, because clients send all calls of
 * a conversation with every request.
 */
export class StoredItems {
  private readonly sessionCalls = new Map<string, Promise<SessionCalls>>();

  private readonly reaches: readonly Reach[];

  /** @param reaches whose items are found, in this order */
  constructor(
    private readonly sessions: Sessions,
    private readonly interrupts: Interrupts,
    reaches: readonly Reach[],
  ) {
    this.reaches = reaches.filter((reach, index) => !reaches.slice(0, index).some((one) => isSame(one, reach)));
  }

  /** The messages that an item shows, a call together with its output; undefined for an unknown id. */
  async find(id: string): Promise<readonly Message[] | undefined> {
    for (const reach of this.reaches) {
      const found = await this.findIn(reach, id);
      if (found) return found;
    }
    return undefined;
  }

  private async findIn(reach: Reach, id: string): Promise<readonly Message[] | undefined> {
    const found =
      (await this.sessions.findMessage(reach, messageIdOf(id))) ??
      (await this.sessions.findMessage(reach, id)) ??
      (await this.approvalRequest(reach, id));
    if (!found) return this.approvedCall(reach, id);
    const { message, seq } = found;
    if (isServerCall(message.type) || (message.type === 'function_call' && isServerCallId(id))) {
      const calls = await this.callsOf(reach, found);
      const output = calls.outputAfter(seq, callData(message, '').callId);
      return output ? [message, output] : [message];
    }
    if (!isServerOutput(message.type)) return [message];
    // An approved call has the id of its output, which means nothing to the model without the call.
    const calls = await this.callsOf(reach, found);
    const call = calls.callBefore(seq, outputData(message).callId);
    return call ? [call, message] : [message];
  }

  /** An approval request has the id of its interrupt, not of its message. */
  private async approvalRequest(reach: Reach, id: string): Promise<FoundMessage | undefined> {
    const asked = await this.interrupts.find(reach, id);
    if (!asked) return undefined;
    const { sessionId, userId } = asked;
    const found = (await this.callsOf(reach, asked)).approvalRequest(id);
    return found && { sessionId, userId, ...found };
  }

  /** The item of an approved call has the id of its request: it shows the call and its output. */
  private async approvedCall(reach: Reach, id: string): Promise<readonly Message[] | undefined> {
    const request = await this.approvalRequest(reach, approvalOf(id) ?? id);
    const callId = request && askedCallId(request.message);
    if (!request || callId === undefined) return undefined;
    const calls = await this.callsOf(reach, request);
    const shown = [calls.callBefore(request.seq, callId), calls.outputAfter(request.seq, callId)];
    return shown.filter((message) => message !== undefined);
  }

  private callsOf({ tenantId }: Reach, { sessionId, userId }: Place): Promise<SessionCalls> {
    const key = JSON.stringify([userId, sessionId]);
    const calls = this.sessionCalls.get(key) ?? this.readCalls({ tenantId, userId }, sessionId);
    this.sessionCalls.set(key, calls);
    return calls;
  }

  private async readCalls(owner: Principal, sessionId: string): Promise<SessionCalls> {
    return new SessionCalls(await this.sessions.messagesOfTypes(owner, sessionId, TYPES));
  }
}

function addTo(messages: Map<string, SessionMessage[]>, callId: string, message: SessionMessage): void {
  const known = messages.get(callId);
  if (known) known.push(message);
  else messages.set(callId, [message]);
}

function isSame(one: Reach, other: Reach): boolean {
  const userOf = (reach: Reach): string | undefined => (reach.of === 'user' ? reach.userId : undefined);
  return one.tenantId === other.tenantId && one.of === other.of && userOf(one) === userOf(other);
}
