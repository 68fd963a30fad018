import { Injectable } from '@nestjs/common';
import { AgentRegistry } from '../../agent/index.js';
import { IdFactory, type Principal } from '../../common/index.js';
import type { AgentResponse } from '../../events/index.js';
import type { RunView } from '../../run/index.js';
import { type Caller, type NamedUser } from '../../access/index.js';
import { Sessions } from '../../session/index.js';
import { sessionOwner, Wire } from '../wire/index.js';
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
    private readonly sessions: Sessions,
    private readonly ids: IdFactory,
  ) {
    super();
  }

  /** The body of `POST /process` and `POST /process/task`. @throws AppError as `decodeAgentRequest`, `ownerOf` */
  async decode(body: unknown, caller: Caller): Promise<AgentRequest> {
    const decoded = decodeAgentRequest(body, {
      ids: this.ids,
      agentType: this.agents.defaultName,
      onBusy: this.settings.busyPolicy,
      caller,
    });
    const { request, user } = decoded;
    return { ...decoded, request: { ...request, principal: await this.ownerOf(caller, request.sessionId, user) } };
  }

  /**
   * In whose name a request uses a session. Without authentication, a session without a user has a user of its own.
   *
   * @throws AppError as `sessionOwner`
   */
  ownerOf(caller: Caller, sessionId: string, named: NamedUser | undefined): Promise<Principal> {
    return sessionOwner(this.sessions, caller, sessionId, { named, unnamed: sessionId });
  }

  override encoder(): AgentApiEncoder {
    return new AgentApiEncoder(this.settings);
  }

  override summary(_run: RunView, response: AgentResponse): object {
    return withOpenCallsLast(response);
  }
}
