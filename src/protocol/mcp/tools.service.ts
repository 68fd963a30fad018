import { Injectable } from '@nestjs/common';
import type { StreamClient } from '../http/index.js';
import { type CallAnswer, CallService } from './call.service.js';
import { CallRetries } from './call-retries.js';
import { CallSubmission, Refused, type ToolCallRequest } from './call-submission.js';
import { refusal } from './fold/call-result.js';
import { answeringTo, resultMessage } from './fold/result-message.js';
import { RunTools } from './run-tools.js';
import { ToolList } from './tools/tool-list.js';

/** Calls of tools (contract mcp-server, section 5). */
@Injectable()
export class ToolsService {
  constructor(
    private readonly list: ToolList,
    private readonly submission: CallSubmission,
    private readonly service: CallService,
    private readonly runTools: RunTools,
    private readonly retries: CallRetries,
  ) {}

  /** Calls a tool. @throws McpError for an unknown one; AppError for what the server refuses */
  async call(params: unknown, request: ToolCallRequest, client: StreamClient): Promise<CallAnswer> {
    const { caller, tool: name } = request;
    const tool = await this.list.find(caller, name);
    try {
      if (tool.kind === 'answer') return await this.runTools.answer(request, client);
      caller.need('runs:write');
      if (tool.kind === 'stop') return await this.runTools.stop(request);
      const retry = await this.retries.of(params, request);
      if (retry && 'json' in retry) return retry.json;
      const accepted = (): ReturnType<CallSubmission['ask']> =>
        tool.kind === 'agent' ? this.submission.ask(tool.agent, request) : this.submission.call(request);
      const run = retry?.run ?? (await accepted());
      client.reply.header('x-run-id', run.runId);
      return await this.service.answer(run, request, client);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return resultMessage(answeringTo(request), refusal(error.sentence));
    }
  }
}
