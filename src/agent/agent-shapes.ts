import { Injectable } from '@nestjs/common';
import { AppError } from '../common/index.js';
import { AgentRegistry, type RegisteredAgent } from './agent-registry.js';
import { type AgentShape, shapeProblems } from './agent-shape.js';
import { AgentSettings } from './agent.settings.js';
import type { AgentContext } from './agent.js';
import type { ModelClient, ModelOptions } from './ports/model-client.js';
import { isOpenTo, Models } from './ports/models.js';

/** What the calls of one loop are made with. */
export interface ShapedCalls {
  readonly client: ModelClient;
  /** Those of the request, then of the loop, then of the agent: the first that names an option counts. */
  readonly options: ModelOptions;
  /** Lists of tools, as `AgentShape.tools`: a tool must be in each of them. */
  readonly toolLists: readonly (readonly string[])[];
  /** Model calls that are made at most. */
  readonly maxSteps: number;
}

/** What people are shown of an agent's shape. */
export interface ShapeView {
  /** Null: all tools. */
  readonly tools: readonly string[] | null;
  /** The name that the agent gives, or that of its model; null: the configured model. */
  readonly model: string | null;
  readonly modelOptions: ModelOptions;
  readonly maxSteps: number;
}

/** A requested model, and its name at its server. */
interface ChosenModel {
  readonly client: ModelClient;
  /** Undefined: the model of the client. */
  readonly model?: string;
}

/** Finds out which tools, model and options an agent uses. */
@Injectable()
export class AgentShapes {
  constructor(
    private readonly agents: AgentRegistry,
    private readonly models: Models,
    private readonly settings: AgentSettings,
  ) {}

  /**
   * What the model calls of a run are made with.
   *
   * @param own of the loop: its tools select among those of the agent, everything else precedes the agent's
   * @throws AppError CONFIGURATION_ERROR for an unusable shape, or a model that the agent may not use;
   *   PERMISSION_DENIED if the request names such a model
   */
  of({ agentType, modelOptions }: Pick<AgentContext, 'agentType' | 'modelOptions'>, own: AgentShape = {}): ShapedCalls {
    const problems = shapeProblems(own);
    if (problems.length > 0)
      throw new AppError('CONFIGURATION_ERROR', `The loop of ${agentType}: ${problems.join('; ')}`);
    const agent = this.agents.shapeOf(agentType);
    const { client, model } = this.modelFor(agentType, modelOptions.model, own.model ?? agent.model);
    return {
      client,
      options: optionsOf([agent.modelOptions, own.modelOptions, modelOptions], model),
      toolLists: [agent.tools, own.tools].flatMap((list) => (list ? [list] : [])),
      maxSteps: own.maxSteps ?? agent.maxSteps ?? this.settings.maxSteps,
    };
  }

  /**
   * Whether a request may name a model: of the models with names, those that the agent may use; any other name is for the
   * server to judge.
   */
  mayName(agentType: string, model: string): boolean {
    const named = this.models.find(model);
    return named === undefined || isOpenTo(named, agentType);
  }

  /** The names of the model that answers if the request names none. */
  namesOf(agentType: string): readonly string[] {
    const { model } = this.agents.shapeOf(agentType);
    const { client } = this.modelFor(agentType, undefined, model);
    return typeof model === 'string' ? [model, client.info.name] : [client.info.name];
  }

  /** The model that answers if neither the request nor the loop names one: by its own name if it has one. */
  modelNameOf(agent: RegisteredAgent): string {
    const [main] = this.models.all;
    return this.viewOf(agent).model ?? main?.name ?? this.models.main.info.name;
  }

  /** What people are shown of an agent. */
  viewOf({ shape: { tools, model, modelOptions = {}, maxSteps } }: RegisteredAgent): ShapeView {
    const shown = model === undefined || typeof model === 'string' ? model : this.models.clientOf(model).info.name;
    return {
      tools: tools ?? null,
      model: shown ?? null,
      modelOptions,
      maxSteps: maxSteps ?? this.settings.maxSteps,
    };
  }

  /** @param asked of the request @param given of the agent */
  private modelFor(agentType: string, asked: string | undefined, given: AgentShape['model']): ChosenModel {
    const named = asked === undefined ? undefined : this.models.find(asked);
    if (named && !isOpenTo(named, agentType)) {
      throw new AppError('PERMISSION_DENIED', 'model names a model that the agent may not use');
    }
    if (named) return { client: named.client };
    const own = this.ownModel(agentType, given);
    return asked === undefined ? own : { client: own.client, model: asked };
  }

  private ownModel(agentType: string, given: AgentShape['model']): ChosenModel {
    if (given === undefined) return { client: this.models.main };
    if (typeof given !== 'string') return { client: this.models.clientOf(given) };
    const named = this.models.find(given);
    if (!named) return { client: this.models.main, model: given };
    if (isOpenTo(named, agentType)) return { client: named.client };
    throw new AppError('CONFIGURATION_ERROR', `The agent "${agentType}" may not use the model "${given}"`);
  }
}

/** The later ones precede the earlier ones. */
function optionsOf(layers: readonly (ModelOptions | undefined)[], model: string | undefined): ModelOptions {
  const given = layers.flatMap((layer) => Object.entries(layer ?? {}));
  const present = given.filter(([name, value]) => value !== undefined && name !== 'model');
  return Object.fromEntries(model === undefined ? present : [['model', model], ...present]);
}
