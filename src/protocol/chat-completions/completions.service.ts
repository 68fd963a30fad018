import { Injectable } from '@nestjs/common';
import { AppError, type Reach, userReach } from '../../common/index.js';
import type { InterruptEvent, LoggedEvent } from '../../events/index.js';
import { Runs, type RunView } from '../../run/index.js';
import type { StreamClient } from '../http/index.js';
import { type OnDisconnect, RunStreams } from '../wire/index.js';
import { completionNotFound, FailedRunError, runError } from './chat-completions.errors.js';
import { ChatCompletionsWire } from './chat-completions.wire.js';
import { completionDataOf, completionInfo } from './completion-info.js';
import { completionOf } from './completion-object.js';
import type { Completion } from './completion.types.js';

/** Completions as JSON. */
@Injectable()
export class CompletionsService {
  constructor(
    private readonly runs: Runs,
    private readonly streams: RunStreams,
    private readonly wire: ChatCompletionsWire,
  ) {}

  /**
   * Waits for the end of a run that was accepted.
   *
   * @throws FailedRunError for a run that failed or was canceled
   */
  async result(run: RunView, client: Pick<StreamClient, 'gone'>, onDisconnect: OnDisconnect): Promise<object> {
    let interrupt: InterruptEvent | undefined;
    const onEvents = (events: readonly LoggedEvent[]): void => {
      for (const logged of events) interrupt = interruptOf(logged) ?? interrupt;
    };
    return this.streams.result(run, client, {
      wire: this.wire,
      onDisconnect,
      onEvents,
      summary: (response) => {
        if (response.status === 'failed' || response.status === 'canceled')
          throw new FailedRunError(runError(response));
        return completionOf(completionInfo(run), response, interrupt);
      },
    });
  }

  /** The run of a stored completion. @throws OpenAiError RUN_NOT_FOUND */
  async stored(reach: Reach, id: string): Promise<RunView> {
    const run = await this.runs.view(reach, id).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'RUN_NOT_FOUND') return undefined;
      throw error;
    });
    if (!run || completionDataOf(run)?.stored !== true) throw completionNotFound(id);
    return run;
  }

  /** A completion as far as it is known. */
  async completion(run: RunView): Promise<Completion> {
    const interrupt = run.state === 'interrupted' ? await this.interruptOf(run) : undefined;
    const response = await this.runs.response(userReach(run), run.runId);
    return completionOf(completionInfo(run), response, interrupt);
  }

  /** What a run waits for; undefined when its events were removed. */
  private async interruptOf(run: RunView): Promise<InterruptEvent | undefined> {
    let interrupt: InterruptEvent | undefined;
    try {
      for await (const events of this.runs.tail(userReach(run), run.runId)) {
        for (const logged of events) interrupt = interruptOf(logged) ?? interrupt;
      }
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'EVENTS_EXPIRED') throw error;
    }
    return interrupt;
  }
}

function interruptOf({ kind, event }: LoggedEvent): InterruptEvent | undefined {
  return kind === 'interrupt' && event.object === 'interrupt' ? event : undefined;
}
