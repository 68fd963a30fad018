import type { OnApplicationShutdown } from '@nestjs/common';
import type { ModelClient, ModelEvent, ModelRequest } from '../agent/index.js';
import type { Extensions } from '../app.module.js';
import type { AttachmentReader } from '../agent/attachment/index.js';
import { abortableDelay, type JsonObject } from '../common/index.js';
import { comparableRequest, type Redact, redacted, redactionOf } from './recorded-request.js';
import { type RecordedPiece, type Recording, RecordingFile } from './recording-file.js';
import { TestModel } from './test-model.js';

/** Which answers come from the real model: none, those that no recording fits, or all. */
export type RecordMode = 'none' | 'missing' | 'all';

/** How answers are recorded and found again. */
export interface RecordedModelOptions {
  /** Default: the environment variable PARLEY_RECORD, without it `none`. */
  readonly record?: RecordMode;
  /** The model that is recorded. Default: the model server that LLM_BASE_URL, OPENAI_API_KEY … name. */
  readonly source?: Extensions['model'];
  /**
   * Texts that are replaced in recordings, and in requests before they are compared: secrets, dates and whatever else
   * differs from run to run. API keys are always replaced.
   */
  readonly redact?: readonly (string | RegExp)[];
  /** True: the times between the pieces of an answer are recorded, and kept when it is replayed. Default false. */
  readonly times?: boolean;
}

/** What a server gives to the model. */
export interface RecordedModelServer {
  /** Reads the images of prompts. */
  readonly attachments: AttachmentReader;
  /** Secrets of the server's own settings. */
  readonly secrets: readonly string[];
  /** The real model. */
  readonly source: () => ModelClient;
}

const MODES: readonly string[] = ['none', 'missing', 'all'] satisfies readonly RecordMode[];
const MOST_SHOWN = 160;

/** A model that gives recorded answers of a real one, and can record them. Made by `recordedModel`. */
export class RecordedModel extends TestModel {
  readonly provider = 'recorded';
  private readonly file: RecordingFile;
  private readonly mode: RecordMode;
  private redact: Redact;
  private server: RecordedModelServer | undefined;
  private client: (ModelClient & Partial<OnApplicationShutdown>) | undefined;
  /** The recordings that were replayed or made. */
  private readonly given = new Set<Recording>();

  constructor(
    path: string,
    private readonly options: RecordedModelOptions,
  ) {
    super();
    this.file = RecordingFile.at(path);
    this.mode = options.record ?? modeOf(process.env['PARLEY_RECORD']);
    this.redact = redactionOf(options.redact ?? []);
  }

  /** Whether the real model may be called. */
  get records(): boolean {
    return this.mode !== 'none';
  }

  /** The model in code that is recorded; undefined for the model server of the settings. */
  get source(): Extensions['model'] {
    return this.options.source;
  }

  /** Connects the model with a server. `startTestServer` does it. */
  connect(server: RecordedModelServer): void {
    this.server = server;
    this.redact = redactionOf([...server.secrets, ...(this.options.redact ?? [])]);
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<readonly ModelEvent[], void, void> {
    const call = this.requests.push(request) - 1;
    const compared = await comparableRequest(request, this.redact, this.server?.attachments);
    const recording = this.mode === 'all' ? undefined : this.next(compared);
    if (recording) yield* this.replay(recording, signal);
    else if (this.records) yield* this.recorded(request, compared, signal);
    else throw (this.missing = new Error(this.complaint(call, compared)));
  }

  /** Ends the connections of the model that was recorded. */
  async onApplicationShutdown(): Promise<void> {
    await this.client?.onApplicationShutdown?.();
  }

  /** The answers to equal requests are given in their order, and the last one again and again. */
  private next(request: JsonObject): Recording | undefined {
    const answers = this.file.answersTo(request);
    const chosen = answers.find((one) => !this.given.has(one)) ?? answers.at(-1);
    if (chosen) this.given.add(chosen);
    return chosen;
  }

  private async *replay({ pieces }: Recording, signal: AbortSignal): AsyncGenerator<readonly ModelEvent[], void, void> {
    for (const { afterMs = 0, events } of pieces) {
      if (this.options.times && afterMs > 0) await abortableDelay(afterMs, signal);
      signal.throwIfAborted();
      yield events;
    }
  }

  /** Hands the answer of the real model on. It is written when it is complete; failed calls are not recorded. */
  private async *recorded(
    request: ModelRequest,
    compared: JsonObject,
    signal: AbortSignal,
  ): AsyncGenerator<readonly ModelEvent[], void, void> {
    const client = this.realModel();
    const pieces: RecordedPiece[] = [];
    let last = performance.now();
    for await (const events of client.stream(request, signal)) {
      const now = performance.now();
      pieces.push({ ...(this.options.times && { afterMs: Math.round(now - last) }), events });
      last = now;
      // Nothing is read after the last event, so the rest of this function may not run.
      if (events.some(({ type }) => type === 'finish'))
        this.keep({ model: client.info.name, request: compared, pieces });
      yield events;
    }
  }

  private keep({ pieces, ...rest }: Recording): void {
    const recording = { ...rest, pieces: redactedPieces(pieces, this.redact) };
    this.file.append(recording, this.mode === 'all');
    this.given.add(recording);
  }

  private realModel(): ModelClient {
    if (!this.server) throw new Error('A recorded model can record only in a server of startTestServer');
    return (this.client ??= this.server.source());
  }

  private complaint(call: number, request: JsonObject): string {
    const nearest = this.file.nearest(request);
    const why = nearest
      ? `The nearest, line ${nearest.line}, differs at ${nearest.path}: recorded ${shown(nearest.recorded)}, now ${shown(nearest.now)}.`
      : 'The file has no recordings.';
    return `No recorded answer in ${this.file.path} fits the model call ${call}. ${why} Set PARLEY_RECORD=missing to record it, or PARLEY_RECORD=all to record all answers anew.`;
  }
}

/**
 * A model that gives the recorded answers of a real one, found by the content of the request. It uses no network unless
 * it records: with `PARLEY_RECORD=missing` it asks the real model where no recording fits, with `PARLEY_RECORD=all` always.
 *
 * A call that no recording fits fails the run, and `TestServer.run` then throws an error that names the nearest one.
 *
 * @param file JSON lines, relative to the working directory; used by one test file only
 * @throws if the file has a line that is not a recording, or the mode does not exist
 */
export function recordedModel(file: string, options: RecordedModelOptions = {}): RecordedModel {
  return new RecordedModel(file, options);
}

function modeOf(value = 'none'): RecordMode {
  const mode = value === '' ? 'none' : value;
  if (MODES.includes(mode)) return mode as RecordMode;
  throw new Error(`PARLEY_RECORD must be one of ${MODES.join(', ')}, but is "${value}"`);
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}

/** A bit of a text. */
interface Delta {
  /** Equal for all deltas of a text. */
  readonly key: string;
  readonly text: string;
}

/**
 * The pieces of an answer after redaction, also of texts that are spread over several pieces. Where it is not enough to
 * redact each delta, the first delta of a text has the whole text, and the others are empty.
 */
function redactedPieces(pieces: readonly RecordedPiece[], redact: Redact): readonly RecordedPiece[] {
  const texts = redactedTexts(
    pieces.flatMap(({ events }) => events),
    redact,
  );
  let position = 0;
  return pieces.map((piece) => ({
    ...piece,
    events: piece.events.map((event) => redactedEvent(event, texts.get(position++), redact)),
  }));
}

/** The texts of deltas after redaction, by the position of the event. */
function redactedTexts(events: readonly ModelEvent[], redact: Redact): ReadonlyMap<number, string> {
  const deltas = events.flatMap((event, position) => {
    const delta = deltaOf(event);
    return delta ? [{ ...delta, position }] : [];
  });
  const texts = new Map<number, string>();
  for (const key of new Set(deltas.map((delta) => delta.key))) {
    const own = deltas.filter((delta) => delta.key === key);
    const each = own.map(({ text }) => redact(text));
    const whole = redact(own.map(({ text }) => text).join(''));
    const safe = each.join('') === whole ? each : [whole];
    own.forEach(({ position }, index) => texts.set(position, safe[index] ?? ''));
  }
  return texts;
}

function deltaOf(event: ModelEvent): Delta | undefined {
  switch (event.type) {
    case 'text-delta':
    case 'reasoning-delta':
    case 'refusal-delta':
      return { key: event.type, text: event.text };
    case 'tool-call-delta':
      return { key: `${event.type} ${event.index}`, text: event.argumentsDelta };
    case 'image':
    case 'citation':
    case 'finish':
      return undefined;
  }
}

/** @param text of a delta, already redacted */
function redactedEvent(event: ModelEvent, text: string | undefined, redact: Redact): ModelEvent {
  const safe = redacted(event, redact) as unknown as ModelEvent;
  if (text === undefined || safe.type === 'finish' || safe.type === 'citation' || safe.type === 'image') return safe;
  return safe.type === 'tool-call-delta' ? { ...safe, argumentsDelta: text } : { ...safe, text };
}
