import { Injectable, Logger } from '@nestjs/common';
import type { JsonObject } from '../common/index.js';
import { AppConfig } from '../config/index.js';
import { idempotencyKey, toolInputHash, toolStepKey } from './pipeline/call-keys.js';
import { refuseInDoubt } from './pipeline/crash-rule.js';
import { withDeadline } from './pipeline/deadline.js';
import { failureSentence } from './pipeline/failure.js';
import { boundText, outputText } from './pipeline/output-text.js';
import { parseArguments, type ParsedArguments } from './pipeline/parse-arguments.js';
import { type PolicyDecision, ToolPolicy } from './policy/tool-policy.js';
import { SchemaValidator } from './schema-validator.js';
import { ToolAnswer } from './tool-answer.js';
import type { NeededPermission, ToolCall, ToolCaller, ToolFailure, ToolJournal, ToolResult } from './tool-call.js';
import type { ToolOffer } from './tool-offer.js';
import type { ServerTool, ToolContext } from './tool.js';

/**
 * The one way a server tool is called: resolve, validate, ask the policy, note the beginning, invoke, bound. Whatever
 * goes wrong with the call itself is an answer for the model; what ends the run is thrown.
 */
@Injectable()
export class ToolInvoker {
  private readonly logger = new Logger(ToolInvoker.name);

  constructor(
    private readonly validator: SchemaValidator,
    private readonly policy: ToolPolicy,
    private readonly config: AppConfig,
  ) {}

  /**
   * Refuses calls that an earlier attempt began and that must not be made twice. To be asked for all
   * calls of a round before the first of them is made.
   *
   * @throws AppError TOOL_IN_DOUBT
   */
  checkInDoubt(call: ToolCall, offer: ToolOffer, journal: ToolJournal): void {
    const resolved = offer.resolve(call.name);
    if (resolved.kind === 'server') refuseInDoubt(resolved.tool, journal.inDoubt(toolStepKey(call.callId)));
  }

  /**
   * The permission that a call needs before `invoke`; undefined when it needs none, or will not be made
   * anyway. A call that an earlier attempt began had its permission then.
   */
  neededPermission(
    call: ToolCall,
    offer: ToolOffer,
    caller: ToolCaller,
    journal: ToolJournal,
  ): NeededPermission | undefined {
    const resolved = offer.resolve(call.name);
    if (resolved.kind !== 'server' || journal.inDoubt(toolStepKey(call.callId))) return undefined;
    const { tool } = resolved;
    const parsed = this.validArguments(tool, call, caller);
    if ('problem' in parsed) return undefined;
    const decision = this.decide(tool, parsed.args, caller);
    if (decision.effect !== 'ask') return undefined;
    const { reason, expiresInMs, mayEdit } = decision;
    return { call: completed(call, tool, parsed.args), tool, reason, expiresInMs, mayEdit };
  }

  /** True when a call of this tool may need a permission, whatever its arguments will be. */
  mayNeedPermission(name: string, offer: ToolOffer, { principal, agentType }: ToolCaller): boolean {
    const resolved = offer.resolve(name);
    return resolved.kind === 'server' && this.policy.mayAsk({ tool: resolved.tool, principal, agentType });
  }

  /**
   * Answers a call. What the policy denies, or asks for without `permitted`, is answered as denied; a
   * person's permission does not overrule a denial. The end of the step is not written down here: the caller does that together with
   * the events that show the result.
   *
   * @param permitted a person has allowed this very call
   * @throws AppError TOOL_IN_DOUBT; the reason of `caller.signal` when it aborts; an error of the journal
   */
  async invoke(
    call: ToolCall,
    offer: ToolOffer,
    caller: ToolCaller,
    journal: ToolJournal,
    permitted = false,
  ): Promise<ToolResult> {
    const resolved = offer.resolve(call.name);
    if (resolved.kind !== 'server') {
      const isInDoubt = journal.inDoubt(toolStepKey(call.callId));
      return isInDoubt
        ? failed(call, 'in_doubt', vanishedTool(call))
        : failed(call, 'unknown_tool', unknownTool(call, offer));
    }
    const parsed = this.validArguments(resolved.tool, call, caller);
    if ('problem' in parsed) return failed(call, 'invalid_arguments', parsed.problem);
    const denial = this.denial(
      resolved.tool,
      parsed.args,
      caller,
      permitted || journal.inDoubt(toolStepKey(call.callId)),
    );
    if (denial !== undefined) return failed(call, 'denied', denial);
    await this.begin(resolved.tool, call, journal);
    return this.run(resolved.tool, call, parsed.args, caller);
  }

  private validArguments(tool: ServerTool, call: ToolCall, { timeZone }: ToolCaller): ParsedArguments {
    const parsed = parseArguments(call.arguments);
    if ('problem' in parsed) return parsed;
    const args = tool.completeArguments?.(parsed.args, { timeZone }) ?? parsed.args;
    const violation = this.validator.violation(tool.parameters, args);
    return violation ? { problem: `The arguments of ${tool.name} are not valid: ${violation}` } : { args };
  }

  /** Why a call is not made, as a sentence for the model. */
  private denial(tool: ServerTool, args: JsonObject, caller: ToolCaller, permitted: boolean): string | undefined {
    const decision = this.decide(tool, args, caller);
    if (decision.effect === 'allow' || (decision.effect === 'ask' && permitted)) return undefined;
    if (decision.effect === 'ask') return `The tool ${tool.name} was not called: it needs a person's permission.`;
    const reason = decision.reason === null ? '' : ` ${decision.reason}`;
    return `The tool ${tool.name} was not called: the policy of this server does not allow this call.${reason}`;
  }

  private decide(tool: ServerTool, args: JsonObject, { principal, agentType }: ToolCaller): PolicyDecision {
    return this.policy.decide({ tool, args, principal, agentType });
  }

  /** A step that an earlier attempt began is already written down. */
  private async begin(tool: ServerTool, call: ToolCall, journal: ToolJournal): Promise<void> {
    const key = toolStepKey(call.callId);
    const inDoubt = journal.inDoubt(key);
    refuseInDoubt(tool, inDoubt);
    if (tool.effects !== 'none' && !inDoubt) await journal.begin(key, toolInputHash(call));
  }

  private async run(tool: ServerTool, call: ToolCall, args: JsonObject, caller: ToolCaller): Promise<ToolResult> {
    try {
      const value = await withDeadline(tool.timeoutMs, caller.signal, (signal) =>
        tool.invoke(args, contextOf(call, caller, signal)),
      );
      return { ...this.answered(value), callId: call.callId, name: call.name, isError: false };
    } catch (error) {
      caller.signal.throwIfAborted();
      const { failure, sentence, isPublic } = failureSentence(tool, error);
      if (!isPublic) this.logger.error({ err: error, tool: tool.name, callId: call.callId }, 'A tool threw');
      return failed(call, failure, this.bounded(sentence));
    }
  }

  /** Hints that are too long are dropped: they are kept with the run. */
  private answered(value: unknown): Pick<ToolResult, 'output' | 'uiHints'> {
    if (!(value instanceof ToolAnswer)) return { output: this.bounded(outputText(value)) };
    const hints = JSON.stringify(value.uiHints);
    const fits = Buffer.byteLength(hints) <= this.config.tools.outputLimitBytes;
    const output = this.bounded(outputText(value.value));
    return fits ? { output, uiHints: JSON.parse(hints) as JsonObject } : { output };
  }

  private bounded(text: string): string {
    return boundText(text, this.config.tools.outputLimitBytes);
  }
}

function contextOf(call: ToolCall, caller: ToolCaller, signal: AbortSignal): ToolContext {
  const { principal, sessionId, runId, clientTime, timeZone, locale, forwardedProps } = caller;
  return {
    principal,
    sessionId,
    runId,
    callId: call.callId,
    idempotencyKey: idempotencyKey(runId, call.callId),
    signal,
    ...(clientTime ? { clientTime } : {}),
    timeZone,
    locale,
    forwardedProps,
    progress: (update) => {
      if (!signal.aborted) caller.onProgress?.(call, update);
    },
  };
}

/**
 * The call as a person is asked about it: with what the server filled in, since a later run, which makes
 * the call, may know other facts.
 */
function completed(call: ToolCall, tool: ServerTool, args: JsonObject): ToolCall {
  return tool.completeArguments ? { ...call, arguments: JSON.stringify(args) } : call;
}

function failed(call: ToolCall, failure: ToolFailure, output: string): ToolResult {
  return { callId: call.callId, name: call.name, output, isError: true, failure };
}

/** Its source is gone since an earlier attempt began the call: nobody can say what came of it. */
function vanishedTool({ name }: ToolCall): string {
  return `The server stopped while the tool "${name}" was running, and the tool is not available now: the call may have taken effect, and it was not repeated.`;
}

function unknownTool(call: ToolCall, offer: ToolOffer): string {
  const names = offer.declarations.map((tool) => tool.name).join(', ');
  return `There is no tool named "${call.name}". ${names ? `The tools are: ${names}.` : 'There are no tools.'}`;
}
