import type { LanguageModelV3 } from '@ai-sdk/provider';
import { matchesGlob } from '../../common/index.js';
import type { ModelClient } from './model-client.js';

/**
 * A model of a provider package of the AI SDK, or a function that makes the model which a request names;
 * requests that name none call it with undefined.
 */
export type LanguageModelSource = LanguageModelV3 | ((name: string | undefined) => LanguageModelV3);

/** A model that is given in code: one of a provider package of the AI SDK, or a client of the team's own. */
export type ModelSource = LanguageModelSource | ModelClient;

/** A model with a name of its own (docs/models.md#several-models). */
export interface NamedClient {
  /** The name by which agents and requests choose it. */
  readonly name: string;
  readonly client: ModelClient;
  /** Globs of the agent types that may use it; undefined: all. */
  readonly agents: readonly string[] | undefined;
}

/** A model of this process, for people. */
export interface ListedModel extends Omit<NamedClient, 'name'> {
  /** Its own name; undefined for a main model without one. */
  readonly name: string | undefined;
  /** Whether it answers agents that name none. */
  readonly isMain: boolean;
}

/** The models of this process. */
export abstract class Models {
  /** The model of agents that name none. */
  abstract readonly main: ModelClient;
  /** The models with names, in the order of the configuration; those that are given in code come last. */
  abstract readonly named: readonly NamedClient[];

  /** All of them, the main one first, and then in their order. */
  get all(): readonly ListedModel[] {
    const named = this.named.map((one): ListedModel => Object.assign({}, one, { isMain: one.client === this.main }));
    const main = named.find(({ isMain }) => isMain) ?? {
      name: undefined,
      client: this.main,
      agents: undefined,
      isMain: true,
    };
    return [main, ...named.filter((one) => one !== main)];
  }

  /** The model with a name, or undefined. */
  abstract find(name: string): NamedClient | undefined;
  /** The client of a model that is given in code: the same one for the same model. @throws Error for an unusable model */
  abstract clientOf(source: ModelSource): ModelClient;
}

/** Whether the policy of a model lets an agent use it. */
export function isOpenTo({ agents }: NamedClient, agentType: string): boolean {
  return agents === undefined || agents.some((pattern) => matchesGlob(pattern, agentType));
}
