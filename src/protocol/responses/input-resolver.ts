import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/index.js';
import { ImageAddressCheck, type LocatedMessages, MessageAttachments } from '../../agent/attachment/index.js';
import type { Principal, Reach } from '../../common/index.js';
import { CALL_TYPES, dataOf, type Message, type MessageType, OUTPUT_TYPES } from '../../events/index.js';
import { Interrupts } from '../../agent/interrupt/index.js';
import { type FoundMessage, type SessionMessage, Sessions } from '../../agent/session/index.js';
import { callData, isOutput, isServerCall, isServerOutput, outputData, text } from './items/tool-data.js';
import type { InputEntry } from './request/input-item.decoder.js';
import { notFound } from './responses.errors.js';
import { isServerCallId, messageIdOf } from './items/item-ids.js';
import { approvalOf } from './items/make-item.js';
import { askedCallId } from './items/output-items.js';

/** Where a message is stored: the session and its owner. */
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
class StoredItems {
  private readonly sessionCalls = new Map<string, Promise<SessionCalls>>();

  private readonly reaches: readonly Reach[];

  /** @param reaches where items are looked up, in this order */
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

/** Turns the items of a request into messages; items that are stored here are looked up by their id. */
@Injectable()
export class InputResolver {
  constructor(
    private readonly sessions: Sessions,
    private readonly interrupts: Interrupts,
    private readonly images: ImageAddressCheck,
    private readonly attachments: MessageAttachments,
  ) {}

  /**
   * The messages of items that are added to a conversation without a run, which would check and locate their images.
   *
   * @param owner of the conversation
   * @throws AppError as `resolve`; INVALID_PARAMETER for an address of an image that is not allowed
   */
  async resolveAdded(
    { reach, identity }: Pick<Caller, 'reach' | 'identity'>,
    owner: Principal,
    entries: readonly InputEntry[],
  ): Promise<LocatedMessages> {
    const isAuthenticated = identity !== undefined;
    const messages = await this.resolve([reach], entries);
    this.images.check(messages, { field: 'items', isAuthenticated });
    return this.attachments.located(messages, { owner, isAuthenticated });
  }

  /**
   * The messages of a request's items, each message once.
   *
   * @param reaches where the items that the request refers to are looked up, in this order
   * @throws OpenAiError RESOURCE_NOT_FOUND naming the path of a reference to an unknown item
   */
  async resolve(reaches: readonly Reach[], entries: readonly InputEntry[]): Promise<readonly Message[]> {
    const stored = new StoredItems(this.sessions, this.interrupts, reaches);
    const messages: Message[] = [];
    const find = async (id: string): Promise<readonly Message[] | undefined> => {
      const found = await stored.find(id);
      // The images of a session of another owner are addressed as its readers address them.
      return found && reaches[0] && this.attachments.shown(found, reaches[0]);
    };
    for (const entry of entries) messages.push(...(await messagesOf(find, entry)));
    return withoutRepetition(messages);
  }
}

/** Finds the messages of a stored item. */
type Find = (id: string) => Promise<readonly Message[] | undefined>;

/** A repeated call is replaced by the stored one, because clients may leave out its output. */
async function messagesOf(find: Find, entry: InputEntry): Promise<readonly Message[]> {
  if (entry.kind === 'messages') return entry.messages;
  const found = await find(entry.id);
  if (entry.kind === 'reference') {
    if (!found) throw notFound('RESOURCE_NOT_FOUND', 'Item', entry.id, entry.path);
    return found;
  }
  return found && hasCall(found) ? found : entry.messages;
}

function hasCall(messages: readonly Message[]): boolean {
  return messages.some(({ type }) => isServerCall(type) || type === 'function_call');
}

/** Keeps the first of several messages with one id. */
function withoutRepetition(messages: readonly Message[]): readonly Message[] {
  const seen = new Set<string>();
  return messages.filter(({ id }) => {
    const isNew = !seen.has(id);
    seen.add(id);
    return isNew;
  });
}
