import { AppError, Clock, isPlainObject, type JsonObject } from '../../common/index.js';
import { type ToolCall, toolInputHash, ToolInvoker, ToolRegistry, type ToolSet } from '../tools/index.js';
import { AgentType } from '../agent-type.decorator.js';
import type { Agent, AgentContext, AgentOutcome } from '../agent.js';
import { requestApprovals } from '../loop/approvals.js';
import { appearanceOf } from '../loop/call-segment.js';
import { resumeCalls } from '../loop/decided-calls.js';
import { toolRound } from '../loop/tool-round.js';
import { TOOL_AGENT, TOOL_CALL } from './tool-agent-names.js';

/** Calls one tool of the server without a model: with its journal, policy and approvals. Only the server itself runs it. */
@AgentType({ name: TOOL_AGENT, description: '', exposure: 'internal', recovery: 'journal' })
export class ToolAgent implements Agent {
  constructor(
    private readonly tools: ToolRegistry,
    private readonly invoker: ToolInvoker,
    private readonly clock: Clock,
  ) {}

  /** @throws AppError TOOL_EXECUTION_FAILED without a call; as `toolRound` */
  async *run(context: AgentContext): AsyncGenerator<undefined, AgentOutcome, void> {
    const call = callOf(context);
    const toolSet = await this.tools.toolSet([], { authority: context.authority });
    const resumed = await resumeCalls(context, this.invoker, toolSet);
    yield;
    if (resumed.asked.length > 0) return this.waits(context, resumed.asked);
    if (resumed.results.length > 0) return { kind: 'completed' };
    showCall(context, toolSet, call);
    const modelCall = { id: call.callId, name: call.name, arguments: call.arguments };
    const { asked } = await toolRound(context, this.invoker, toolSet, [modelCall]);
    yield;
    return asked.length > 0 ? this.waits(context, asked) : { kind: 'completed' };
  }

  private waits(context: AgentContext, asked: Parameters<typeof requestApprovals>[1]): AgentOutcome {
    const interrupts = requestApprovals(context, asked, this.clock.now());
    const message = 'The call needs an approval.';
    return { kind: 'interrupted', reason: 'approval', message, callIds: [], responseSchema: null, asked: interrupts };
  }
}

function callOf({ forwardedProps, runId }: AgentContext): ToolCall {
  const given = forwardedProps[TOOL_CALL];
  const [name, text] = isPlainObject(given) ? [given['name'], given['arguments']] : [];
  if (typeof name !== 'string' || typeof text !== 'string') {
    throw new AppError('TOOL_EXECUTION_FAILED', 'The run has no call of a tool');
  }
  return { callId: `call_${runId}`, name, arguments: text };
}

/** Writes the message of the call, once in all attempts. */
function showCall(context: AgentContext, toolSet: ToolSet, call: ToolCall): void {
  const key = `show:${call.callId}`;
  const hash = toolInputHash(call);
  if (context.journal.finished(key, hash)) return;
  const { callType, serverLabel } = appearanceOf(call.name, toolSet);
  const message = context.response.createMessageBuilder('assistant', callType);
  message.created();
  message.inProgress();
  const label: JsonObject = serverLabel === undefined ? {} : { server_label: serverLabel };
  message
    .createContentBuilder('data')
    .addDataDelta({ call_id: call.callId, name: call.name, arguments: call.arguments, ...label });
  message.complete();
  context.journal.finish(key, hash, {}, [message.id]);
}
