import type { ToolFilter, ToolRestriction } from '../../../tools/index.js';
import { type FieldReader, fieldError, fieldReaderAt, kindOf } from '../../http/field-reader.js';
import { logLabel } from '../items/tool-data.js';

const MAX_NAMES = 1000;

/**
 * `allowed_tools` and `require_approval` of an `mcp` tool (contract responses, section A2): what the request takes
 * away of the server's tools. `never` takes nothing away, nor does it overrule the server's own policy.
 *
 * @throws AppError naming the path of the first wrong field
 */
export function decodeLimit(fields: FieldReader, serverLabel: string): ToolRestriction | undefined {
  const allowed = fields.source['allowed_tools'] ?? undefined;
  const only = allowed === undefined ? {} : { only: filterOf(allowed, fields.at('allowed_tools')) };
  const limit = { ...only, ...approvalOf(fields) };
  return Object.keys(limit).length === 0 ? undefined : { server: logLabel(serverLabel), ...limit };
}

function approvalOf(fields: FieldReader): Pick<ToolRestriction, 'ask' | 'askAllBut'> {
  const path = fields.at('require_approval');
  const value = fields.source['require_approval'] ?? 'never';
  if (value === 'never') return {};
  if (value === 'always') return { ask: {} };
  if (typeof value === 'string') throw fieldError(path, 'must be always, never or an object', 'INVALID_PARAMETER');
  const { source } = fieldReaderAt(value, path);
  const [always, never] = [source['always'] ?? undefined, source['never'] ?? undefined];
  return {
    ...(always !== undefined && { ask: filterOf(always, `${path}.always`) }),
    ...(never !== undefined && { askAllBut: filterOf(never, `${path}.never`) }),
  };
}

/** A list of names, or an object with the names and whether the tools only read. */
function filterOf(value: unknown, path: string): ToolFilter {
  if (Array.isArray(value)) return { names: namesOf(value, path) };
  const fields = fieldReaderAt(value, path);
  const names = fields.list('tool_names', MAX_NAMES);
  const readOnly = fields.boolean('read_only');
  return {
    ...(names && { names: namesOf(names, fields.at('tool_names')) }),
    ...(readOnly !== undefined && { readOnly }),
  };
}

function namesOf(values: readonly unknown[], path: string): readonly string[] {
  return values.map((value, index) => {
    if (typeof value === 'string') return value;
    throw fieldError(`${path}[${index}]`, `must be a string, not ${kindOf(value ?? null)}`);
  });
}
