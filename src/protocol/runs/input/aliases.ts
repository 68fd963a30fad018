import { canonicalJson, isPlainObject } from '../../../common/index.js';
import type { RuleViolation, Source } from './run-input.js';

/** The snake_case spellings of one place of the schema (contract runs-api, section 2.1). */
type Aliases = Readonly<Record<string, string>>;

/** Keys of the request itself. */
const TOP: Aliases = {
  thread_id: 'threadId',
  run_id: 'runId',
  parent_run_id: 'parentRunId',
  forwarded_props: 'forwardedProps',
};
/** Keys of a message. */
const MESSAGE: Aliases = { tool_calls: 'toolCalls', tool_call_id: 'toolCallId', encrypted_value: 'encryptedValue' };
const TOOL_CALL: Aliases = { encrypted_value: 'encryptedValue' };
/** Keys of a content block and of its `source`. */
const BLOCK: Aliases = { mime_type: 'mimeType' };

/**
 * Brings the keys of a RunAgentInput to their camelCase spelling, by their place in the schema: what is
 * opaque (`state`, schemas, context values, `forwardedProps`) stays as it is. Two spellings with
 * different values are a violation.
 */
export function resolveAliases(body: Source, violations: RuleViolation[]): Source {
  const top = renamed(body, TOP, '', violations);
  const { messages } = top;
  if (!Array.isArray(messages)) return top;
  return { ...top, messages: messages.map((message, index) => messageOf(message, `messages[${index}]`, violations)) };
}

/** The keys of a message, its blocks and its calls. A value that is not an object is left to the shape check. */
function messageOf(value: unknown, path: string, violations: RuleViolation[]): unknown {
  if (!isPlainObject(value)) return value;
  const message = { ...renamed(value, MESSAGE, path, violations) };
  const nested = (key: string, aliases: Aliases): void => {
    const items = message[key];
    if (!Array.isArray(items)) return;
    message[key] = items.map((item: unknown, index) =>
      isPlainObject(item) ? blockOf(item, aliases, `${path}.${key}[${index}]`, violations) : item,
    );
  };
  nested('content', BLOCK);
  nested('toolCalls', TOOL_CALL);
  return message;
}

/** A block, and the `source` of an AG-UI part in it. */
function blockOf(block: Source, aliases: Aliases, path: string, violations: RuleViolation[]): Source {
  const result = renamed(block, aliases, path, violations);
  const { source } = result;
  if (!isPlainObject(source)) return result;
  return { ...result, source: renamed(source, aliases, `${path}.source`, violations) };
}

/**
 *
 * Renames the keys of one object. The object itself is returned when it has no alias.
 *
 * Adds a violation if both spellings occur with different values.
 */
function renamed(source: Source, aliases: Aliases, path: string, violations: RuleViolation[]): Source {
  if (!Object.keys(aliases).some((alias) => Object.hasOwn(source, alias))) return source;
  const result: Record<string, unknown> = { ...source };
  for (const [alias, name] of Object.entries(aliases)) {
    if (!Object.hasOwn(source, alias)) continue;
    if (Object.hasOwn(source, name) && canonicalJson(source[name]) !== canonicalJson(source[alias])) {
      const at = path === '' ? name : `${path}.${name}`;
      violations.push({ code: 'INVALID_RUN_AGENT_INPUT', path: at, rule: 'alias', message: `differs from ${alias}` });
    }
    result[name] = source[alias];
    delete result[alias];
  }
  return result;
}
