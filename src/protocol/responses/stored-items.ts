import type { Principal, Reach } from '../../common/index.js';
import { dataOf, type Message } from '../../events/index.js';
import type { Interrupts } from '../../interrupt/index.js';
import type { FoundMessage, SessionMessage, Sessions } from '../../session/index.js';
import { isServerCallId, messageIdOf } from './items/item-ids.js';
import { approvalOf } from './items/make-item.js';
import { askedCallId } from './items/output-items.js';
import { callData, isOutput, isServerCall, isServerOutput, outputData, TOOL_TYPES } from './items/tool-data.js';

/**
 * The stored items that one request refers to. The calls of a session are read once, because clients send all calls of
 * a conversation with every request.
 */
export class StoredItems {
  private readonly toolMessages = new Map<string, Promise<readonly SessionMessage[]>>();

  /** @param reach whose items are found */
  constructor(
    private readonly sessions: Sessions,
    private readonly interrupts: Interrupts,
    private readonly reach: Reach,
  ) {}

  /** The messages that an item shows, a call together with its output; undefined for an unknown id. */
  async find(id: string): Promise<readonly Message[] | undefined> {
    const found =
      (await this.sessions.findMessage(this.reach, messageIdOf(id))) ??
      (await this.sessions.findMessage(this.reach, id)) ??
      (await this.approvalRequest(id));
    if (!found) return this.approvedCall(id);
    const { type } = found.message;
    if (isServerCall(type) || (type === 'function_call' && isServerCallId(id))) {
      const output = await this.output(found);
      return output ? [found.message, output] : [found.message];
    }
    // An approved call has the id of its output, which means nothing to the model without the call.
    const call = isServerOutput(type) && (await this.call(found));
    return call ? [call, found.message] : [found.message];
  }

  /** An approval request has the id of its interrupt, not of its message. */
  private async approvalRequest(id: string): Promise<FoundMessage | undefined> {
    const asked = await this.interrupts.find(this.reach, id);
    if (!asked) return undefined;
    const { sessionId, userId } = asked;
    const requests = await this.sessions.messagesOf(this.owner(userId), sessionId, ['mcp_approval_request']);
    const found = requests.findLast(({ message }) => dataOf(message)?.['id'] === id);
    return found && { sessionId, userId, ...found };
  }

  /** The item of an approved call has the id of its request: it shows the call and its output. */
  private async approvedCall(id: string): Promise<readonly Message[] | undefined> {
    const found = await this.approvalRequest(approvalOf(id) ?? id);
    const callId = found && askedCallId(found.message);
    if (!found || callId === undefined) return undefined;
    const call = await this.call(found, callId);
    const output = await this.output(found, callId);
    return [call, output].filter((message) => message !== undefined);
  }

  /** The output of a call, which follows it in the session; undefined if the call was not answered. */
  private async output(found: FoundMessage, callId = callData(found.message, '').callId): Promise<Message | undefined> {
    const outputs = (await this.toolMessagesOf(found)).filter(({ message }) => isOutput(message.type));
    return outputs.find(({ seq, message }) => seq > found.seq && outputData(message).callId === callId)?.message;
  }

  /** The call of an output, which precedes it in the session. */
  private async call(found: FoundMessage, callId = outputData(found.message).callId): Promise<Message | undefined> {
    const calls = (await this.toolMessagesOf(found)).filter(({ message }) => isServerCall(message.type));
    return calls.findLast(({ seq, message }) => seq < found.seq && callData(message, '').callId === callId)?.message;
  }

  private toolMessagesOf({ sessionId, userId }: FoundMessage): Promise<readonly SessionMessage[]> {
    const key = JSON.stringify([userId, sessionId]);
    const read = this.toolMessages.get(key) ?? this.sessions.messagesOf(this.owner(userId), sessionId, TOOL_TYPES);
    this.toolMessages.set(key, read);
    return read;
  }

  private owner(userId: string): Principal {
    return { tenantId: this.reach.tenantId, userId };
  }
}
