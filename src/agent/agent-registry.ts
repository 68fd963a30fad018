import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { AppError, type Authority, mayRunAgent } from '../common/index.js';
import { type AgentShape, shapeProblems } from './agent-shape.js';
import { type AgentMcpTool, type AgentRecovery, type AgentSkill, agentTypeOptions } from './agent-type.decorator.js';
import { AgentSettings } from './agent.settings.js';
import type { Agent } from './agent.js';
import { CompactionAgent } from './agents/compaction.agent.js';
import type { ModelOptions } from './ports/model-client.js';
import { isOpenTo, Models } from './ports/models.js';
import { RemoteAgents } from './ports/remote-agents.js';

/** An agent with the options of its decorator. */
export interface RegisteredAgent {
  readonly name: string;
  /** Shown to clients that list agents; may be empty. */
  readonly description: string;
  /** Internal agents can be named only in requests of a key whose scopes name them. */
  readonly exposure: 'public' | 'internal';
  /** What happens with a run whose worker was lost. */
  readonly recovery: AgentRecovery;
  /** What it may use. */
  readonly shape: AgentShape;
  readonly agent: Agent;
  /** As `AgentTypeOptions.skills`. */
  readonly skills: readonly AgentSkill[];
  /** As `AgentTypeOptions.inputModes`. */
  readonly inputModes: readonly string[];
  /** As `AgentTypeOptions.directReplies`. */
  readonly directReplies: boolean;
  /** As `AgentTypeOptions.mcpTool`. */
  readonly mcpTool?: AgentMcpTool | undefined;
}

/** The shape of agents that are not registered, such as those of tests. */
const NO_SHAPE: AgentShape = {};

/** All agents of this process, by agent type. Filled when the modules are initialized. */
@Injectable()
export class AgentRegistry implements OnModuleInit {
  private readonly logger = new Logger(AgentRegistry.name);
  private readonly agents = new Map<string, RegisteredAgent>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly settings: AgentSettings,
    private readonly models: Models,
  ) {}

  /** The agent type of requests that name no agent. */
  get defaultName(): string {
    return this.settings.defaultAgent;
  }

  /**
   * @throws AppError CONFIGURATION_ERROR if two agents have the same name, or if one has a shape that cannot be used, or a
   *   model that it may not use
   */
  onModuleInit(): void {
    for (const wrapper of this.discovery.getProviders()) {
      const instance: unknown = wrapper.isDependencyTreeStatic() ? wrapper.instance : undefined;
      if (instance instanceof RemoteAgents) for (const agent of instance.agents) this.register(agent);
      else if (typeof instance === 'object' && instance !== null) this.register(instance);
    }
    this.logger.log(`Agents: ${[...this.agents.keys()].join(', ') || 'none'}`);
  }

  /** @throws AppError AGENT_NOT_FOUND */
  get(name: string): RegisteredAgent {
    const agent = this.agents.get(name);
    if (!agent) throw new AppError('AGENT_NOT_FOUND', 'Agent type not found');
    return agent;
  }

  /** What an agent may use; everything if it is not registered. */
  shapeOf(name: string): AgentShape {
    return this.agents.get(name)?.shape ?? NO_SHAPE;
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

  /** Registers a decorated provider. @throws AppError CONFIGURATION_ERROR, as `onModuleInit` */
  private register(instance: object): void {
    const options = agentTypeOptions(instance.constructor);
    if (!options) return;
    const known = this.agents.get(options.name);
    if (known?.agent === instance) return;
    if (known) throw new AppError('CONFIGURATION_ERROR', `Two agents are named "${options.name}"`);
    const {
      name,
      description,
      exposure,
      recovery = 'fail',
      skills,
      inputModes = [],
      directReplies = false,
      mcpTool,
      ...shape
    } = options;
    this.check(name, shape);
    const skill = { id: name, name, description: description === '' ? name : description, tags: [name] };
    const faces = { skills: skills && skills.length > 0 ? skills : [skill], inputModes, directReplies, mcpTool };
    this.agents.set(name, { name, description, exposure, recovery, shape, agent: instance as Agent, ...faces });
  }

  private check(name: string, shape: AgentShape): void {
    const problems = shapeProblems(shape);
    const { model } = shape;
    if (model !== undefined && typeof model !== 'string') this.models.clientOf(model);
    const named = typeof model === 'string' ? this.models.find(model) : undefined;
    if (named && !isOpenTo(named, name)) {
      throw new AppError(
        'CONFIGURATION_ERROR',
        `The agent "${name}" may not use the model "${named.name}" (LLM_MODELS)`,
      );
    }
    if (problems.length > 0) throw new AppError('CONFIGURATION_ERROR', `The agent "${name}": ${problems.join('; ')}`);
    if (typeof model === 'string' && !named && this.models.named.length > 0) {
      const names = this.models.named.map((one) => one.name).join(', ');
      this.logger.warn(
        `The agent "${name}" names the model "${model}", which is not one of ${names}: the configured server is asked for it`,
      );
    }
  }
}

function isOffered({ name, exposure }: RegisteredAgent, authority: Authority | null): boolean {
  const isInternal = exposure === 'internal';
  return authority ? mayRunAgent(authority, name, isInternal) : !isInternal;
}
