import { Injectable } from '@nestjs/common';
import { DateTime } from 'luxon';
import { AttachmentService } from '../../../agent/attachment/index.js';
import { AppError, type Principal, resolveTimeZone } from '../../../common/index.js';
import { type SessionMessage, Sessions } from '../../../agent/session/index.js';
import { UserSettings } from '../../../user-settings/index.js';
import { RunsError } from '../runs.errors.js';
import { canonicalThreadId } from '../run-lookup.js';
import { encodeHistoryMessage, type HistoryMessage, isVisible } from './history-message.encoder.js';
import { imageAddresses } from './image-address.js';

const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;

/** True for a date of the calendar, `YYYY-MM-DD`. */
function isCalendarDay(text: string): boolean {
  return DAY.test(text) && DateTime.fromISO(text, { zone: 'UTC' }).isValid;
}

/** The day of a moment in a zone. @param at milliseconds since the epoch */
function dayOf(at: number, timeZone: string): string {
  return DateTime.fromMillis(at, { zone: timeZone }).toFormat('yyyy-MM-dd');
}

/** When a day begins in a zone, in milliseconds since the epoch; a day need not begin at midnight. */
function startOfDay(day: string, timeZone: string): number {
  return DateTime.fromISO(day, { zone: timeZone }).startOf('day').toMillis();
}

/** When the day after a day begins. */
function endOfDay(day: string, timeZone: string): number {
  return DateTime.fromISO(day, { zone: timeZone }).startOf('day').plus({ days: 1 }).startOf('day').toMillis();
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Messages that one page shows at most. */
const MAX_MESSAGES = 500;
/** Messages read at once. */
const PAGE = 200;

/** One day of a thread. */
export interface HistoryPage {
  /** Names the kind of page: it always covers one calendar day. */
  readonly scope: 'history_day';
  /** Null when the user has no thread. */
  readonly threadId: string | null;
  /** `YYYY-MM-DD` in the user's time zone. */
  readonly day: string | null;
  /** Whether there are older messages, on this day or on earlier ones. */
  readonly hasMore: boolean;
  /** In the order of the conversation, oldest first. */
  readonly messages: readonly HistoryMessage[];
}

/** Which day to show. */
export interface HistoryQuery {
  /** A UUID; absent, the thread with the newest activity. */
  readonly threadId?: string | undefined;
  /** `YYYY-MM-DD`: only messages before this day. Absent, the newest day is shown. */
  readonly before?: string | undefined;
  /** Goes on with the day `before` itself: its messages with a smaller `seq`. */
  readonly beforeSeq?: number | undefined;
}

/** A stretch of a thread, newest first. */
interface Stretch {
  /** Earliest time, in milliseconds since the epoch; inclusive. */
  readonly from?: number;
  /** Time in milliseconds since the epoch before which the messages are; exclusive. */
  readonly to?: number | undefined;
  /** Only messages with a smaller `seq`. */
  readonly beforeSeq?: number | undefined;
}

/** The history of threads by calendar days of their user (contract runs-api, section 6). */
@Injectable()
export class ThreadHistory {
  constructor(
    private readonly sessions: Sessions,
    private readonly settings: UserSettings,
    private readonly attachments: AttachmentService,
  ) {}

  /** @throws AppError INVALID_THREAD_ID, INVALID_BEFORE, SESSION_NOT_FOUND */
  async page(principal: Principal, query: HistoryQuery): Promise<HistoryPage> {
    const { before, beforeSeq } = query;
    if (query.threadId !== undefined && !UUID.test(query.threadId)) throw new RunsError('INVALID_THREAD_ID');
    if (before !== undefined && !isCalendarDay(before)) throw new RunsError('INVALID_BEFORE');
    const threadId = await this.thread(principal, query.threadId);
    const none = { scope: 'history_day' as const, threadId, day: null, hasMore: false, messages: [] };
    if (threadId === null) return none;
    const zone = resolveTimeZone([(await this.settings.get(principal)).timezone]);
    const to =
      before === undefined ? undefined : beforeSeq === undefined ? startOfDay(before, zone) : endOfDay(before, zone);
    const [newest] = await this.visible(principal, threadId, { to, beforeSeq }, 1);
    if (!newest) return none;
    const day = dayOf(newest.createdAt, zone);
    const from = startOfDay(day, zone);
    const found = await this.visible(principal, threadId, { from, to, beforeSeq }, MAX_MESSAGES + 1);
    const shown = found.slice(0, MAX_MESSAGES).sort((a, b) => a.seq - b.seq);
    const hasMore =
      found.length > MAX_MESSAGES || (await this.visible(principal, threadId, { to: from }, 1)).length > 0;
    const addressOf = imageAddresses(this.attachments, principal);
    const messages = shown.flatMap((stored) => encodeHistoryMessage(stored, addressOf) ?? []);
    return { scope: 'history_day', threadId, day, hasMore, messages };
  }

  /** The requested thread, otherwise the one with the newest activity; null without any. */
  private async thread(principal: Principal, threadId: string | undefined): Promise<string | null> {
    if (threadId === undefined) {
      const { items } = await this.sessions.list(principal, { limit: 1 });
      return items[0]?.sessionId ?? null;
    }
    const sessionId = canonicalThreadId(threadId);
    if (!(await this.sessions.view(principal, sessionId))) throw new AppError('SESSION_NOT_FOUND');
    return sessionId;
  }

  /** The newest visible messages of a stretch, at most `limit`. */
  private async visible(
    principal: Principal,
    threadId: string,
    { from, to, beforeSeq }: Stretch,
    limit: number,
  ): Promise<SessionMessage[]> {
    const found: SessionMessage[] = [];
    for (let before = beforeSeq; ;) {
      const page = await this.sessions.messages(principal, threadId, {
        limit: PAGE,
        order: 'desc',
        ...(before !== undefined && { before }),
        ...(from !== undefined && { from }),
        ...(to !== undefined && { to }),
      });
      found.push(...page.filter(isVisible));
      if (page.length < PAGE || found.length >= limit) return found.slice(0, limit);
      before = page.at(-1)?.seq;
    }
  }
}
