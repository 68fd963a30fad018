import type { Json, JsonObject } from '../../../common/index.js';
import type { Journal } from '../../agent.js';
import { isPathSegment } from './remote-http.js';
import type { Opened, RemoteProtocol, StoredBoundary } from './remote-kind.js';
import type { WrittenPart } from './remote-writer.types.js';

/** Where an exchange stands in the journal. */
export type JournalState =
  | { readonly kind: 'new' }
  /** The request was sent, or was about to be at `begunAt`, in milliseconds of the epoch. */
  | { readonly kind: 'doubt'; readonly begunAt: number }
  | { readonly kind: 'open'; readonly opened: Opened; readonly boundaries: readonly StoredBoundary[] };

/** The output of the step `open`. */
interface StoredOpening {
  readonly opened: Opened;
}

/** The handle of an exchange of which nothing is known. */
export const NOT_OPENED: Opened = { handle: '', canReattach: false, isKept: false };

/**
 * What the first event of an exchange shows of it.
 *
 * @param id of the upstream; undefined if it has none
 * @param place of the request
 */
export function openedAs(
  id: string | undefined,
  { canReattach, keeps: isKept, follows }: Pick<RemoteProtocol, 'canReattach' | 'keeps' | 'follows'>,
  place: JsonObject | undefined,
): Opened {
  if (id === undefined || !isPathSegment(id)) return { handle: '', canReattach: false, isKept };
  return { handle: id, canReattach: canReattach && follows?.(id) !== false, isKept, ...(place && { place }) };
}

/** True if the first exchange of a run was begun, by this or an earlier attempt. */
export function hasBegun(journal: Journal): boolean {
  return journal.isFinished(FIRST) || journal.inDoubt(FIRST);
}

const FIRST = 'remote:0:open';

/** What a boundary keeps. */
export interface Boundary {
  readonly position: Json;
  readonly told: JsonObject;
  /** Reads the shared state. */
  readonly state: () => JsonObject;
  readonly model: string | undefined;
  /** Kept with the messages, for later runs. */
  readonly kept: JsonObject;
  readonly part: WrittenPart;
}

/**
 * The steps of one exchange (contract gateway, section B1): `open`, from before the request until its handle is known,
 * and one `at` for every boundary. Without boundaries the whole exchange is the step `open`. `state` has the shared state
 * before its first change.
 */
export class RemoteJournal {
  private next = 0;
  /** True once a boundary has the shared state: it is that of the next ones, until it changes. */
  private hasState = false;
  private isStateKept = false;

  constructor(
    private readonly journal: Journal,
    private readonly round: number,
    /** The same for the same upstream. */
    private readonly hash: string,
    /** False: the exchange is repeated as a whole. */
    readonly hasBoundaries: boolean,
  ) {}

  /** Reads what earlier attempts have written. What follows is written behind it. */
  restore(): JournalState {
    const open = this.key('open');
    if (!this.journal.isFinished(open)) {
      const begunAt = this.journal.begunAt(open);
      this.journal.finished(open, this.hash);
      return begunAt === undefined ? { kind: 'new' } : { kind: 'doubt', begunAt };
    }
    const output = this.journal.finished(open, this.hash)?.output as unknown as StoredBoundary & Partial<StoredOpening>;
    const { opened } = output;
    // An exchange without boundaries: it is over.
    if (!opened) return { kind: 'open', opened: NOT_OPENED, boundaries: [output] };
    const boundaries: StoredBoundary[] = [];
    for (; this.journal.isFinished(this.at); this.next += 1) {
      const step = this.journal.finished(this.at, this.hash);
      if (step) boundaries.push(step.output as unknown as StoredBoundary);
      this.hasState ||= step?.output['state'] !== undefined;
    }
    this.journal.finished(this.at, this.hash);
    return { kind: 'open', opened, boundaries };
  }

  /** Commits that the request is about to be sent. */
  begin(): Promise<void> {
    return this.journal.begin(this.key('open'), this.hash);
  }

  /** The handle is known. Committed before anything of the exchange. */
  opened(opened: Opened): void {
    if (!this.hasBoundaries) return;
    // Where the exchange cannot be continued, a step is always in progress, so that no hand-over cuts it.
    if (!opened.canReattach) this.journal.finished(this.at, this.hash);
    this.journal.finish(this.key('open'), this.hash, { opened } as unknown as JsonObject, []);
    if (opened.canReattach) this.journal.finished(this.at, this.hash);
  }

  /**
   * Nothing is half told: the position and what was written before it are committed together.
   *
   * @throws the reason of a hand-over, which takes place here
   */
  boundary({ part, position, told, state, model, kept }: Boundary, canReattach: boolean, isLast = false): void {
    const storesState = part.hasState || (part.hasEvents && !this.hasState);
    this.hasState ||= storesState;
    const output: JsonObject = {
      position,
      told,
      calls: part.calls as unknown as Json,
      ...(storesState && { state: state() }),
      ...(part.activities.length > 0 && { activities: part.activities as unknown as Json }),
      // In the form of a model's step, whose state is stored with its last message.
      ...{ finishReason: 'stop', toolCalls: [], replay: kept },
      ...(model !== undefined && { model }),
    };
    if (!this.hasBoundaries) {
      this.journal.finish(this.key('open'), this.hash, output, part.messageIds);
      return;
    }
    const { at } = this;
    this.next += 1;
    if (!canReattach && !isLast) this.journal.finished(this.at, this.hash);
    this.journal.finish(at, this.hash, output, part.messageIds);
    if (canReattach && !isLast) this.journal.finished(this.at, this.hash);
  }

  /** The shared state at the last of these boundaries; undefined if the exchange has not changed it. */
  stateAt(boundaries: readonly StoredBoundary[]): JsonObject | undefined {
    return boundaries.findLast((one) => one.state !== undefined)?.state ?? this.stateBefore;
  }

  private get stateBefore(): JsonObject | undefined {
    const key = this.key('state');
    const stored = this.journal.isFinished(key) ? this.journal.finished(key, this.hash)?.output['state'] : undefined;
    return stored as JsonObject | undefined;
  }

  /** The shared state is about to be changed: what comes again after a crash must find it as it is now. */
  keepState(state: JsonObject): void {
    const key = this.key('state');
    if (this.isStateKept || this.journal.isFinished(key)) return;
    this.isStateKept = true;
    this.journal.finish(key, this.hash, { state }, []);
  }

  /** What the exchange ended with, if it asked for inputs. */
  get asked(): JsonObject | undefined {
    const key = this.key('asked');
    return this.journal.isFinished(key) ? this.journal.finished(key, this.hash)?.output : undefined;
  }

  /** The exchange has ended with questions. */
  ask(output: JsonObject): void {
    this.journal.finish(this.key('asked'), this.hash, output, []);
  }

  private get at(): string {
    return this.key(`at:${this.next}`);
  }

  private key(name: string): string {
    return `remote:${this.round}:${name}`;
  }
}
