import { readFileSync } from 'node:fs';
import { ConfigurationError } from '../../config/index.js';
import { type ToolSettings } from '../tools.settings.js';
import { parsePolicy } from './policy-parser.js';
import { ToolPolicy } from './tool-policy.js';

/** The largest policy file, in characters. */
const FILE_LIMIT = 1024 * 1024;

/**
 * The policy in TOOL_POLICY_FILE, or the default policy if none is set.
 *
 * @throws ConfigurationError that names every problem
 */
export function loadPolicy({ policyFile, approvalExpiresInMs }: ToolSettings): ToolPolicy {
  if (policyFile === undefined) return new ToolPolicy([], approvalExpiresInMs);
  const { rules, problems } = parsePolicy(textOf(policyFile));
  if (problems.length === 0) return new ToolPolicy(rules, approvalExpiresInMs);
  throw failure(problems.map((problem) => `names a file that cannot be used: ${problem}`));
}

function textOf(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : 'unknown';
    throw failure([`names a file that cannot be read (${code}): ${file}`]);
  }
  if (text.length > FILE_LIMIT) throw failure([`names a file of more than ${FILE_LIMIT} characters`]);
  return text.replace(/^\uFEFF/, '');
}

function failure(messages: readonly string[]): ConfigurationError {
  return new ConfigurationError(messages.map((message) => ({ name: 'TOOL_POLICY_FILE', message })));
}
