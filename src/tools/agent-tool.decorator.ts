import type { JsonObject } from '../common/index.js';
import type { CompleteArguments, ToolContext, ToolEffects } from './tool.js';

/** A class whose class-validator decorators describe the arguments of a tool. */
export type ArgumentsClass = abstract new () => object;

/** What `@AgentTool()` is told about the method below it. */
export interface AgentToolOptions {
  /** The name the model calls it by: letters, digits, `_` and `-`, at most 64. Default: the method's name. */
  readonly name?: string;
  /** For the model: what it does and when to use it. */
  readonly description: string;
  /** What a second execution would do; decides what happens to a call whose worker stopped. */
  readonly effects: ToolEffects;
  /** A class with class-validator decorators, or a JSON Schema of an object. */
  readonly parameters: ArgumentsClass | JsonObject;
  /** Fills in what the model left out and the server knows, such as the user's time zone. Must be pure. */
  readonly completeArguments?: CompleteArguments;
  /** Milliseconds until a call is aborted. Default: TOOL_TIMEOUT_MS. */
  readonly timeoutMs?: number;
}

/** The shape of a method that can be a tool. Arguments are validated before it is called. */
export type AgentToolMethod<Args extends object> = (args: Args, context: ToolContext) => Promise<unknown>;

const METADATA_KEY = Symbol('parley:agent-tool');

/**
 * Makes a method of a provider a tool that the model can call. Arguments arrive validated, as a plain
 * object. Throw a `ToolError` to tell the model what went wrong.
 *
 * ```ts
 * @AgentTool({ description: 'Adds two numbers.', effects: 'none', parameters: AddArgs })
 * async add({ a, b }: AddArgs): Promise<number> { return a + b; }
 * ```
 */
export function AgentTool(options: AgentToolOptions) {
  return <Method extends AgentToolMethod<never>>(
    _target: object,
    _method: string | symbol,
    descriptor: TypedPropertyDescriptor<Method>,
  ): void => {
    if (descriptor.value) Reflect.defineMetadata(METADATA_KEY, options, descriptor.value);
  };
}

/** What a method's `@AgentTool()` said, or undefined when it has none. */
export function agentToolOptions(method: unknown): AgentToolOptions | undefined {
  if (typeof method !== 'function') return undefined;
  return Reflect.getMetadata(METADATA_KEY, method) as AgentToolOptions | undefined;
}
