import { Injectable } from '@nestjs/common';
import { AgentRegistry } from '../../agent/index.js';
import { IdFactory } from '../../common/index.js';
import type { AgentResponse } from '../../events/index.js';
import type { RunView } from '../../run/index.js';
import type { Caller } from '../http/index.js';
import { Wire } from '../wire/index.js';
import { AgentApiEncoder } from './agent-api.encoder.js';
import { type AgentRequest, decodeAgentRequest } from './agent-api-request.decoder.js';
import { AgentApiSettings } from './agent-api.settings.js';
import { withOpenCallsLast } from './terminal-output.js';

/** The Agent API: its frames are the events of the log, its errors the common ones. */
@Injectable()
export class AgentApiWire extends Wire {
  readonly name = 'agent-api';

  constructor(
    private readonly settings: AgentApiSettings,
    private readonly agents: AgentRegistry,
    private readonly ids: IdFactory,
  ) {
    super();
  }

  /** The body of `POST /process` and `POST /process/task`. @throws AppError as `decodeAgentRequest` */
  decode(body: unknown, caller: Caller): AgentRequest {
    return decodeAgentRequest(body, {
      ids: this.ids,
      agentType: this.agents.defaultName,
      onBusy: this.settings.busyPolicy,
      caller,
    });
  }

  override encoder(): AgentApiEncoder {
    return new AgentApiEncoder(this.settings);
  }

  override summary(_run: RunView, response: AgentResponse): object {
    return withOpenCallsLast(response);
  }
}
