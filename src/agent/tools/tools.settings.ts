import { bytes, DAY_MS, duration, integer, MIB, milliseconds, path, setting, settings } from '../../config/index.js';

/** Limits of tool calls, and which calls need an approval. */
export class ToolSettings extends settings('Tools', {
  timeoutMs: setting('TOOL_TIMEOUT_MS', milliseconds({ min: 10, max: DAY_MS }), {
    default: 30_000,
    description: 'How long one tool call may take.',
  }),
  outputLimitBytes: setting('TOOL_OUTPUT_LIMIT_BYTES', bytes({ min: 256, max: 64 * MIB }), {
    default: 65_536,
    description: 'Longest output of a tool. Longer output is cut, and the cut is marked.',
  }),
  maxInvalidCalls: setting('TOOL_MAX_INVALID_CALLS', integer({ min: 0, max: 1000 }), {
    default: 5,
    description: 'Tool calls with invalid arguments that one run may make before it fails.',
  }),
  policyFile: setting('TOOL_POLICY_FILE', path(), {
    unset: 'none: unsafe and destructive tools need an approval, others are allowed',
    description:
      'JSON file with the rules that allow, deny or require an approval of tool calls (docs/tools.md). Read when the server starts.',
  }),
  approvalExpiresInMs: setting('APPROVAL_EXPIRES_IN', duration({ min: 1000, max: 365 * DAY_MS }), {
    default: '24h',
    description: 'How long an approval or another interrupt may be answered, unless its rule says otherwise.',
  }),
}) {}
