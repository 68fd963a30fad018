import 'reflect-metadata';
import { Injectable } from '@nestjs/common';
import type { Agent } from './agent.js';
import type { AgentShape } from './agent-shape.js';

/**
 * What happens to a run of this agent when its worker stops: `journal` continues at the first unfinished step,
 * `restart` starts the run again, `fail` ends it as failed.
 */
export type AgentRecovery = 'journal' | 'restart' | 'fail';

/** The options of `@AgentType()`. */
export interface AgentTypeOptions extends AgentShape {
  /** The name of the agent type in requests. */
  readonly name: string;
  /** Describes to users what the agent does. */
  readonly description: string;
  /** Whether requests of clients may name it. `internal` agents are run only by the server itself. */
  readonly exposure: 'public' | 'internal';
  /** Default `fail`. Use `journal` for agents that do everything through the model loop or the journal. */
  readonly recovery?: AgentRecovery;
}

const METADATA_KEY = Symbol('parley:agent-type');

/** Makes a class an agent with the name that requests use, and an injectable provider. */
export function AgentType(options: AgentTypeOptions) {
  return (target: abstract new (...args: never[]) => Agent): void => {
    Injectable()(target);
    Reflect.defineMetadata(METADATA_KEY, options, target);
  };
}

/** The options of a class's `@AgentType()`, or undefined if it has none. */
export function agentTypeOptions(target: unknown): AgentTypeOptions | undefined {
  if (typeof target !== 'function') return undefined;
  return Reflect.getOwnMetadata(METADATA_KEY, target) as AgentTypeOptions | undefined;
}
