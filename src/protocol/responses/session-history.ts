import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/index.js';
import type { Message } from '../../events/index.js';
import { type SessionMessage, Sessions } from '../../session/index.js';
import type { Item } from './items/item.types.js';
import { HISTORY_VIEW } from './items/item-view.js';
import { historyItems } from './items/output-items.js';

/** Messages read at once. */
const PAGE = 500;

/** Reads whole conversations. */
@Injectable()
export class SessionHistory {
  constructor(private readonly sessions: Sessions) {}

  /** All messages of a session, oldest first; with `until`, up to the run with that ordinal. */
  async messages(
    principal: Principal,
    sessionId: string,
    until = Number.MAX_SAFE_INTEGER,
  ): Promise<readonly Message[]> {
    const all: SessionMessage[] = [];
    for (let after = -1; ;) {
      const page = await this.sessions.messages(principal, sessionId, { after, limit: PAGE, order: 'asc' });
      all.push(...page);
      const last = page.at(-1);
      if (!last || page.length < PAGE) break;
      after = last.seq;
    }
    return all
      .filter(({ runOrdinal }) => runOrdinal <= until)
      .sort((a, b) => a.runOrdinal - b.runOrdinal || a.seq - b.seq)
      .map(({ message }) => message);
  }

  /** All items of a session, oldest first. */
  async items(principal: Principal, sessionId: string): Promise<readonly Item[]> {
    return itemsOf(await this.messages(principal, sessionId));
  }
}

/** Messages as items, whoever wrote them. */
export function itemsOf(messages: readonly Message[]): readonly Item[] {
  return historyItems(messages, HISTORY_VIEW);
}
