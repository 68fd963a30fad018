import { Injectable } from '@nestjs/common';
import { IdFactory } from '../../common/index.js';
import { AppConfig } from '../../config/index.js';
import type { Caller } from '../http/index.js';
import { Wire } from '../wire/index.js';
import { AgentApiEncoder } from './agent-api.encoder.js';
import { type AgentRequest, decodeAgentRequest } from './agent-api-request.decoder.js';

/** The Agent API: its frames are the events of the log, its errors the common ones. */
@Injectable()
export class AgentApiWire extends Wire {
  readonly name = 'agent-api';

  constructor(
    private readonly config: AppConfig,
    private readonly ids: IdFactory,
  ) {
    super();
  }

  /** The body of `POST /process` and `POST /process/task`. @throws AppError as `decodeAgentRequest` */
  decode(body: unknown, caller: Caller): AgentRequest {
    const { agent, agentApi } = this.config;
    return decodeAgentRequest(body, {
      ids: this.ids,
      agentType: agent.defaultAgent,
      onBusy: agentApi.busyPolicy,
      caller,
    });
  }

  override encoder(): AgentApiEncoder {
    return new AgentApiEncoder(this.config.agentApi);
  }
}
