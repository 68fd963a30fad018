import type { ToolChoice } from '../../agent/index.js';
import type { JsonObject } from '../../common/index.js';
import type { ToolDeclaration } from '../../agent/tools/index.js';
import { type FieldReader, fieldError, fieldReaderAt } from '../http/bodies/field-reader.js';

/** The most tools of a request. */
export const MAX_TOOLS = 128;
const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const MODES = ['none', 'auto', 'required'] as const;

/** A tool of a request, and the path of its function. */
export interface DeclaredTool extends ToolDeclaration {
  readonly path: string;
}

/** The tools of a request, and which of them the model may call. */
export interface DecodedTools {
  /** All that the request declares. */
  readonly declared: readonly DeclaredTool[];
  /** Those that the model may call. */
  readonly clientTools: readonly ToolDeclaration[];
  /** Undefined leaves the choice to the model. */
  readonly toolChoice: ToolChoice | undefined;
  /** The types of tools that this server does not have. */
  readonly skipped: readonly string[];
}

/**
 * Decodes `tools` and `tool_choice` (contract chat-completions, section A2). `none` takes away the client's tools: the
 * server's are the matter of its agent.
 *
 * @throws AppError naming the path of the first invalid field
 */
export function decodeTools(fields: FieldReader): DecodedTools {
  const declared: DeclaredTool[] = [];
  const skipped: string[] = [];
  const items = fields.list('tools', MAX_TOOLS) ?? [];
  for (const [index, item] of items.entries()) {
    const tool = fieldReaderAt(item, `tools[${index}]`);
    const type = tool.string('type') ?? 'function';
    if (type === 'function') declared.push(declarationOf(tool, declared));
    else skipped.push(type);
  }
  const choice = choiceOf(fields, declared);
  const { only } = choice;
  const callable = only ? declared.filter(({ name }) => only.has(name)) : declared;
  const clientTools = callable.map(({ name, description, parameters }) => ({ name, description, parameters }));
  return { declared, clientTools, toolChoice: choice.toolChoice, skipped };
}

function declarationOf(tool: FieldReader, earlier: readonly ToolDeclaration[]): DeclaredTool {
  const fields = tool.requiredFields('function');
  const name = fields.required('name');
  if (!NAME.test(name)) {
    throw fieldError(fields.at('name'), 'must have 1 to 64 characters of A-Z, a-z, 0-9, _ and -', 'INVALID_PARAMETER');
  }
  if (earlier.some((one) => one.name === name)) {
    throw fieldError(fields.at('name'), `names ${name} twice`, 'INVALID_PARAMETER');
  }
  fields.boolean('strict');
  const parameters = (fields.object('parameters') ?? { type: 'object', properties: {} }) as JsonObject;
  return { name, description: fields.string('description') ?? '', parameters, path: tool.at('function') };
}

/** `only`: the client's tools that are left; undefined for all. */
function choiceOf(
  fields: FieldReader,
  tools: readonly ToolDeclaration[],
): { readonly toolChoice: ToolChoice | undefined; readonly only?: ReadonlySet<string> } {
  const value = fields.source['tool_choice'];
  if (value === undefined || value === null) return { toolChoice: undefined };
  if (typeof value === 'string') {
    const mode = modeOf(value, fields.at('tool_choice'));
    if (mode === 'none') return { toolChoice: undefined, only: new Set() };
    return { toolChoice: mode === 'auto' ? undefined : mode };
  }
  const choice = fieldReaderAt(value, fields.at('tool_choice'));
  const type = choice.string('type');
  if (type === 'function') return { toolChoice: { name: knownName(choice, tools) } };
  if (type === 'allowed_tools') {
    const inner = fieldReaderAt(choice.object('allowed_tools') ?? choice.source, choice.at('allowed_tools'));
    const mode = modeOf(inner.string('mode') ?? 'auto', inner.at('mode'));
    const listed = inner.list('tools', MAX_TOOLS) ?? [];
    const names = listed.map((tool, at) => knownName(fieldReaderAt(tool, `${inner.at('tools')}[${at}]`), tools));
    return { toolChoice: mode === 'auto' ? undefined : mode, only: new Set(names) };
  }
  const rule =
    type === 'custom' ? 'names a custom tool, and tools of this type are skipped' : 'must be function or allowed_tools';
  throw fieldError(choice.at('type'), rule, 'INVALID_PARAMETER');
}

function modeOf(value: string, path: string): (typeof MODES)[number] {
  const mode = MODES.find((one) => one === value);
  if (mode) return mode;
  throw fieldError(path, `must be one of ${MODES.join(', ')}, or an object`, 'INVALID_PARAMETER');
}

/** The name of a declared function. */
function knownName(choice: FieldReader, tools: readonly ToolDeclaration[]): string {
  const inner = fieldReaderAt(choice.object('function') ?? choice.source, choice.at('function'));
  const name = inner.required('name');
  if (tools.some((tool) => tool.name === name)) return name;
  throw fieldError(inner.at('name'), `names ${name}, which is not among the tools`, 'INVALID_PARAMETER');
}
