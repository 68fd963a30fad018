import { Injectable } from '@nestjs/common';
import { AgentRegistry } from '../../agent/index.js';
import { IdFactory, type Principal } from '../../common/index.js';
import type { AgentResponse } from '../../events/index.js';
import type { BusyPolicy, RunView } from '../../run/index.js';
import { type Caller, type NamedUser } from '../../access/index.js';
import { Sessions } from '../../agent/session/index.js';
import { ownerIn, sessionOwner, Wire, type WireRequest } from '../wire/index.js';
import { AgentApiEncoder } from './agent-api.encoder.js';
import { type AgentRequest, decodeAgentRequest } from './agent-api-request.decoder.js';
import { ProcessQueryDto } from './dto/process-query.dto.js';
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

  /**
   * A request of `POST /process` or `POST /process/task`.
   *
   * @param onBusy what happens when the session has an active run, if the query does not specify it
   * @throws AppError as `WireRequest.query`, `decodeAgentRequest` and `ownerIn`
   */
  async decode(wireRequest: WireRequest, onBusy: BusyPolicy = this.settings.busyPolicy): Promise<AgentRequest> {
    const { multitask } = wireRequest.query(ProcessQueryDto);
    const { body, caller } = wireRequest;
    const { request, stream } = decodeAgentRequest(body, {
      ids: this.ids,
      agentType: this.agents.defaultName,
      onBusy: multitask ?? onBusy,
      caller,
    });
    const principal = await ownerIn(this.sessions, caller, request, request.sessionId);
    return { request: principal === request.principal ? request : Object.assign(request, { principal }), stream };
  }

  /**
   * The user that a request on a session acts for. Without authentication, a session without a user has a user of its own.
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
