import type { JsonObject } from '../../../../common/index.js';
import { jsonMembers } from '../../../../common/index.js';
import type { ModelRequest, ToolChoice } from '../../../ports/model-client.js';
import type { ToolDeclaration } from '../../../tools/index.js';
import { normalizedSchema } from '../../upstream/tool-schema.js';
import {
  COMMON_SCHEMA_RULES,
  GEMINI_SCHEMA_RULES,
  KIMI_SCHEMA_RULES,
  LLAMA_CPP_SCHEMA_RULES,
  STRICT_SCHEMA_RULES,
  type ToolSchemaRules,
} from '../../upstream/tool-schema-rules.js';
import type { WireRules } from '../profiles/wire-rules.js';

/** The smallest schema of arguments that every server takes. */
const NO_PARAMETERS: JsonObject = { type: 'object', properties: {} };
/** Sent where a server wants tools and the request has none. */
const SMALLEST_TOOL: ToolDeclaration = {
  name: 'unavailable',
  description: 'Not available. Do not call it.',
  parameters: NO_PARAMETERS,
};
/** The longest description with a schema in it, in characters: OpenAI takes 1024. */
const DESCRIPTION_LIMIT = 1000;

const SCHEMA_RULES: Readonly<Record<WireRules['toolSchema'], ToolSchemaRules>> = {
  common: COMMON_SCHEMA_RULES,
  kimi: KIMI_SCHEMA_RULES,
  gemini: GEMINI_SCHEMA_RULES,
  strict: STRICT_SCHEMA_RULES,
  llamacpp: LLAMA_CPP_SCHEMA_RULES,
};

/** The members of a body that belong to tools. */
export interface WrittenTools {
  /** JSON members with a comma before them; empty for none. */
  readonly text: string;
  /** Requested options that are not sent: sentences for the log. */
  readonly notes: readonly string[];
}

/** Which of the tools are sent; empty if none are. */
export function sentTools({ tools, options }: ModelRequest, rules: WireRules): readonly ToolDeclaration[] {
  if (!rules.tools || tools.length === 0) return [];
  if (options.toolChoice === 'none' && !rules.toolChoices.includes('none')) return [];
  const { droppedTools, maxTools } = rules;
  const taken = droppedTools.length === 0 ? tools : tools.filter(({ name }) => !droppedTools.includes(name));
  return taken.length > maxTools ? taken.slice(0, maxTools) : taken;
}

/** Tools and how they are to be called (contract model-servers, sections 1.1 and 1.3). */
export function writtenTools(request: ModelRequest, rules: WireRules): WrittenTools {
  const tools = sentTools(request, rules);
  if (tools.length > 0) return withChoice(request, tools, rules);
  const notes = request.tools.length > 0 && !rules.tools ? ['The tools are left out: the model takes none.'] : [];
  if (!rules.toolsForCalls || !rules.tools || !hasCalls(request)) return { text: '', notes };
  const choice = rules.toolChoices.includes('none') ? ',"tool_choice":"none"' : '';
  return { text: `,"tools":[${toolText(SMALLEST_TOOL, rules)}]${choice}`, notes };
}

function hasCalls({ messages }: ModelRequest): boolean {
  return messages.some((message) => message.role === 'assistant' && message.toolCalls.length > 0);
}

function withChoice(request: ModelRequest, tools: readonly ToolDeclaration[], rules: WireRules): WrittenTools {
  const notes = leftOut(request.tools, tools, rules);
  const { toolChoice, parallelToolCalls } = request.options;
  const choice = wireChoice(toolChoice, tools, rules);
  if (choice === undefined && toolChoice !== undefined && toolChoice !== 'auto') {
    notes.push(`The tool choice ${JSON.stringify(toolChoice)} is left to the model: the server cannot force it.`);
  }
  const members = jsonMembers({
    tool_choice: rules.omit.includes('tool_choice') ? undefined : choice,
    parallel_tool_calls: rules.omit.includes('parallel_tool_calls') ? undefined : parallelToolCalls,
  });
  const texts = tools.map((tool) => toolText(tool, rules)).join();
  return { text: `,"tools":[${texts}]${members && `,${members}`}`, notes };
}

function leftOut(all: readonly ToolDeclaration[], sent: readonly ToolDeclaration[], rules: WireRules): string[] {
  const { maxTools, droppedTools } = rules;
  const names = all.slice(-(all.length - sent.length)).map(({ name }) => name);
  if (all.length - droppedTools.length <= maxTools || sent.length < maxTools) return [];
  return [`Only ${maxTools} tools are sent; these are left out: ${names.join(', ')}.`];
}

/** The strongest form that the server knows; undefined leaves the choice to the model. */
function wireChoice(choice: ToolChoice | undefined, tools: readonly ToolDeclaration[], rules: WireRules): unknown {
  if (choice === undefined || choice === 'auto') return undefined;
  const { toolChoices, requiredWord } = rules;
  if (choice === 'none') return 'none';
  const isSent = typeof choice === 'object' && tools.some(({ name }) => name === choice.name);
  if (isSent && toolChoices.includes('named')) return { type: 'function', function: { name: choice.name } };
  return toolChoices.includes('required') ? requiredWord : undefined;
}

/** A tool as JSON, and what it was made of. */
interface ToolText extends Pick<ToolDeclaration, 'name' | 'description'> {
  readonly text: string;
}

/** By the rules and the schema of the parameters: both are the same objects in each call. */
const toolTexts = new WeakMap<WireRules, WeakMap<object, ToolText>>();

/** The one place where a tool is written: its name and its schema as the server takes them. */
function toolText({ name, description, parameters }: ToolDeclaration, rules: WireRules): string {
  let texts = toolTexts.get(rules);
  if (!texts) toolTexts.set(rules, (texts = new WeakMap()));
  const known = texts.get(parameters);
  if (known && known.name === name && known.description === description) return known.text;
  const schema = normalizedSchema(parameters, SCHEMA_RULES[rules.toolSchema]);
  const isPlain = rules.plainSchemas || rules.plainTools.includes(name);
  const text = JSON.stringify({
    type: 'function',
    function: isPlain ? plainTool(name, description, parameters) : { name, description, parameters: schema },
  });
  texts.set(parameters, { name, description, text });
  return text;
}

/** A tool whose parameters are only told, as far as there is room. */
export function plainTool(name: string, description: string, parameters: JsonObject): ToolDeclaration {
  const told = `${description}\nThe arguments are valid against this JSON Schema: ${JSON.stringify(parameters)}`;
  return {
    name,
    description: told.length <= DESCRIPTION_LIMIT ? told : description,
    parameters: NO_PARAMETERS,
  };
}
