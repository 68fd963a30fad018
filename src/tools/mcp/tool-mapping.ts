import { createHash } from 'node:crypto';
import type { McpServerConfig } from '../../config/index.js';
import type { ToolAnnotations, ToolEffects } from '../tool.js';
import type { ToolDescription } from './wire-schemas.js';

/** The longest name that model providers accept. */
const NAME_LIMIT = 64;
const HASH_LENGTH = 8;

/** The longest description that the model is given, in characters. */
const DESCRIPTION_LIMIT = 8192;

/**
 * The name the model calls a tool by: the server's prefix and the tool's own name. Characters that
 * model providers refuse become `_`; a name that is too long is cut and told apart by a hash.
 */
export function offeredName({ prefix }: Pick<McpServerConfig, 'prefix'>, name: string): string {
  const offered = (prefix + name).replace(/[^A-Za-z0-9_-]/g, '_');
  if (offered.length <= NAME_LIMIT) return offered;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH);
  return `${offered.slice(0, NAME_LIMIT - HASH_LENGTH - 1)}_${hash}`;
}

/** What the model is told of a tool; without characters that no database keeps. */
export function descriptionOf({ description, title }: ToolDescription): string {
  return (description ?? title ?? '')
    .slice(0, DESCRIPTION_LIMIT)
    .replace(/\p{Surrogate}/gu, '\uFFFD')
    .replaceAll('\0', '');
}

/** The hints of a tool that are what they should be; undefined when there are none. */
export function annotationsOf({ annotations = {}, title: ownTitle }: ToolDescription): ToolAnnotations | undefined {
  const title = annotations['title'] ?? ownTitle;
  const flag = (key: string): object => (typeof annotations[key] === 'boolean' ? { [key]: annotations[key] } : {});
  const known: ToolAnnotations = {
    ...(typeof title === 'string'
      ? { title: title.slice(0, DESCRIPTION_LIMIT).replace(/\p{Surrogate}/gu, '\uFFFD') }
      : {}),
    ...flag('readOnlyHint'),
    ...flag('destructiveHint'),
    ...flag('idempotentHint'),
    ...flag('openWorldHint'),
  };
  return Object.keys(known).length > 0 ? known : undefined;
}

/** What a second execution would do: nothing for tools that only read, and careful where nothing is known. */
export function effectsOf(annotations: ToolAnnotations | undefined): ToolEffects {
  if (annotations?.readOnlyHint === true) return 'none';
  return annotations?.idempotentHint === true ? 'idempotent' : 'unsafe';
}
