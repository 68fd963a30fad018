import 'reflect-metadata';
import { Injectable } from '@nestjs/common';
import type { JsonObject } from '../common/index.js';
import type { ToolAnnotations } from './tools/index.js';
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
  /** What it can do, for the agent card of A2A. Default: one skill with its name and description. */
  readonly skills?: readonly AgentSkill[];
  /** Media types of files that it takes besides images, such as `application/pdf` or `*` for all. Default: none. */
  readonly inputModes?: readonly string[];
  /**
   * True: over A2A it may answer with a message in place of a task, if its first event is the custom event `a2a.reply`
   * with the value `message`. Default false.
   */
  readonly directReplies?: boolean;
  /** How it is offered at `/mcp`. Default: as `ask_<name>`, with a message as its argument. */
  readonly mcpTool?: AgentMcpTool;
}

/** An agent as a tool for clients of MCP. */
export interface AgentMcpTool {
  /** Default: `ask_<name>`. */
  readonly name?: string;
  /** Default: the name of the agent. */
  readonly title?: string;
  /**
   * JSON Schema of the arguments, of the type `object`. The agent gets them as a `data` content of its input. Default: a
   * message, a session and attachments.
   */
  readonly parameters?: JsonObject;
  /** What differs from a tool that may do anything. */
  readonly annotations?: Pick<ToolAnnotations, 'readOnlyHint' | 'destructiveHint' | 'idempotentHint' | 'openWorldHint'>;
}

/** Something that an agent can do, as its agent card shows it. */
export interface AgentSkill {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** Questions that it answers. */
  readonly examples?: readonly string[];
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
