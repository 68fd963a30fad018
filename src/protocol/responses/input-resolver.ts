import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/index.js';
import { ImageAddressCheck } from '../../attachment/index.js';
import type { Reach } from '../../common/index.js';
import type { Message } from '../../events/index.js';
import { Interrupts } from '../../interrupt/index.js';
import { Sessions } from '../../session/index.js';
import { isServerCall } from './items/tool-data.js';
import type { InputEntry } from './request/input-item.decoder.js';
import { notFound } from './responses.errors.js';
import { StoredItems } from './stored-items.js';

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
   * @throws OpenAiError RESOURCE_NOT_FOUND naming the path of a reference to an unknown item
   */
  async resolve(reach: Reach, entries: readonly InputEntry[]): Promise<readonly Message[]> {
    const stored = new StoredItems(this.sessions, this.interrupts, reach);
    const messages: Message[] = [];
    for (const entry of entries) messages.push(...(await this.messagesOf(stored, entry)));
    return withoutRepetition(messages);
  }

  /** A repeated call is replaced by the stored one, because clients may leave out its output. */
  private async messagesOf(stored: StoredItems, entry: InputEntry): Promise<readonly Message[]> {
    if (entry.kind === 'messages') return entry.messages;
    const found = await stored.find(entry.id);
    if (entry.kind === 'reference') {
      if (!found) throw notFound('RESOURCE_NOT_FOUND', 'Item', entry.id, entry.path);
      return found;
    }
    return found && hasCall(found) ? found : entry.messages;
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
