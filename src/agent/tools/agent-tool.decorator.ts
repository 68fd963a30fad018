import type { JsonObject } from '../../common/index.js';
import type { CompleteArguments, ToolContext, ToolEffects } from './tool.js';

/**
 * A class whose class-validator decorators describe the arguments of a tool. The tool gets an instance of it, made with
 * class-transformer: initial values are defaults, nested classes are instances, and dates are dates.
 */
export type ArgumentsClass = abstract new () => object;

/** The options of `@AgentTool()`. */
export interface AgentToolOptions {
  /** The name by which the model calls it: letters, digits, `_` and `-`, at most 64. Default: the method's name. */
  readonly name?: string;
  /** Tells the model what the tool does and when to use it. */
  readonly description: string;
  /** What a second execution would do. Decides whether a call is repeated after its worker stopped. */
  readonly effects: ToolEffects;
  /** A class with class-validator decorators, whose instances the method gets, or a JSON Schema of an object. */
  readonly parameters: ArgumentsClass | JsonObject;
  /** Adds arguments that the model omitted and the server knows, such as the user's time zone. Must be pure. */
  readonly completeArguments?: CompleteArguments;
  /** Milliseconds after which a call is aborted. Default: TOOL_TIMEOUT_MS. */
  readonly timeoutMs?: number;
}

/** The shape of a method that can be a tool. Arguments are validated before it is called. */
export type AgentToolMethod<Args extends object> = (args: Args, context: ToolContext) => Promise<unknown>;

const METADATA_KEY = Symbol('parley:agent-tool');

/**
 * Makes a method of a provider a tool that the model can call. The method receives validated arguments: an instance of the
 * class in `parameters`, or a plain object for a JSON Schema. Throw a `ToolError` to tell the model what went wrong.
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

/** The options of a method's `@AgentTool()`, or undefined if it has none. */
export function agentToolOptions(method: unknown): AgentToolOptions | undefined {
  if (typeof method !== 'function') return undefined;
  return Reflect.getMetadata(METADATA_KEY, method) as AgentToolOptions | undefined;
}
