import { ToolPolicy } from '../policy/tool-policy.js';

/** Allows also what the default policy would ask for. */
export const ALLOW_ALL = new ToolPolicy(
  [{ index: 0, tools: ['*'], effect: 'allow', conditions: [], allowEdit: false }],
  1000,
);
