import 'reflect-metadata';
import { Injectable } from '@nestjs/common';
import type { Agent } from './agent.js';

/**
 * What happens to a run of this agent when its worker stops: `journal` goes on at the first
 * unfinished step, `restart` begins the run again, `fail` ends it as failed.
 */
export type AgentRecovery = 'journal' | 'restart' | 'fail';

/** What `@AgentType()` is told about the class below it. */
export interface AgentTypeOptions {
  /** The agent type that requests name. */
  readonly name: string;
  /** For people: what the agent does. */
  readonly description: string;
  /** Whether requests of clients may name it; `internal` ones are run by the server itself only. */
  readonly exposure: 'public' | 'internal';
  /** Default `fail`. Agents that do everything through the model loop or the journal use `journal`. */
  readonly recovery?: AgentRecovery;
}

const METADATA_KEY = Symbol('parley:agent-type');

/** Makes a provider an agent, by the name that requests use. The class is injectable. */
export function AgentType(options: AgentTypeOptions) {
  return (target: abstract new (...args: never[]) => Agent): void => {
    Injectable()(target);
    Reflect.defineMetadata(METADATA_KEY, options, target);
  };
}

/** What a class's `@AgentType()` said, or undefined when it has none. */
export function agentTypeOptions(target: unknown): AgentTypeOptions | undefined {
  if (typeof target !== 'function') return undefined;
  return Reflect.getOwnMetadata(METADATA_KEY, target) as AgentTypeOptions | undefined;
}
