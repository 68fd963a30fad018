import { Injectable } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { AppError, type Reach } from '../../../common/index.js';
import { Runs } from '../../../run/index.js';
import { eventFrame, type StreamReader } from '../../http/index.js';
import { afterFrames, type RunStream, RunStreams, Wires } from '../../wire/index.js';

/** Shows runs in the frames of any wire, for readers that look at the frames themselves. */
@Injectable()
export class RunFramesService {
  constructor(
    private readonly runs: Runs,
    private readonly wires: Wires,
    private readonly streams: RunStreams,
  ) {}

  /**
   * The frames after those that the reader has, each as `{index, frame}`: its number from 1, and its text.
   *
   * @returns undefined if the run has ended and the reader has all frames
   * @throws AppError RUN_NOT_FOUND, INVALID_PARAMETER (an unknown wire), CURSOR_AHEAD, EVENTS_EXPIRED
   */
  async follow(
    reach: Reach,
    id: string,
    { wire: name, seen }: { readonly wire: string; readonly seen: number },
    reader: StreamReader,
  ): Promise<Observable<readonly string[]> | undefined> {
    const wire = this.wires.watchable(name);
    const run = await this.runs.view(reach, id);
    const resume = (from: number): Promise<RunStream> =>
      this.streams.resume(run, reader, {
        wire,
        cursor: afterFrames(from),
        show: (frame, index) => eventFrame(JSON.stringify({ index, frame }), { id: String(index) }),
        expired: () => Promise.reject(new AppError('EVENTS_EXPIRED')),
        reconnects: true,
      });
    // `[DONE]` has a number here, and none among the frames of the wire.
    const stream = await resume(seen).catch(async (error: unknown) => {
      if (run.finishedAt === null || !isAhead(error) || seen === 0) throw error;
      const before = await resume(seen - 1);
      if (before.isRead) return before;
      throw error;
    });
    if (seen > 0 && stream.isRead) return undefined;
    return stream.events();
  }
}

function isAhead(error: unknown): boolean {
  return error instanceof AppError && error.code === 'CURSOR_AHEAD';
}
