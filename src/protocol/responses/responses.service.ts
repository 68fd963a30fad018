import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/index.js';
import { userReach } from '../../common/index.js';
import { Runs, RunSettings, type RunView } from '../../run/index.js';
import { OpenAiError } from '../openai/index.js';
import { RunStreams } from '../wire/index.js';
import { ConversationHistory } from './conversation-history.js';
import type { Item } from './items/item.types.js';
import { itemsOfHistory } from './items/output-items.js';
import { responseInfo } from './response-info.js';
import { responseObject } from './response-object.js';
import type { ResponseObject } from './response.types.js';
import { ofResponse } from './responses.errors.js';
import { ResponsesWire } from './responses.wire.js';

/** Milliseconds after the grace period of a cancel in which the terminal event is expected. */
const END_MS = 5000;

/** Responses that exist: retrieved, canceled, deleted. Every method throws RUN_NOT_FOUND (404) for an unknown id. */
@Injectable()
export class ResponsesService {
  constructor(
    private readonly runs: Runs,
    private readonly history: ConversationHistory,
    private readonly streams: RunStreams,
    private readonly wire: ResponsesWire,
    private readonly settings: RunSettings,
  ) {}

  /** The run of a response. @throws OpenAiError RUN_NOT_FOUND */
  find(caller: Caller, id: string): Promise<RunView> {
    return ofResponse(id, this.history.response(caller, id));
  }

  /** The current response. @throws OpenAiError RUN_NOT_FOUND */
  async retrieve(caller: Caller, id: string): Promise<ResponseObject> {
    const run = await this.find(caller, id);
    return this.wire.summary(run, await ofResponse(id, this.runs.response(userReach(run), id)));
  }

  /**
   * The current response of a background request that was just accepted.
   *
   * @param created false for a repeated request: its run may be complete
   */
  async submitted(run: RunView, created: boolean): Promise<ResponseObject> {
    if (created) return responseObject(responseInfo(run), { status: 'queued' });
    return this.wire.summary(run, await this.runs.response(userReach(run), run.runId, { accepted: true }));
  }

  /**
   * Cancels a background response and waits for its end. One that is over is returned unchanged.
   *
   * @throws OpenAiError RUN_NOT_FOUND; INVALID_PARAMETER for a response that is not in the background
   */
  async cancel(caller: Caller, id: string): Promise<ResponseObject> {
    const run = await this.find(caller, id);
    if (!responseInfo(run).echo.background) {
      throw new OpenAiError('INVALID_PARAMETER', 'Cannot cancel a synchronous response.', 'response_id');
    }
    if (run.finishedAt === null) {
      await ofResponse(id, this.runs.cancel(userReach(run), id, { by: caller.origin() }));
      const timeout = AbortSignal.timeout(this.settings.cancelGraceMs + END_MS);
      await this.streams.ended(run, timeout);
    }
    return this.retrieve(caller, id);
  }

  /** Deletes a response; one that is being generated is canceled first. @throws OpenAiError RUN_NOT_FOUND */
  async remove(caller: Caller, id: string): Promise<void> {
    const run = await this.find(caller, id);
    await ofResponse(id, this.runs.remove(userReach(run), id, caller.origin()));
  }

  /** The items of the request, oldest first. @throws OpenAiError RUN_NOT_FOUND */
  async inputItems(caller: Caller, id: string): Promise<readonly Item[]> {
    const run = await this.find(caller, id);
    return itemsOfHistory(await ofResponse(id, this.history.input(run)));
  }
}
