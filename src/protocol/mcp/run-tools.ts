import { Injectable } from '@nestjs/common';
import { AppError, type JsonObject } from '../../common/index.js';
import { fieldError, fieldReaderAt, type StreamClient } from '../http/index.js';
import { AnswerStreams, LONGEST_WAIT } from './answer-streams.js';
import type { CallAnswer } from './call.service.js';
import { Refused, type ToolCallRequest } from './call-submission.js';
import { CallWaits } from './call-waits.js';
import { Calls, type McpCall } from './calls.js';
import { callResult } from './fold/call-result.js';
import { answeringTo, resultMessage } from './fold/result-message.js';

/** The tools about runs. */
@Injectable()
export class RunTools {
  constructor(
    private readonly calls: Calls,
    private readonly answers: AnswerStreams,
    private readonly waits: CallWaits,
  ) {}

  /** Waits for the answer of a call: as a stream if it takes long, so that the connection shows signs of life. */
  async answer(request: ToolCallRequest, client: StreamClient): Promise<CallAnswer> {
    const call = await this.callOf(request);
    const seconds = reading(() =>
      fieldReaderAt(request.args, 'arguments').integer('wait_seconds', { min: 0, max: LONGEST_WAIT }),
    );
    return this.answers.open(call, request, seconds ?? LONGEST_WAIT, client);
  }

  async stop(request: ToolCallRequest): Promise<JsonObject> {
    const call = await this.waits.stop(await this.callOf(request), request.caller.origin());
    return resultMessage(answeringTo(request), callResult(await this.calls.outcome(call)));
  }

  /** @throws Refused for a run that is not there, or somebody else's */
  private async callOf({ args, caller }: ToolCallRequest): Promise<McpCall> {
    const runId = reading(() => {
      const id = fieldReaderAt(args, 'arguments').string('run_id', { min: 1, max: 256 });
      if (id === undefined) throw fieldError('arguments.run_id', 'is required', 'MISSING_PARAMETER');
      return id;
    });
    try {
      return await this.calls.find(caller.reach, runId);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'RUN_NOT_FOUND') throw error;
      throw new Refused(`There is no run "${runId.slice(0, 100)}".`);
    }
  }
}

/** @throws Refused for arguments that are not valid */
function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof AppError ? new Refused(error.message) : error;
  }
}
