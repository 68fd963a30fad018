import { Injectable, type PipeTransform } from '@nestjs/common';
import { IdFactory } from '../../common/index.js';
import { AppConfig } from '../../config/index.js';
import { type AgentRequest, decodeAgentRequest } from './agent-request.decoder.js';

/** `@Body(AgentRequestPipe)`: the decoded request of `POST /process` and its kin. */
@Injectable()
export class AgentRequestPipe implements PipeTransform<unknown, AgentRequest> {
  constructor(
    private readonly ids: IdFactory,
    private readonly config: AppConfig,
  ) {}

  /** @throws AppError as `decodeAgentRequest` */
  transform(body: unknown): AgentRequest {
    const { agent, agentApi } = this.config;
    return decodeAgentRequest(body, { ids: this.ids, agentType: agent.defaultAgent, onBusy: agentApi.busyPolicy });
  }
}
