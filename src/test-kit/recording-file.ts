import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { ModelEvent } from '../agent/index.js';
import type { JsonObject } from '../common/index.js';
import { type Difference, differenceOf } from './recorded-request.js';

/** What arrived at once from a model. */
export interface RecordedPiece {
  /** The time since the piece before it, or since the request; only if times are recorded. */
  readonly afterMs?: number;
  readonly events: readonly ModelEvent[];
}

/** One line of a file of recorded answers. */
export interface Recording {
  /** The model that answered. */
  readonly model: string;
  /** What the answer belongs to, as it is compared. */
  readonly request: JsonObject;
  readonly pieces: readonly RecordedPiece[];
}

/** The recording that has most in common with a request. */
export interface NearestRecording extends Difference {
  readonly line: number;
}

const files = new Map<string, RecordingFile>();

/** A file with one recorded answer per line, as JSON. All models of a process that use a file share one of these. */
export class RecordingFile {
  private recordings: Recording[];
  private isReplaced = false;

  private constructor(
    readonly path: string,
    private readonly absolute: string,
  ) {
    this.recordings = existsSync(absolute) ? readRecordings(path, absolute) : [];
  }

  /** The file at a path, which need not exist. @throws if a line of it is not a recording */
  static at(path: string): RecordingFile {
    const absolute = resolve(path);
    const known = files.get(absolute) ?? new RecordingFile(path, absolute);
    files.set(absolute, known);
    return known;
  }

  /** The number of recorded answers. */
  get size(): number {
    return this.recordings.length;
  }

  /** The answers to a request, oldest first. */
  answersTo(request: JsonObject): readonly Recording[] {
    return this.recordings.filter((one) => differenceOf(one.request, request) === undefined);
  }

  /** The recording that has most in common with a request; undefined if there are none. */
  nearest(request: JsonObject): NearestRecording | undefined {
    const [nearest] = this.recordings
      .flatMap((one, index) => {
        const difference = differenceOf(one.request, request);
        return difference ? [{ ...difference, line: index + 1 }] : [];
      })
      .sort((one, other) => other.equal - one.equal);
    return nearest;
  }

  /** Adds an answer at the end of the file. @param anew whether the first one replaces what earlier processes wrote */
  append(recording: Recording, anew: boolean): void {
    if (anew && !this.isReplaced) {
      rmSync(this.absolute, { force: true });
      this.recordings = [];
      this.isReplaced = true;
    }
    mkdirSync(dirname(this.absolute), { recursive: true });
    appendFileSync(this.absolute, `${JSON.stringify(recording)}\n`);
    this.recordings.push(recording);
  }
}

function readRecordings(path: string, absolute: string): Recording[] {
  return readFileSync(absolute, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line, index) => parsedRecording(line, `${path}, line ${index + 1}`));
}

function parsedRecording(line: string, place: string): Recording {
  try {
    const value = JSON.parse(line) as Partial<Recording> | null;
    if (typeof value?.request === 'object' && Array.isArray(value.pieces)) return value as Recording;
  } catch {
    // Reported below.
  }
  throw new Error(`${place} is not a recorded answer`);
}
