import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/index.js';
import { ImageAddressCheck } from '../../attachment/index.js';
import type { Principal, Reach } from '../../common/index.js';
import { dataOf, type Message } from '../../events/index.js';
import { Interrupts } from '../../interrupt/index.js';
import { type FoundMessage, Sessions } from '../../session/index.js';
import { isServerCallId, messageIdOf } from './items/item-ids.js';
import { approvalOf } from './items/make-item.js';
import { askedCallId } from './items/output-items.js';
import { callData, isOutput, isServerCall, isServerOutput, outputData } from './items/tool-data.js';
import type { InputEntry } from './request/input-item.decoder.js';
import { notFound } from './responses.errors.js';

/** How many messages after a call are searched for its output, and before an output for its call. */
const SEARCH_WINDOW = 200;

/** Turns the items of a request into messages; items that are stored here are looked up by their id. */
@Injectable()
export class InputResolver {
  constructor(
    private readonly sessions: Sessions,
    private readonly interrupts: Interrupts,
    private readonly images: ImageAddressCheck,
  ) {}

  /**
   * The messages of items that are added to a conversation without a run, which would check them.
   *
   * @throws AppError as `resolve`; INVALID_PARAMETER for an address of an image that is not allowed
   */
  async resolveAdded(
    { reach, identity }: Pick<Caller, 'reach' | 'identity'>,
    entries: readonly InputEntry[],
  ): Promise<readonly Message[]> {
    const messages = await this.resolve(reach, entries);
    this.images.check(messages, { field: 'items', isAuthenticated: identity !== undefined });
    return messages;
  }

  /**
   * The messages of a request's items, each message once.
   *
   * @param reach whose items the request can refer to
   * @throws ResponsesError RESOURCE_NOT_FOUND naming the path of a reference to an unknown item
   */
  async resolve(reach: Reach, entries: readonly InputEntry[]): Promise<readonly Message[]> {
    const messages: Message[] = [];
    for (const entry of entries) messages.push(...(await this.messagesOf(reach, entry)));
    return withoutRepetition(messages);
  }

  /** A repeated call is replaced by the stored one, because clients may leave out its output. */
  private async messagesOf(reach: Reach, entry: InputEntry): Promise<readonly Message[]> {
    if (entry.kind === 'messages') return entry.messages;
    const stored = await this.stored(reach, entry.id);
    if (entry.kind === 'reference') {
      if (!stored) throw notFound('RESOURCE_NOT_FOUND', 'Item', entry.id, entry.path);
      return stored;
    }
    return stored && hasCall(stored) ? stored : entry.messages;
  }

  /** The messages that a stored item shows; undefined for an unknown id. */
  private async stored(reach: Reach, id: string): Promise<readonly Message[] | undefined> {
    const found =
      (await this.sessions.findMessage(reach, messageIdOf(id))) ??
      (await this.sessions.findMessage(reach, id)) ??
      (await this.approvalRequest(reach, id));
    if (!found) return this.approvedCall(reach, id);
    const { type } = found.message;
    if (isServerCall(type) || (type === 'function_call' && isServerCallId(id))) {
      const output = await this.output(found, reach.tenantId);
      return output ? [found.message, output] : [found.message];
    }
    // An approved call has the id of its output, which means nothing to the model without the call.
    const call = isServerOutput(type) && (await this.call(found, reach.tenantId));
    return call ? [call, found.message] : [found.message];
  }

  /** An approval request has the id of its interrupt, not of its message. */
  private async approvalRequest(reach: Reach, id: string): Promise<FoundMessage | undefined> {
    const asked = await this.interrupts.find(reach, id);
    if (!asked) return undefined;
    const principal: Principal = { tenantId: reach.tenantId, userId: asked.userId };
    const page = await this.sessions.messages(principal, asked.sessionId, { limit: SEARCH_WINDOW, order: 'desc' });
    const found = page.find(({ message }) => message.type === 'mcp_approval_request' && dataOf(message)?.['id'] === id);
    return found && { sessionId: asked.sessionId, userId: asked.userId, ...found };
  }

  /** The item of an approved call has the id of its request: it shows the call and its output. */
  private async approvedCall(reach: Reach, id: string): Promise<readonly Message[] | undefined> {
    const found = await this.approvalRequest(reach, approvalOf(id) ?? id);
    const callId = found && askedCallId(found.message);
    if (!found || callId === undefined) return undefined;
    const call = await this.call(found, reach.tenantId, { callId });
    const output = await this.output(found, reach.tenantId, { callId });
    return [call, output].filter((message) => message !== undefined);
  }

  /** The output of a stored call, which follows it in the session; undefined if the call was not answered. */
  private async output(
    { message, sessionId, userId, seq }: FoundMessage,
    tenantId: string,
    { callId }: { readonly callId: string } = callData(message, ''),
  ): Promise<Message | undefined> {
    const window = { after: seq, limit: SEARCH_WINDOW, order: 'asc' } as const;
    const later = await this.sessions.messages({ tenantId, userId }, sessionId, window);
    return later.find((one) => isOutput(one.message.type) && outputData(one.message).callId === callId)?.message;
  }

  /** The call of a stored output, which precedes it in the session. */
  private async call(
    { message, sessionId, userId, seq }: FoundMessage,
    tenantId: string,
    { callId }: { readonly callId: string } = outputData(message),
  ): Promise<Message | undefined> {
    const window = { before: seq, limit: SEARCH_WINDOW, order: 'desc' } as const;
    const earlier = await this.sessions.messages({ tenantId, userId }, sessionId, window);
    return earlier.find((one) => isServerCall(one.message.type) && callData(one.message, '').callId === callId)
      ?.message;
  }
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
