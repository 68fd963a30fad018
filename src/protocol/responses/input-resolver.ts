import { Injectable } from '@nestjs/common';
import { dataOf, type Message } from '../../events/index.js';
import { Interrupts } from '../../interrupt/index.js';
import { type FoundMessage, type MessageScope, Sessions } from '../../session/index.js';
import { messageIdOf } from './items/item-ids.js';
import { approvalOf } from './items/make-item.js';
import { askedCallId } from './items/output-items.js';
import { callData, isOutput, isServerCall, isServerOutput, outputData } from './items/tool-data.js';
import type { InputEntry } from './request/input-item.decoder.js';
import { notFound } from './responses.errors.js';

/** How far behind a call its outcome is looked for, and before an outcome its call. */
const OUTCOME_WINDOW = 200;

/** Turns the items of a request into messages: references become what they name. */
@Injectable()
export class InputResolver {
  constructor(
    private readonly sessions: Sessions,
    private readonly interrupts: Interrupts,
  ) {}

  /** @throws AppError RESOURCE_NOT_FOUND naming the place of a reference to nothing */
  async resolve(scope: MessageScope, entries: readonly InputEntry[]): Promise<readonly Message[]> {
    const messages: Message[] = [];
    for (const entry of entries) {
      if (entry.kind === 'messages') messages.push(...entry.messages);
      else messages.push(...(await this.referenced(scope, entry.id, entry.path)));
    }
    return withoutRepetition(messages);
  }

  private async referenced(scope: MessageScope, id: string, path: string): Promise<readonly Message[]> {
    const found =
      (await this.sessions.findMessage(scope, messageIdOf(id))) ??
      (await this.sessions.findMessage(scope, id)) ??
      (await this.approvalRequest(scope, id));
    if (!found) return this.allowed(scope, id, path);
    if (isServerCall(found.message.type)) {
      const outcome = await this.outcome(found, scope.tenantId);
      return outcome ? [found.message, outcome] : [found.message];
    }
    // An approved call has the id of its outcome; without the call a model does not know what came out.
    const call = isServerOutput(found.message.type) && (await this.call(found, scope.tenantId));
    return call ? [call, found.message] : [found.message];
  }

  /** An approval request has the id of what is asked, not of its message. */
  private async approvalRequest(scope: MessageScope, id: string): Promise<FoundMessage | undefined> {
    const asked = await this.interrupts.find(scope, id);
    if (!asked) return undefined;
    const principal = { tenantId: scope.tenantId, userId: asked.userId };
    const page = await this.sessions.messages(principal, asked.sessionId, { limit: OUTCOME_WINDOW, order: 'desc' });
    const found = page.find(({ message }) => message.type === 'mcp_approval_request' && dataOf(message)?.['id'] === id);
    return found && { ...found, sessionId: asked.sessionId, userId: asked.userId };
  }

  /** An approved call has the id of its request: what is meant is the call and what came of it. */
  private async allowed(scope: MessageScope, id: string, path: string): Promise<readonly Message[]> {
    const found = await this.approvalRequest(scope, approvalOf(id) ?? id);
    const callId = found && askedCallId(found.message);
    if (!found || callId === undefined) throw notFound('RESOURCE_NOT_FOUND', 'Item', id, path);
    const call = await this.call(found, scope.tenantId, { callId });
    const outcome = await this.outcome(found, scope.tenantId, { callId });
    return [call, outcome].filter((message) => message !== undefined);
  }

  private async outcome(
    { message, sessionId, userId, seq }: FoundMessage,
    tenantId: string,
    { callId }: { readonly callId: string } = callData(message, ''),
  ): Promise<Message | undefined> {
    const window = { after: seq, limit: OUTCOME_WINDOW, order: 'asc' } as const;
    const behind = await this.sessions.messages({ tenantId, userId }, sessionId, window);
    return behind.find((one) => isOutput(one.message.type) && outputData(one.message).callId === callId)?.message;
  }

  private async call(
    { message, sessionId, userId, seq }: FoundMessage,
    tenantId: string,
    { callId }: { readonly callId: string } = outputData(message),
  ): Promise<Message | undefined> {
    const window = { before: seq, limit: OUTCOME_WINDOW, order: 'desc' } as const;
    const before = await this.sessions.messages({ tenantId, userId }, sessionId, window);
    return before.find((one) => isServerCall(one.message.type) && callData(one.message, '').callId === callId)?.message;
  }
}

/** A message that is named twice stands where it is named first. */
function withoutRepetition(messages: readonly Message[]): readonly Message[] {
  const seen = new Set<string>();
  return messages.filter(({ id }) => {
    const isNew = !seen.has(id);
    seen.add(id);
    return isNew;
  });
}
