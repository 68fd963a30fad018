import type { ToolInvoker, ToolSet } from '../../tools/index.js';
import type { AgentContext } from '../agent.js';
import { callerOf } from './answer-call.js';
import type { CallPermissions } from './call-segment.js';
import { requiredApproval } from './tool-round.js';

/** The permissions that a run's calls need. */
export function permissionsOf(context: AgentContext, invoker: ToolInvoker, toolSet: ToolSet): CallPermissions {
  const caller = callerOf(context);
  const mayNeed = (name: string): boolean => invoker.mayRequireApproval(name, toolSet, caller);
  return {
    mayNeed,
    needs: (call) => mayNeed(call.name) && requiredApproval(context, invoker, toolSet, call) !== undefined,
  };
}
