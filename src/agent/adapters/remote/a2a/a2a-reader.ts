import { AppError, fingerprint, type Json, type JsonObject } from '../../../../common/index.js';
import type { RemoteAgentConfig } from '../../../remote/remote-config.js';
import { UpstreamStatusError } from '../../upstream/upstream-error.js';
import { asText, type Fields, fieldsOf, objectAt, objectsAt, textAt } from '../json-fields.js';
import type { SseEvent } from '../remote-connection.js';
import { cutFailure, oneLine, protocolFailure, RemoteFailure, reportedFailure } from '../remote-failure.js';
import type { ExchangeEnd, RemoteReader } from '../remote-kind.js';
import type { RemoteWriter } from '../remote-writer.js';
import { A2aArtifacts } from './a2a-artifacts.js';
import {
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
import { keptParts } from './shown-artifacts.js';

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
  /** False behind an artifact that ends without a word: another Parley may be about to take it back. */
  isSettled = true;
  /** The last snapshot: a connection that was made again begins with one, and a look is one. */
  private lastTask = '';
  /** The last words of a task that is being worked on. */
  private lastWords = '';
  private taskId = '';
  private contextId = '';
  private readonly artifacts: A2aArtifacts;
  /** True on a connection that continues the task. */
  private isContinued = false;
  private isFirstSnapshot = false;
  /** True once this connection has brought a message. */
  private hasMessage = false;
  /** What the task has said last while it was worked on, and whether a boundary has it. */
  private lastParts: readonly Fields[] = [];
  private isLastKept = true;
  private skipped = 0;

  /**
   * @param answered the exchange whose task this one goes on with
   * @param isParley whether its server is known to be another Parley, which takes back what a lost worker has begun
   */
  constructor(
    private readonly config: Pick<RemoteAgentConfig, 'secrets' | 'progress'>,
    private readonly answered?: AnsweredExchange,
    private readonly isParley = (): boolean => false,
  ) {
    this.artifacts = new A2aArtifacts(answered?.shown);
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
    this.isSettled = true;
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
    const words = this.isLastKept ? undefined : keptParts(this.lastParts);
    this.isLastKept = true;
    return {
      ...this.artifacts.takeTold(),
      ...{ task: this.taskId, context: this.contextId },
      ...(words && { words }),
    };
  }

  shown(writer: RemoteWriter): Json {
    return this.artifacts.shown(writer);
  }

  /** Its first frame is a snapshot. */
  reconnected(): void {
    this.isContinued = true;
    this.isFirstSnapshot = true;
    this.hasMessage = false;
  }

  /** A message has no other end than that of the stream. */
  closed(): void {
    if (this.hasMessage) this.end ??= { kind: 'completed' };
  }

  restore(position: Json, told: readonly JsonObject[]): void {
    this.position = typeof position === 'number' ? position : 0;
    for (const { task, context, ...rest } of told) {
      this.artifacts.restore(rest);
      this.taskId = asText(task);
      this.contextId = asText(context);
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
    const mayLose = this.isFirstSnapshot && this.isParley();
    this.isFirstSnapshot = false;
    this.artifacts.all(objectsAt(task, 'artifacts'), writer, { mayLose, isOver });
    this.status(status, writer);
  }

  /** A message, or a piece of one: some servers send each piece of their answer as a message. */
  private message(message: Fields, writer: RemoteWriter): void {
    const parts = objectsAt(message, 'parts');
    this.hasMessage = true;
    if (isThought(message)) writer.text(this.artifacts.keyOf('thoughts'), 'reasoning', textIn(message));
    else if (parts.length > 0) {
      writer.end(this.artifacts.keyOf('thoughts'));
      this.artifacts.add('message', parts, writer);
    }
  }

  private artifact(update: Fields, writer: RemoteWriter): void {
    const artifact = objectAt(update, 'artifact');
    const id = textAt(artifact, 'artifactId') ?? '';
    const parts = objectsAt(artifact, 'parts');
    const { artifacts } = this;
    if (isDiscarded(update)) return artifacts.discard(id, writer);
    if (parts.length === 0 && update['lastChunk'] !== true) return this.skip();
    artifacts.begin(id, writer);
    this.isSettled = update['append'] !== true || update['lastChunk'] !== true || textIn(artifact) !== '';
    if (update['append'] === true) artifacts.add(id, parts, writer);
    else artifacts.snapshot(artifact, writer);
    if (update['lastChunk'] === true) artifacts.close(id, writer);
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
        if (!this.artifacts.hasContent) this.answerWith(message, writer);
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
    this.artifacts.add('status', parts.length > 0 ? parts : this.lastParts, writer);
    if (!this.artifacts.hasContent) writer.text(this.artifacts.keyOf('status'), 'text', '');
  }

  private isOurs(update: Fields): boolean {
    const taskId = textAt(update, 'taskId');
    if (this.taskId === '' && taskId !== undefined) this.taskId = taskId;
    return taskId === this.taskId;
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
