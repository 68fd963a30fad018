import { Injectable } from '@nestjs/common';
import { Clock, isPlainObject, type JsonObject } from '../../common/index.js';
import type { RunView } from '../../run/index.js';
import { digestOf, type ToolCallRequest } from './call-submission.js';
import { CallFolds } from './call-folds.js';
import { Calls } from './calls.js';
import { callResult } from './fold/call-result.js';
import { formOf } from './fold/forms.js';
import { inputRequired } from './fold/mcp-fold.js';
import { answeringTo, resultMessage } from './fold/result-message.js';
import { FormAnswers } from './form-answers.js';
import { McpError } from './mcp.errors.js';
import { Seals } from './seals.js';

/** Calls that a modern client sends again with the answers to what they have asked. */
@Injectable()
export class CallRetries {
  constructor(
    private readonly calls: Calls,
    private readonly forms: FormAnswers,
    private readonly folds: CallFolds,
    private readonly seals: Seals,
    private readonly clock: Clock,
  ) {}

  /**
   * The run with which a call goes on, or what it is answered with; undefined for a new call.
   *
   * @throws McpError INVALID_PARAMS for a state of another caller or call, or one that has expired
   */
  async of(
    params: unknown,
    request: ToolCallRequest,
  ): Promise<{ readonly run: RunView } | { readonly json: JsonObject } | undefined> {
    const state = isPlainObject(params) ? params['requestState'] : undefined;
    if (request.peer.era === 'legacy') return undefined;
    const responses = isPlainObject(params) ? params['inputResponses'] : undefined;
    if (responses !== undefined && !isPlainObject(responses)) {
      throw new McpError('INVALID_PARAMS', 'inputResponses must be an object');
    }
    if (state === undefined) return undefined;
    const call = await this.calls.find(request.caller.reach, this.callIn(state, request));
    const { missing, isDismissed } = await this.forms.take(call, responses, request.caller);
    const now = await this.calls.of(call.last);
    const message = (result: JsonObject) => ({ json: resultMessage(answeringTo(request), result) });
    if (isDismissed) return message(callResult(await this.calls.outcome(now)));
    if (missing.length === 0 || !now.data) return { run: now.last };
    const agent = this.folds.titleOf(now.first.agentType, now.data);
    const forms = missing.flatMap((item) => formOf(item, agent) ?? []);
    return message(inputRequired(forms, this.folds.stateOf(now.data, this.clock.now())));
  }

  private callIn(state: unknown, { tool, args, peer }: ToolCallRequest): string {
    const body = typeof state === 'string' && state.length <= 4096 ? this.seals.open('request', state) : undefined;
    const [call, expires] = [body?.['r'], body?.['e']];
    const isOwn = body?.['t'] === tool && body['d'] === digestOf({ tool, args }) && body['c'] === peer.callerKey;
    if (isOwn && typeof call === 'string' && typeof expires === 'number' && expires > this.clock.now()) return call;
    throw new McpError('INVALID_PARAMS', 'requestState is not that of this call, or has expired');
  }
}
