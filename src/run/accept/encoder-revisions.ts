import { Injectable } from '@nestjs/common';
import type { JsonObject } from '../../common/index.js';

/** Where a run keeps the revisions in `wireData`: reserved, whatever else a wire stores there. */
const KEY = 'encoder';
/** What a run has that names none. */
const FIRST = 1;

/**
 * Which revision of each wire's encoder a new run gets: wires declare theirs. It is stored with the run, because
 * cursors count frames: whoever reads the run later must write the same frames, in whichever version of the server.
 */
@Injectable()
export class EncoderRevisions {
  private readonly current = new Map<string, number>();

  /** Runs that are accepted from now on get this revision in the frames of the wire. @param revision from 1 */
  declare(wire: string, revision: number): void {
    this.current.set(wire, revision);
  }

  /** The data that a wire stores with a new run, with the current revisions instead of those it may contain. */
  stored(wireData: JsonObject = {}): JsonObject {
    const { [KEY]: _earlier, ...own } = wireData;
    const raised = [...this.current].filter(([, revision]) => revision !== FIRST);
    return raised.length === 0 ? own : Object.assign(own, { [KEY]: Object.fromEntries(raised) });
  }
}

/** The revision of a wire's encoder that a run keeps: 1 if it names none. */
export function encoderRevisionOf({ wireData }: { readonly wireData: JsonObject }, wire: string): number {
  const revisions = wireData[KEY];
  const isMap = typeof revisions === 'object' && revisions !== null && !Array.isArray(revisions);
  const revision = isMap ? revisions[wire] : undefined;
  return typeof revision === 'number' ? revision : FIRST;
}
