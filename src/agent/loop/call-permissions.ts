import type { ToolInvoker, ToolOffer } from '../../tools/index.js';
import type { AgentContext } from '../agent.js';
import { callerOf } from './answer-call.js';
import type { CallPermissions } from './call-segment.js';
import { neededPermission } from './tool-round.js';

/** The permissions that a run's calls need. */
export function permissionsOf(context: AgentContext, invoker: ToolInvoker, offer: ToolOffer): CallPermissions {
  const caller = callerOf(context);
  const mayNeed = (name: string): boolean => invoker.mayNeedPermission(name, offer, caller);
  return {
    mayNeed,
    needs: (call) => mayNeed(call.name) && neededPermission(context, invoker, offer, call) !== undefined,
  };
}
