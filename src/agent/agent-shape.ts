import type { ModelOptions } from './ports/model-client.js';
import type { ModelSource } from './ports/models.js';

/** What an agent may ask of its model with every call. What a request asks for itself takes precedence. */
export type AgentModelOptions = Omit<ModelOptions, 'model' | 'toolChoice' | 'compactAbove' | 'compactOnly'>;

/** What an agent may use (docs/how-to/shape-an-agent.md). What is absent is left to the server. */
export interface AgentShape {
  /**
   * The tools of the server that it has: names and globs, such as `get_order` and `orders_*`, or `files/*` for those of the
   * MCP server `files` and `local/*` for those of this server. All others do not exist for it. Default: all. Tools of
   * clients are not concerned.
   */
  readonly tools?: readonly string[];
  /**
   * The model: a name of `LLM_MODELS` or of `serve({ models })`, any other name for this model of the configured server, or
   * a model itself. Default: the configured model.
   */
  readonly model?: string | ModelSource;
  /** Options of every model call. */
  readonly modelOptions?: AgentModelOptions;
  /** Model calls that one run may make, 1 to 1000. Default: AGENT_MAX_STEPS. */
  readonly maxSteps?: number;
}

/** What is wrong with a value, as the end of the sentence "The member … must be …"; undefined if it can be used. */
type Check = (value: unknown) => string | undefined;

const numberFrom =
  (min: number, max: number): Check =>
  (value) =>
    typeof value === 'number' && value >= min && value <= max ? undefined : `a number from ${min} to ${max}`;
const integerFrom =
  (min: number, max: number): Check =>
  (value) =>
    Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max
      ? undefined
      : `a whole number from ${min} to ${max}`;
const texts =
  (longest: number): Check =>
  (value) => {
    const isText = (item: unknown): boolean => typeof item === 'string' && item !== '' && item.length <= longest;
    return Array.isArray(value) && value.every(isText) ? undefined : `a list of texts of 1 to ${longest} characters`;
  };

const OPTIONS: Readonly<Record<keyof AgentModelOptions, Check>> = {
  temperature: numberFrom(0, 2),
  topP: numberFrom(0, 1),
  frequencyPenalty: numberFrom(-2, 2),
  presencePenalty: numberFrom(-2, 2),
  maxTokens: integerFrom(1, Number.MAX_SAFE_INTEGER),
  stop: texts(1000),
  seed: integerFrom(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  responseFormat: (value) => (typeof value === 'object' && value !== null ? undefined : 'an object'),
  parallelToolCalls: (value) => (typeof value === 'boolean' ? undefined : 'true or false'),
  reasoningEffort: (value) => (typeof value === 'string' && value !== '' ? undefined : 'a text'),
};

/** What is wrong with a shape, as sentences without a subject: they name the members. */
export function shapeProblems({ tools, model, modelOptions = {}, maxSteps }: AgentShape): readonly string[] {
  const problems: string[] = [];
  const check = (member: string, value: unknown, rule: Check): void => {
    const expectation = value === undefined ? undefined : rule(value);
    if (expectation !== undefined) problems.push(`${member} must be ${expectation}`);
  };
  check('tools', tools, texts(256));
  if (model === '') problems.push('model must not be empty');
  check('maxSteps', maxSteps, integerFrom(1, 1000));
  for (const [name, value] of Object.entries(modelOptions)) {
    const rule = Object.hasOwn(OPTIONS, name) ? OPTIONS[name as keyof AgentModelOptions] : undefined;
    if (rule) check(`modelOptions.${name}`, value, rule);
    else problems.push(`modelOptions.${name} does not exist: use ${Object.keys(OPTIONS).join(', ')}`);
  }
  return problems;
}
