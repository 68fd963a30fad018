import { Injectable } from '@nestjs/common';
import { AgentRegistry, type RegisteredAgent } from '../../agent/index.js';
import { AppError } from '../../common/index.js';

/** The agents that requests may name. */
@Injectable()
export class PublicAgents {
  constructor(private readonly agents: AgentRegistry) {}

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
}
