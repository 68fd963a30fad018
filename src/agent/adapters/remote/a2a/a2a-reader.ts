import { AppError, fingerprint, type Json, type JsonObject } from '../../../../common/index.js';
import type { RemoteAgentConfig } from '../../../remote/remote-config.js';
import { UpstreamStatusError } from '../../upstream/upstream-error.js';
import { asText, type Fields, fieldsOf, objectAt, objectsAt, pieceAt, textAt } from '../json-fields.js';
import type { SseEvent } from '../remote-connection.js';
import { cutFailure, oneLine, protocolFailure, RemoteFailure, reportedFailure } from '../remote-failure.js';
import type { ExchangeEnd, RemoteReader } from '../remote-kind.js';
import type { RemoteWriter } from '../remote-writer.js';
import {
  contentOf,
  innerOf,
  INTERNAL,
  isDiscarded,
  isThought,
  kindOf,
  kindOfError,
  NO_METHOD,
  resultIn,
  stateOf,
  TASK_GONE,
  TASK_NOT_FOUND,
  textIn,
  UNSUPPORTED,
} from './a2a-frames.js';
import { handleOf, taskIn } from './a2a-handle.js';
import { askFor, AUTH_KEY, wordsAsked } from './a2a-questions.js';
import {
  keptParts,
  partsBehind,
  printOf,
  shownIn,
  type ShownArtifact,
  shownJson,
  type ShownPiece,
  withPiece,
} from './shown-artifacts.js';

/** Frames that are skipped before the exchange has failed. */
const MOST_SKIPPED = 20;
/** The reason of an error that ends a stream while the task goes on. */
const STREAM_CLOSED = 'STREAM_CLOSED';

/** The exchange whose questions another one answers. */
export interface AnsweredExchange {
  readonly handle: string;
  /** `A2aReader.shown` of it. */
  readonly shown: unknown;
}

/** Reads the frames of one task of A2A, of both versions (contract gateway, section C). */
export class A2aReader implements RemoteReader {
  end: ExchangeEnd | undefined;
  readonly model = undefined;
  /** How many frames were read that said something new. */
  position = 0;
  /** How many frames were read: a snapshot that was there before shows that the task goes on. */
  heard = 0;
  /** The last snapshot: a connection that was made again begins with one, and a look is one. */
  private lastTask = '';
  /** The last words of a task that is being worked on. */
  private lastWords = '';
  private taskId = '';
  private contextId = '';
  /** What earlier exchanges have shown of the artifacts of the task. */
  private readonly before: Map<string, ShownArtifact>;
  /** Artifacts that are told whole, in this attempt and in those before, and what was shown of them. */
  private readonly told = new Map<string, ShownArtifact>();
  private newlyTold = new Map<string, ShownArtifact>();
  /** The parts beside the text that this exchange has shown of each artifact, and those since the last boundary. */
  private readonly others = new Map<string, string[]>();
  private newOthers: [string, string][] = [];
  /** True on a connection that continues the task. */
  private isContinued = false;
  private hasContent = false;
  /** True once this connection has brought a message. */
  private hasMessage = false;
  /** What the task has said last while it was worked on, and whether a boundary has it. */
  private lastParts: readonly Fields[] = [];
  private isLastKept = true;
  private skipped = 0;
  /** Artifacts that had begun and that a later snapshot does not have. */
  private missing: string[] = [];
  private readonly begun = new Set<string>();
  /** Artifacts that began anew: their messages have other keys. */
  private readonly versions = new Map<string, number>();

  /** @param answered the exchange whose task this one goes on with */
  constructor(
    private readonly config: Pick<RemoteAgentConfig, 'secrets' | 'progress'>,
    private readonly answered?: AnsweredExchange,
  ) {
    this.before = new Map(shownIn(answered?.shown));
  }

  identify(event: SseEvent): string | undefined {
    const result = resultIn(fieldsOf(event));
    const inner = innerOf(result);
    const taskId = kindOf(result) === 'task' ? textAt(inner, 'id') : textAt(inner, 'taskId');
    const contextId = textAt(inner, 'contextId') ?? '';
    // An error names no task.
    return taskId || contextId ? handleOf(taskId ?? '', contextId) : this.answered?.handle;
  }

  read(event: SseEvent, writer: RemoteWriter): void {
    const fields = fieldsOf(event);
    if ('error' in fields && fields['error']) return this.refuse(objectAt(fields, 'error'));
    const result = resultIn(fields);
    const inner = innerOf(result);
    this.heard += 1;
    if (kindOf(result) === 'task' && this.isRepeated(inner)) return;
    this.position += 1;
    switch (kindOf(result)) {
      case 'task':
        return this.task(inner, writer);
      case 'message':
        return this.message(inner, writer);
      case 'statusUpdate':
        return this.isOurs(inner) ? this.status(objectAt(inner, 'status'), writer) : this.skip();
      case 'artifactUpdate':
        return this.isOurs(inner) ? this.artifact(inner, writer) : this.skip();
      default:
        return this.skip();
    }
  }

  /** Whether a snapshot is the one that was there before: then there is nothing new. */
  private isRepeated(task: Fields): boolean {
    const before = this.lastTask;
    this.lastTask = fingerprint([JSON.stringify(task)]);
    return this.lastTask === before;
  }

  takeTold(): JsonObject {
    const artifacts = shownJson(this.newlyTold);
    const others = this.newOthers;
    const words = this.isLastKept ? undefined : keptParts(this.lastParts);
    this.newlyTold = new Map();
    this.newOthers = [];
    this.isLastKept = true;
    return {
      ...{ artifacts, others, hasContent: this.hasContent, task: this.taskId, context: this.contextId },
      ...(words && { words }),
    };
  }

  shown(writer: RemoteWriter): Json {
    const open = [...this.others.keys()].filter((id) => !this.told.has(id));
    const own = open.map((id) => [id, withPiece(this.before.get(id), this.pieceOf(id, writer))] as const);
    return shownJson(new Map([...this.before, ...own, ...this.told]));
  }

  /** Its first frame is a snapshot. */
  reconnected(): void {
    this.isContinued = true;
    this.hasMessage = false;
  }

  /** A message has no other end than that of the stream. */
  closed(): void {
    if (this.hasMessage) this.end ??= { kind: 'completed' };
  }

  restore(position: Json, told: readonly JsonObject[]): void {
    this.position = typeof position === 'number' ? position : 0;
    for (const { artifacts, others, hasContent, task, context, ...rest } of told) {
      for (const [id, shown] of shownIn(artifacts)) this.told.set(id, shown);
      for (const [id, print] of (others ?? []) as [string, string][]) this.othersOf(id).push(print);
      this.taskId = asText(task);
      this.contextId = asText(context);
      this.hasContent ||= hasContent === true;
      if ('words' in rest) this.lastParts = objectsAt(rest, 'words');
    }
  }

  /** An error in place of a result. */
  private refuse(error: Fields): void {
    const { reason, code } = kindOfError(error);
    const hasTask = this.isContinued || this.position > 0;
    const isTaskKnown = hasTask || this.taskId !== '' || taskIn(this.answered?.handle ?? '') !== '';
    if (reason === STREAM_CLOSED && isTaskKnown) throw cutFailure(undefined);
    // Over HTTP+JSON the code is a status.
    const isInternal = code === INTERNAL || (typeof code === 'number' && code >= 500);
    if (isInternal && hasTask) throw cutFailure(new Error(textAt(error, 'message')));
    if (code === NO_METHOD && hasTask) throw unsupported();
    if (code === UNSUPPORTED && isTaskKnown) throw unsupported();
    if (code === TASK_NOT_FOUND && isTaskKnown) {
      this.end = { kind: 'failed', error: new AppError('UPSTREAM_LOST', TASK_GONE) };
      return;
    }
    this.end = {
      kind: 'failed',
      error: reportedFailure(textAt(error, 'message') ?? '', asText(code), this.config.secrets),
    };
  }

  /** A snapshot: only what was not told is. */
  private task(task: Fields, writer: RemoteWriter): void {
    this.taskId = textAt(task, 'id') ?? '';
    this.contextId = textAt(task, 'contextId') ?? '';
    const status = objectAt(task, 'status');
    const isOver = /completed|failed|rejected|cancell?ed/i.test(textAt(status, 'state') ?? '');
    const artifacts = objectsAt(task, 'artifacts');
    const present = artifacts.map((one) => textAt(one, 'artifactId') ?? '');
    if (this.isContinued) this.missing = [...this.begun].filter((id) => !present.includes(id) && !this.told.has(id));
    for (const id of present) this.begin(id, writer);
    for (const artifact of artifacts) {
      this.snapshot(artifact, writer);
      if (isOver) this.close(textAt(artifact, 'artifactId') ?? '', writer);
    }
    this.status(status, writer);
  }

  /** A message, or a piece of one: some servers send each piece of their answer as a message. */
  private message(message: Fields, writer: RemoteWriter): void {
    const parts = objectsAt(message, 'parts');
    this.hasMessage = true;
    if (isThought(message)) writer.text(this.keyOf('thoughts'), 'reasoning', textIn(message));
    else if (parts.length > 0) {
      writer.end(this.keyOf('thoughts'));
      this.contents('message', parts, writer);
    }
  }

  private artifact(update: Fields, writer: RemoteWriter): void {
    const artifact = objectAt(update, 'artifact');
    const id = textAt(artifact, 'artifactId') ?? '';
    const parts = objectsAt(artifact, 'parts');
    if (isDiscarded(update)) return this.discard(id, writer);
    this.begin(id, writer);
    if (parts.length === 0 && update['lastChunk'] !== true) return this.skip();
    if (update['append'] === true) this.contents(id, parts, writer);
    else this.snapshot(artifact, writer);
    if (update['lastChunk'] === true) this.close(id, writer);
  }

  /** Notes that an artifact has begun: a new one is in place of those that the server has lost. */
  private begin(id: string, writer: RemoteWriter): void {
    this.missing = this.missing.filter((one) => one !== id);
    if (!this.begun.has(id) && !this.told.has(id))
      for (const gone of this.missing.splice(0)) this.discard(gone, writer);
    this.begun.add(id);
  }

  /** Another Parley has lost a worker and goes on without the artifact that this one had begun. */
  private discard(id: string, writer: RemoteWriter): void {
    if (this.told.has(id)) return;
    writer.discard(new Set([this.keyOf(id)]));
    this.begun.delete(id);
    this.beginAnew(id);
  }

  /** The whole of an artifact: it goes on with what was shown, or begins anew. */
  private snapshot(artifact: Fields, writer: RemoteWriter): void {
    const id = textAt(artifact, 'artifactId') ?? '';
    if (this.told.has(id)) return;
    const parts = objectsAt(artifact, 'parts');
    const behind = partsBehind(this.before.get(id), this.pieceOf(id, writer), parts);
    if (!behind) {
      writer.end(this.keyOf(id));
      this.beginAnew(id);
    }
    this.contents(id, behind ?? parts, writer);
  }

  /** Nothing is known of what an artifact has. */
  private beginAnew(id: string): void {
    this.versions.set(id, (this.versions.get(id) ?? 0) + 1);
    this.before.delete(id);
    this.others.delete(id);
  }

  /** Parts of an artifact, or of a message. */
  private contents(id: string, parts: readonly Fields[], writer: RemoteWriter): void {
    if (this.told.has(id)) return;
    const others = this.othersOf(id);
    for (const part of parts) {
      const text = pieceAt(part, 'text');
      const content = text === undefined ? contentOf(part) : undefined;
      if (text !== undefined) writer.text(this.keyOf(id), 'text', text);
      if (content) {
        const print = printOf(part);
        others.push(print);
        this.newOthers.push([id, print]);
        writer.contents([content]);
      }
      this.hasContent ||= text !== undefined || content !== undefined;
    }
  }

  private othersOf(id: string): string[] {
    const others = this.others.get(id) ?? [];
    this.others.set(id, others);
    return others;
  }

  private close(id: string, writer: RemoteWriter): void {
    if (this.told.has(id)) return;
    writer.end(this.keyOf(id));
    const shown = withPiece(this.before.get(id), this.pieceOf(id, writer));
    this.told.set(id, shown);
    this.newlyTold.set(id, shown);
  }

  /** What this exchange has shown of an artifact that is not told whole. */
  private pieceOf(id: string, writer: RemoteWriter): ShownPiece {
    return { text: writer.told(this.keyOf(id)) ?? '', others: this.othersOf(id) };
  }

  private status(status: Fields, writer: RemoteWriter): void {
    const message = objectAt(status, 'message');
    const said = textIn(message);
    switch (stateOf(textAt(status, 'state'))) {
      case 'submitted':
      case 'working':
        this.keepWords(message);
        if (said !== '' && said !== this.lastWords && this.config.progress) {
          this.lastWords = said;
          const activity = { id: `task_${this.taskId}`, activity_type: 'STATUS', content: { text: said } };
          writer.activity({ object: 'activity', kind: 'snapshot', ...activity }, 'a2a');
        }
        return;
      case 'completed':
        if (!this.hasContent) this.answerWith(message, writer);
        this.end = { kind: 'completed' };
        return;
      case 'failed':
        this.end = { kind: 'failed', error: reportedFailure(said, undefined, this.config.secrets) };
        return;
      case 'rejected':
        this.end = {
          kind: 'failed',
          error: new AppError('UPSTREAM_REJECTED', oneLine(said, this.config.secrets) || undefined),
        };
        return;
      case 'canceled':
        this.end = { kind: 'failed', error: new AppError('UPSTREAM_CANCELED') };
        return;
      case 'input-required':
        this.end = { kind: 'completed' };
        askFor(message, writer);
        return;
      case 'auth-required':
        this.end = { kind: 'completed' };
        writer.question(wordsAsked(message, AUTH_KEY, 'auth_required'));
        return;
      default:
        this.skip();
    }
  }

  private keepWords(message: Fields): void {
    const parts = objectsAt(message, 'parts');
    if (parts.length > 0) [this.lastParts, this.isLastKept] = [parts, false];
  }

  /** A task has ended without an artifact: what it says with that, or has said last, is the answer. */
  private answerWith(message: Fields, writer: RemoteWriter): void {
    const parts = objectsAt(message, 'parts');
    this.contents('status', parts.length > 0 ? parts : this.lastParts, writer);
    if (!this.hasContent) writer.text(this.keyOf('status'), 'text', '');
  }

  private isOurs(update: Fields): boolean {
    const taskId = textAt(update, 'taskId');
    if (this.taskId === '' && taskId !== undefined) this.taskId = taskId;
    return taskId === this.taskId;
  }

  private keyOf(id: string): string {
    return `a:${id}:${this.versions.get(id) ?? 0}`;
  }

  private skip(): void {
    this.skipped += 1;
    if (this.skipped >= MOST_SKIPPED) throw protocolFailure('The remote agent sent too much that cannot be understood');
  }
}

/** The task cannot be subscribed to, or takes no answer: it is looked at. */
function unsupported(): RemoteFailure {
  const answer = new UpstreamStatusError(405, {}, '');
  return new RemoteFailure('status', new AppError('UPSTREAM_LOST'), answer);
}
