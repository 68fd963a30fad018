import { Injectable } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { type AbortLike, AppError, isoTime, isoTimeOrNull, type Reach } from '../../../common/index.js';
import type { EventKind, LoggedEvent } from '../../../events/index.js';
import { Interrupts } from '../../../agent/interrupt/index.js';
import { failedStepKey, RunQueries, Runs } from '../../../run/index.js';
import { eventFrame, type StreamReader } from '../../http/index.js';
import { cursorAhead, RunStreams } from '../../wire/index.js';
import { EVENT_TYPES, type EventPageDto, type JournalDto, type TimelineDto } from '../dto/log.dto.js';
import type { EventsPageQueryDto } from '../dto/queries.dto.js';
import { TIMELINE_EVENTS, timelineOf } from './timeline.js';

const DEFAULT_LIMIT = 200;
/** How many events are read at a time for a download. */
const DOWNLOADED = 1000;
/** The most interrupts of one run that a timeline shows. */
const INTERRUPTS = 100;

/** Reads the log and the journal of a run. All methods throw RUN_NOT_FOUND for a run outside the reach. */
@Injectable()
export class RunLogService {
  constructor(
    private readonly queries: RunQueries,
    private readonly runs: Runs,
    private readonly interrupts: Interrupts,
    private readonly streams: RunStreams,
  ) {}

  /** @throws AppError EVENTS_EXPIRED, PARAMETER_VALIDATION (an unknown type) */
  async events(reach: Reach, id: string, query: EventsPageQueryDto): Promise<EventPageDto> {
    const { after, limit, text, type } = query;
    const { items, next, total } = await this.queries.events(reach, id, {
      after: after === undefined ? -1 : Number(after),
      limit: Number(limit ?? DEFAULT_LIMIT),
      ...(text !== undefined && { text }),
      ...(type !== undefined && { kinds: kindsOf(type) }),
    });
    const data = items.map(({ seq, at, kind, event }) => ({ seq, at: isoTime(at), type: kind, event }));
    return { data, nextCursor: next === undefined ? null : String(next), total };
  }

  async steps(reach: Reach, id: string): Promise<JournalDto> {
    const steps = await this.queries.steps(reach, id);
    const data = steps.map((step) => {
      const { key, status, startedAt = null, updatedAt = 0, output, messageIds } = step;
      const failed = failedStepKey(step);
      return {
        key: failed ?? key,
        status: failed === undefined ? status : 'failed',
        startedAt: isoTimeOrNull(startedAt),
        endedAt: status === 'finished' || failed !== undefined ? isoTime(updatedAt) : null,
        output,
        messageIds,
      };
    });
    return { data, nextCursor: null };
  }

  async timeline(reach: Reach, id: string): Promise<TimelineDto> {
    const run = await this.queries.details(reach, id);
    const [steps, events, { items: interrupts }] = await Promise.all([
      this.queries.steps(reach, id),
      this.queries.marks(reach, id, TIMELINE_EVENTS),
      this.interrupts.list(reach, { runId: id, limit: INTERRUPTS }),
    ]);
    return timelineOf({ run, steps, events, interrupts });
  }

  /**
   * The events after a number, then live ones, until the end of the run.
   *
   * @returns undefined if the run has ended and the reader has all of it
   * @throws AppError CURSOR_AHEAD, EVENTS_EXPIRED
   */
  async stream(
    reach: Reach,
    id: string,
    after: number,
    reader: StreamReader,
  ): Promise<Observable<readonly string[]> | undefined> {
    const run = await this.queries.details(reach, id);
    if (run.eventsPrunedAt !== null) throw new AppError('EVENTS_EXPIRED');
    if (after > run.lastSeq) {
      throw cursorAhead('after', `after is ${after}, but the last event of this run so far is ${run.lastSeq}`);
    }
    if (run.finishedAt !== null && after === run.lastSeq) return undefined;
    const read = (signal: AbortLike) => this.frames(reach, id, { after, signal, gate: reader.gate });
    return this.streams.followLive(reader, read).events();
  }

  /** The events that are committed now, one JSON text per line. @throws AppError EVENTS_EXPIRED */
  async download(reach: Reach, id: string): Promise<AsyncIterable<Uint8Array>> {
    const first = await this.queries.events(reach, id, { after: -1, limit: 1 });
    return this.lines(reach, id, first.total);
  }

  private async *lines(reach: Reach, id: string, total: number): AsyncGenerator<Uint8Array, void, void> {
    for (let after = -1; after < total - 1;) {
      const { items, next } = await this.queries.events(reach, id, { after, limit: DOWNLOADED });
      const events = items.filter(({ seq }) => seq < total);
      if (events.length > 0) yield Buffer.from(`${events.map(eventJson).join('\n')}\n`);
      if (next === undefined) return;
      after = next;
    }
  }

  private async *frames(
    reach: Reach,
    id: string,
    { gate, ...options }: { after: number; signal: AbortLike; gate: StreamReader['gate'] },
  ): AsyncGenerator<readonly string[], void, void> {
    yield [];
    for await (const events of this.runs.tail(reach, id, { ...options, ...(gate && { gate }) })) {
      yield events.map((event) => eventFrame(eventJson(event), { id: String(event.seq) }));
    }
  }
}

/** An event as one line of JSON. Its own JSON is not parsed. */
function eventJson({ seq, at, kind, json }: LoggedEvent): string {
  return `{"seq":${seq},"at":"${isoTime(at)}","type":"${kind}","event":${json}}`;
}

/** The types in a query, separated by commas. @throws AppError PARAMETER_VALIDATION */
function kindsOf(type: string): readonly EventKind[] {
  const kinds = type.split(',').map((one) => one.trim());
  const known: readonly string[] = EVENT_TYPES;
  if (kinds.every((kind) => known.includes(kind))) return kinds as EventKind[];
  const message = `type must be one or more of ${EVENT_TYPES.join(', ')}, separated by commas`;
  throw new AppError('PARAMETER_VALIDATION', message, { details: [{ path: 'type', message }] });
}
