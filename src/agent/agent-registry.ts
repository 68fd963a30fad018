import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { AppError, type Authority, mayRunAgent } from '../common/index.js';
import { type AgentRecovery, agentTypeOptions } from './agent-type.decorator.js';
import { AgentSettings } from './agent.settings.js';
import type { Agent } from './agent.js';
import { CompactionAgent } from './agents/compaction.agent.js';
import type { ModelOptions } from './ports/model-client.js';

/** An agent with the options of its decorator. */
export interface RegisteredAgent {
  readonly name: string;
  /** Shown to clients that list agents; may be empty. */
  readonly description: string;
  /** Internal agents can be named only in requests of a key whose scopes name them. */
  readonly exposure: 'public' | 'internal';
  /** What happens with a run whose worker was lost. */
  readonly recovery: AgentRecovery;
  readonly agent: Agent;
}

/** All agents of this process, by agent type. Filled when the modules are initialized. */
@Injectable()
export class AgentRegistry implements OnModuleInit {
  private readonly logger = new Logger(AgentRegistry.name);
  private readonly agents = new Map<string, RegisteredAgent>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly settings: AgentSettings,
  ) {}

  /** The agent type of requests that name no agent. */
  get defaultName(): string {
    return this.settings.defaultAgent;
  }

  /** @throws AppError CONFIGURATION_ERROR if two agents have the same name */
  onModuleInit(): void {
    for (const wrapper of this.discovery.getProviders()) {
      const instance: unknown = wrapper.isDependencyTreeStatic() ? wrapper.instance : undefined;
      if (typeof instance === 'object' && instance !== null) this.register(instance);
    }
    this.logger.log(`Agents: ${[...this.agents.keys()].join(', ') || 'none'}`);
  }

  /** @throws AppError AGENT_NOT_FOUND */
  get(name: string): RegisteredAgent {
    const agent = this.agents.get(name);
    if (!agent) throw new AppError('AGENT_NOT_FOUND', 'Agent type not found');
    return agent;
  }

  /** The agent that executes a run of an agent type. @throws AppError AGENT_NOT_FOUND */
  executing(name: string, { compactOnly = false }: ModelOptions): RegisteredAgent {
    const agent = this.get(name);
    if (!compactOnly) return agent;
    return { ...agent, recovery: 'journal', agent: new CompactionAgent(this.settings) };
  }

  /** All agents, including internal ones, in the order of their registration. */
  list(): readonly RegisteredAgent[] {
    return [...this.agents.values()];
  }

  /**
   * The agents that requests may name, in the order of their registration (contract access, section 5.3).
   *
   * @param authority what the caller may do; null without authentication: the public agents
   */
  listFor(authority: Authority | null): readonly RegisteredAgent[] {
    return this.list().filter((agent) => isOffered(agent, authority));
  }

  /** True if requests may name this agent type. To other callers it is unknown. @param authority as `listFor` */
  isKnownTo(authority: Authority | null, name: string): boolean {
    const agent = this.agents.get(name);
    return agent !== undefined && isOffered(agent, authority);
  }

  /** Registers a decorated provider. @throws AppError CONFIGURATION_ERROR for a name that is taken */
  private register(instance: object): void {
    const options = agentTypeOptions(instance.constructor);
    if (!options) return;
    const known = this.agents.get(options.name);
    if (known?.agent === instance) return;
    if (known) throw new AppError('CONFIGURATION_ERROR', `Two agents are named "${options.name}"`);
    this.agents.set(options.name, { recovery: 'fail', ...options, agent: instance as Agent });
  }
}

function isOffered({ name, exposure }: RegisteredAgent, authority: Authority | null): boolean {
  const isInternal = exposure === 'internal';
  return authority ? mayRunAgent(authority, name, isInternal) : !isInternal;
}
