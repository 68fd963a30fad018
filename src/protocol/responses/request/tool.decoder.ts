import type { JsonObject } from '../../../common/index.js';
import type { ToolDeclaration, ToolFilter, ToolRestriction } from '../../../agent/tools/index.js';
import { type FieldReader, fieldError, fieldReaderAt, kindOf } from '../../http/bodies/field-reader.js';
import { logLabel } from '../items/tool-data.js';

/** Names of functions; dots are accepted because tools of MCP servers have them. */
const NAME = /^[A-Za-z0-9_.-]{1,128}$/;
/** The most names that one list of tools may have. */
const MAX_NAMES = 1000;
/** The values of `tool_choice` that name no tool. */
const MODES = ['none', 'auto', 'required'] as const;

/** An MCP server that a request names. */
export interface McpToolRequest {
  /** Of the field `server_url` in the request. */
  readonly path: string;
  /** The client's name for the server; output items repeat it. */
  readonly serverLabel: string;
  /** Not connected to: only configured servers are used, which the label names. */
  readonly serverUrl: string | undefined;
  /** How the request restricts the tools of the server; undefined when it does not. */
  readonly limit: ToolRestriction | undefined;
}

/** The tools of a request. */
export interface DecodedTools {
  /** The tools that the client runs. */
  readonly clientTools: readonly ToolDeclaration[];
  readonly mcp: readonly McpToolRequest[];
  /** As the response repeats them: without credentials, and without the skipped ones. */
  readonly echo: readonly JsonObject[];
  /** The types of tools that this server does not have. */
  readonly skipped: readonly string[];
}

/** How the model chooses its tools. */
export type ToolChoice = (typeof MODES)[number] | { readonly name: string };

/** `tool_choice`, as the response repeats it and as the model gets it. */
export interface DecodedChoice {
  /** As the response repeats it. */
  readonly echo: JsonObject | string;
  /** Undefined leaves the choice to the model. */
  readonly toolChoice: ToolChoice | undefined;
  /** The client's tools that the model gets; undefined for all. */
  readonly allowed: ReadonlySet<string> | undefined;
}

/**
 * Decodes `tools` (contract responses, section A2). Functions are run by the client, `mcp` names a server, and
 * tools of other types are skipped.
 *
 * @throws AppError naming the path of the first invalid field, or of a function that appears twice
 */
export function decodeTools(items: readonly unknown[]): DecodedTools {
  const clientTools: ToolDeclaration[] = [];
  const mcp: McpToolRequest[] = [];
  const echo: JsonObject[] = [];
  const skipped: string[] = [];
  items.forEach((item, index) => {
    const fields = fieldReaderAt(item, `tools[${index}]`);
    const type = fields.required('type');
    if (type === 'function') {
      const tool = functionOf(fields, clientTools);
      clientTools.push(tool);
      echo.push(functionEcho(tool, fields));
    } else if (type === 'mcp') {
      mcp.push(mcpOf(fields));
      echo.push(mcpEcho(fields));
    } else skipped.push(type);
  });
  return { clientTools, mcp, echo, skipped };
}

/**
 * Decodes `tool_choice` (contract responses, section A2).
 *
 * @throws AppError INVALID_PARAMETER for an unknown mode, or a function that is not among the tools
 */
export function decodeToolChoice(fields: FieldReader, { clientTools }: DecodedTools): DecodedChoice {
  const path = fields.at('tool_choice');
  const value = fields.source['tool_choice'] ?? 'auto';
  if (typeof value === 'string') {
    const mode = modeOf(value, path);
    return { echo: mode, toolChoice: mode === 'auto' ? undefined : mode, allowed: undefined };
  }
  const choice = fieldReaderAt(value, path);
  const echo = choice.source as JsonObject;
  const type = choice.required('type');
  if (type === 'allowed_tools') return { echo, ...allowedOf(choice, clientTools) };
  if (type === 'function' || type === 'custom') {
    const name = knownName(choice, clientTools);
    return { echo, toolChoice: { name }, allowed: undefined };
  }
  const name = type === 'mcp' ? choice.string('name') : undefined;
  const forced = type === 'mcp' ? 'required' : undefined;
  return { echo, toolChoice: name === undefined ? forced : { name }, allowed: undefined };
}

/** The `allowed_tools` form. @throws AppError INVALID_PARAMETER for a name that is not among the tools */
function allowedOf(choice: FieldReader, tools: readonly ToolDeclaration[]): Omit<DecodedChoice, 'echo'> {
  const mode = modeOf(choice.string('mode') ?? 'auto', choice.at('mode'));
  const listed = choice.list('tools', MAX_NAMES) ?? [];
  const names = listed.flatMap((tool, index) => {
    const fields = fieldReaderAt(tool, `${choice.at('tools')}[${index}]`);
    return fields.string('type') === 'function' ? [knownName(fields, tools)] : [];
  });
  return { toolChoice: mode === 'auto' ? undefined : mode, allowed: new Set(names) };
}

/** @throws AppError INVALID_PARAMETER for an unknown mode */
function modeOf(value: string, path: string): (typeof MODES)[number] {
  const mode = MODES.find((one) => one === value);
  if (mode) return mode;
  throw fieldError(path, `must be one of ${MODES.join(', ')}, or an object`, 'INVALID_PARAMETER');
}

/** The name of a declared function. @throws AppError if it is missing or not declared */
function knownName(fields: FieldReader, tools: readonly ToolDeclaration[]): string {
  const name = fields.required('name');
  if (tools.some((tool) => tool.name === name)) return name;
  throw fieldError(fields.at('name'), `names ${name}, which is not among the tools`, 'INVALID_PARAMETER');
}

/** A tool of type `function`. @throws AppError for an invalid name, or one that an earlier tool has */
function functionOf(fields: FieldReader, before: readonly ToolDeclaration[]): ToolDeclaration {
  const name = fields.required('name');
  if (!NAME.test(name)) {
    const rule = 'must have 1 to 128 characters of A-Z, a-z, 0-9, _, . and -';
    throw fieldError(fields.at('name'), rule, 'INVALID_PARAMETER');
  }
  if (before.some((tool) => tool.name === name)) {
    throw fieldError(fields.at('name'), `repeats ${name}`, 'INVALID_PARAMETER');
  }
  const parameters = (fields.object('parameters') ?? { type: 'object', properties: {} }) as JsonObject;
  return { name, description: fields.string('description') ?? '', parameters, overrides: true };
}

/** The three optional fields are null when the request has none: clients require the keys. */
function functionEcho({ name }: ToolDeclaration, fields: FieldReader): JsonObject {
  return {
    type: 'function',
    name,
    description: fields.string('description') ?? null,
    parameters: (fields.object('parameters') as JsonObject | undefined) ?? null,
    strict: fields.boolean('strict') ?? null,
  };
}

/** A tool of type `mcp`. Its credentials are not read. */
function mcpOf(fields: FieldReader): McpToolRequest {
  const serverLabel = fields.required('server_label');
  const limit = decodeLimit(fields, serverLabel);
  return { path: fields.at('server_url'), serverLabel, serverUrl: fields.string('server_url'), limit };
}

/** Without `headers` and `authorization`, which are neither kept nor repeated. */
function mcpEcho({ source }: FieldReader): JsonObject {
  const { headers: _headers, authorization: _authorization, ...rest } = source as JsonObject;
  return rest;
}

/**
 * `allowed_tools` and `require_approval` of an `mcp` tool (contract responses, section A2): how the request restricts
 * the tools of the server. `never` does not override the policy of the server.
 *
 * @throws AppError naming the path of the first invalid field
 */
function decodeLimit(fields: FieldReader, serverLabel: string): ToolRestriction | undefined {
  const allowed = fields.source['allowed_tools'] ?? undefined;
  const limit: ToolRestriction = {
    server: logLabel(serverLabel),
    ...(allowed !== undefined && { only: filterOf(allowed, fields.at('allowed_tools')) }),
    ...approvalOf(fields),
  };
  return Object.keys(limit).length === 1 ? undefined : limit;
}

/** `require_approval`: `always`, `never`, or an object with a list of names for each. Default `never`. */
function approvalOf(fields: FieldReader): Pick<ToolRestriction, 'ask' | 'askAllBut'> {
  const path = fields.at('require_approval');
  const value = fields.source['require_approval'] ?? 'never';
  if (value === 'never') return {};
  if (value === 'always') return { ask: {} };
  if (typeof value === 'string') throw fieldError(path, 'must be always, never or an object', 'INVALID_PARAMETER');
  const { source } = fieldReaderAt(value, path);
  const [always, never] = [source['always'] ?? undefined, source['never'] ?? undefined];
  const limit: { ask?: ToolFilter; askAllBut?: ToolFilter } = {};
  if (always !== undefined) limit.ask = filterOf(always, `${path}.always`);
  if (never !== undefined) limit.askAllBut = filterOf(never, `${path}.never`);
  return limit;
}

/** A list of names, or an object with the names and `read_only`. */
function filterOf(value: unknown, path: string): ToolFilter {
  if (Array.isArray(value)) return { names: namesOf(value, path) };
  const fields = fieldReaderAt(value, path);
  const names = fields.list('tool_names', MAX_NAMES);
  const readOnly = fields.boolean('read_only');
  const filter: { names?: readonly string[]; readOnly?: boolean } = {};
  if (names) filter.names = namesOf(names, fields.at('tool_names'));
  if (readOnly !== undefined) filter.readOnly = readOnly;
  return filter;
}

/** @throws AppError naming the index of the first value that is not a string */
function namesOf(values: readonly unknown[], path: string): readonly string[] {
  return values.map((value, index) => {
    if (typeof value === 'string') return value;
    throw fieldError(`${path}[${index}]`, `must be a string, not ${kindOf(value ?? null)}`);
  });
}
