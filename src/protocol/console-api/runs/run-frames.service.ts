import { Injectable } from '@nestjs/common';
import { map, type Observable } from 'rxjs';
import { AppError, type Reach } from '../../../common/index.js';
import { Runs } from '../../../run/index.js';
import { eventFrame, type StreamReader } from '../../http/index.js';
import { RunStreams, Wires } from '../../wire/index.js';

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
    // The control frames of the wire would be sent as they are: this stream has those of its own kind.
    const { gone, gate, caller } = reader;
    const resume = (seen: number): ReturnType<RunStreams['resume']> =>
      this.streams.resume(
        run,
        { gone, gate, caller },
        {
          wire,
          cursor: { seen, ahead: (count) => cursorAhead(seen, count) },
          expired: () => Promise.reject(new AppError('EVENTS_EXPIRED')),
        },
      );
    // `[DONE]` has a number here, and none among the frames of the wire.
    const stream = await resume(seen).catch(async (error: unknown) => {
      if (run.finishedAt === null || !isAhead(error) || seen === 0) throw error;
      const before = await resume(seen - 1);
      if (before.isRead) return before;
      throw error;
    });
    if (seen > 0 && stream.isRead) return undefined;
    let index = seen;
    return stream.events().pipe(
      map((frames) =>
        frames.map((frame) => {
          index += 1;
          return eventFrame(JSON.stringify({ index, frame }), { id: String(index) });
        }),
      ),
    );
  }
}

function isAhead(error: unknown): boolean {
  return error instanceof AppError && error.code === 'CURSOR_AHEAD';
}

function cursorAhead(seen: number, count: number): AppError {
  const message = `after is ${seen}, but this run has ${count} frames so far`;
  return new AppError('CURSOR_AHEAD', message, { details: [{ path: 'after', message }] });
}
