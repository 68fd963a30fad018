import { Injectable } from '@nestjs/common';
import { AgentRegistry, type RegisteredAgent } from '../../agent/index.js';
import { AppError } from '../../common/index.js';
import { AgKitSettings } from './ag-kit.settings.js';
import type { AgKitDialect } from './ag-kit.types.js';

/** The public agents, and the dialects that the settings pin them to. */
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

  list(): readonly RegisteredAgent[] {
    return this.agents.list().filter(({ exposure }) => exposure === 'public');
  }

  /** @throws AppError AGENT_NOT_FOUND, for an internal agent too */
  get(name: string): RegisteredAgent {
    if (!this.agents.isPublic(name)) throw new AppError('AGENT_NOT_FOUND', `There is no agent ${name}`);
    return this.agents.get(name);
  }

  /** Undefined: the body of the request selects the dialect. */
  pinnedDialect(agentType: string): AgKitDialect | undefined {
    const { dialects } = this.settings;
    const name = [agentType, '*'].find((one) => Object.hasOwn(dialects, one));
    return name === undefined ? undefined : dialects[name];
  }
}
