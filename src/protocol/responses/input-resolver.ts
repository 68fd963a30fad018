import { Injectable } from '@nestjs/common';
import { dataOf, type Message } from '../../events/index.js';
import { Interrupts } from '../../interrupt/index.js';
import { type FoundMessage, type MessageScope, Sessions } from '../../session/index.js';
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
  ) {}

  /**
   * The messages of a request's items, each message once.
   *
   * @param scope whose items the request can refer to
   * @throws ResponsesError RESOURCE_NOT_FOUND naming the path of a reference to an unknown item
   */
  async resolve(scope: MessageScope, entries: readonly InputEntry[]): Promise<readonly Message[]> {
    const messages: Message[] = [];
    for (const entry of entries) messages.push(...(await this.messagesOf(scope, entry)));
    return withoutRepetition(messages);
  }

  /** A repeated call is replaced by the stored one, because clients may leave out its output. */
  private async messagesOf(scope: MessageScope, entry: InputEntry): Promise<readonly Message[]> {
    if (entry.kind === 'messages') return entry.messages;
    const stored = await this.stored(scope, entry.id);
    if (entry.kind === 'reference') {
      if (!stored) throw notFound('RESOURCE_NOT_FOUND', 'Item', entry.id, entry.path);
      return stored;
    }
    return stored && hasCall(stored) ? stored : entry.messages;
  }

  /** The messages that a stored item shows; undefined for an unknown id. */
  private async stored(scope: MessageScope, id: string): Promise<readonly Message[] | undefined> {
    const found =
      (await this.sessions.findMessage(scope, messageIdOf(id))) ??
      (await this.sessions.findMessage(scope, id)) ??
      (await this.approvalRequest(scope, id));
    if (!found) return this.approvedCall(scope, id);
    const { type } = found.message;
    if (isServerCall(type) || (type === 'function_call' && isServerCallId(id))) {
      const output = await this.output(found, scope.tenantId);
      return output ? [found.message, output] : [found.message];
    }
    // An approved call has the id of its output, which means nothing to the model without the call.
    const call = isServerOutput(type) && (await this.call(found, scope.tenantId));
    return call ? [call, found.message] : [found.message];
  }

  /** An approval request has the id of its interrupt, not of its message. */
  private async approvalRequest(scope: MessageScope, id: string): Promise<FoundMessage | undefined> {
    const asked = await this.interrupts.find(scope, id);
    if (!asked) return undefined;
    const principal = { tenantId: scope.tenantId, userId: asked.userId };
    const page = await this.sessions.messages(principal, asked.sessionId, { limit: SEARCH_WINDOW, order: 'desc' });
    const found = page.find(({ message }) => message.type === 'mcp_approval_request' && dataOf(message)?.['id'] === id);
    return found && { ...found, sessionId: asked.sessionId, userId: asked.userId };
  }

  /** The item of an approved call has the id of its request: it shows the call and its output. */
  private async approvedCall(scope: MessageScope, id: string): Promise<readonly Message[] | undefined> {
    const found = await this.approvalRequest(scope, approvalOf(id) ?? id);
    const callId = found && askedCallId(found.message);
    if (!found || callId === undefined) return undefined;
    const call = await this.call(found, scope.tenantId, { callId });
    const output = await this.output(found, scope.tenantId, { callId });
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
