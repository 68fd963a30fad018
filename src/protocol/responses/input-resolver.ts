import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/index.js';
import { ImageAddressCheck, type LocatedMessages, MessageAttachments } from '../../attachment/index.js';
import type { Principal, Reach } from '../../common/index.js';
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
   * @param reaches whose items the request can refer to, in the order in which they are looked for
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
