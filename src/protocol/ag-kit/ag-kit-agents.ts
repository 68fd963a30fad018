import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/index.js';
import { AgentRegistry, type RegisteredAgent } from '../../agent/index.js';
import { AppError } from '../../common/index.js';
import { AgKitSettings } from './ag-kit.settings.js';
import type { AgKitDialect } from './ag-kit.types.js';

/** The agents that a caller may run, and the dialects that the settings pin them to. */
@Injectable()
export class AgKitAgents {
  constructor(
    private readonly agents: AgentRegistry,
    private readonly settings: AgKitSettings,
  ) {}

  /** The agent of requests that name no agent. */
  get defaultName(): string {
    return this.agents.defaultName;
  }

  list({ authority }: Caller): readonly RegisteredAgent[] {
    return this.agents.listFor(authority);
  }

  /** @throws AppError AGENT_NOT_FOUND, also for an agent that the caller may not run */
  get(name: string, { authority }: Caller): RegisteredAgent {
    if (!this.agents.isKnownTo(authority, name)) throw new AppError('AGENT_NOT_FOUND', `There is no agent ${name}`);
    return this.agents.get(name);
  }

  /** Undefined: the body of the request selects the dialect. */
  pinnedDialect(agentType: string): AgKitDialect | undefined {
    const { dialects } = this.settings;
    const name = [agentType, '*'].find((one) => Object.hasOwn(dialects, one));
    return name === undefined ? undefined : dialects[name];
  }
}
