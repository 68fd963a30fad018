import { Injectable, Logger } from '@nestjs/common';
import {
  exactJsonText,
  type ExactObject,
  type JsonObject,
  withIntegerTexts,
  withRoundedIntegers,
} from '../../common/index.js';
import { beginCall, boundText, failureSentence, outputText, refuseInDoubt } from './call-results.js';
import { withDeadline } from './deadline.js';
import { type PolicyDecision, ToolPolicy } from './policy/tool-policy.js';
import { SchemaValidator } from './schema-validator.js';
import { argumentsText, fittedArguments, readArguments } from './tool-arguments.js';
import {
  idempotencyKey,
  type RequiredApproval,
  type ToolCall,
  type ToolCaller,
  type ToolFailure,
  toolIdentity,
  type ToolJournal,
  type ToolResult,
  toolStepKey,
} from './tool-call.js';
import type { ToolSet } from './tool-set.js';
import { type ServerTool, ToolAnswer, type ToolContext } from './tool.js';
import { ToolSettings } from './tools.settings.js';

/** What would become of a call: a sentence about its arguments, or the decision of the policy. */
export type CallPreview =
  | { readonly problem: string }
  | {
      readonly args: JsonObject;
      readonly decision: PolicyDecision;
      /** `ToolPolicy.ruleKey` of the rule that decides. */
      readonly ruleKey: string;
    };

/**
 * Calls server tools, always in the same steps: resolve the name, validate the arguments, apply the policy,
 * record the start, invoke, limit the output. A failure of the call is answered to the model; an error that
 * ends the run is thrown.
 */
@Injectable()
export class ToolInvoker {
  private readonly logger = new Logger(ToolInvoker.name);

  constructor(
    private readonly validator: SchemaValidator,
    private readonly policy: ToolPolicy,
    private readonly settings: ToolSettings,
  ) {}

  /** How many calls with invalid arguments one run may make. */
  get maxInvalidCalls(): number {
    return this.settings.maxInvalidCalls;
  }

  /**
   * Refuses a call that an earlier attempt started and that must not be made twice. Check all calls of a
   * round before making the first one.
   *
   * @throws AppError TOOL_IN_DOUBT
   */
  checkInDoubt(call: ToolCall, toolSet: ToolSet, journal: ToolJournal): void {
    const resolved = toolSet.resolve(call.name);
    if (resolved.kind === 'server') refuseInDoubt(resolved.tool, call, journal);
  }

  /**
   * The approval that a call requires before `invoke`; undefined if it requires none or will be refused
   * anyway. A call that an earlier attempt started was approved then.
   */
  requiredApproval(
    call: ToolCall,
    toolSet: ToolSet,
    caller: ToolCaller,
    journal: ToolJournal,
  ): RequiredApproval | undefined {
    const resolved = toolSet.resolve(call.name);
    if (resolved.kind !== 'server' || journal.inDoubt(toolStepKey(call.callId))) return undefined;
    const { tool } = resolved;
    const parsed = this.validArguments(tool, call, caller);
    if ('problem' in parsed) return undefined;
    const decision = this.decide(tool, parsed.args, caller);
    if (decision.effect !== 'ask') return undefined;
    const { rule, reason, expiresInMs, mayEdit, approvers } = decision;
    // As a person is asked to approve it: the later run that makes the call could add other arguments.
    const asked = tool.completeArguments ? Object.assign({}, call, { arguments: parsed.text }) : call;
    const binding = { rule: this.policy.ruleKey(rule), tool: toolIdentity(tool) };
    return { call: asked, tool, reason, expiresInMs, mayEdit, binding, ...(approvers && { approvers }) };
  }

  /**
   * The answer to an approved call whose tool is not the one that was meant when the approval was asked for: its MCP
   * server may be away, and another one may have a tool of the same name.
   */
  withoutTool(call: ToolCall, journal: ToolJournal): ToolResult {
    if (journal.inDoubt(toolStepKey(call.callId))) return failed(call, 'in_doubt', vanishedTool(call));
    return failed(
      call,
      'unknown_tool',
      `The call was not made: the tool "${call.name}" that was approved is not available now.`,
    );
  }

  /** What would become of a call with these arguments, without making it. */
  preview(
    tool: ServerTool,
    args: ExactObject,
    caller: Pick<ToolCaller, 'principal' | 'authority' | 'agentType' | 'timeZone'>,
  ): CallPreview {
    const parsed = this.validArguments(tool, { name: tool.name, arguments: exactJsonText(args) ?? '' }, caller);
    if ('problem' in parsed) return { problem: parsed.problem };
    const decision = this.decide(tool, parsed.args, caller);
    const ruleKey = this.policy.ruleKey(decision.effect === 'allow' ? null : decision.rule);
    const effective = tool.withDefaults?.(parsed.args) ?? parsed.args;
    return { args: withIntegerTexts(effective) as JsonObject, decision, ruleKey };
  }

  /** True if calls of this tool may require an approval, depending on their arguments. */
  mayRequireApproval(
    name: string,
    toolSet: ToolSet,
    { principal, authority, agentType }: Pick<ToolCaller, 'principal' | 'authority' | 'agentType'>,
  ): boolean {
    const resolved = toolSet.resolve(name);
    return resolved.kind === 'server' && this.policy.mayAsk({ tool: resolved.tool, principal, authority, agentType });
  }

  /**
   * Answers a call. A call that the policy denies, or that requires an approval it does not have, is
   * answered as denied; an approval does not override a denial. The caller records the end of the step,
   * together with the events that show the result.
   *
   * @param approved whether a person has approved this call
   * @throws AppError TOOL_IN_DOUBT; the reason of `caller.signal` if it aborts; errors of the journal
   */
  async invoke(
    call: ToolCall,
    toolSet: ToolSet,
    caller: ToolCaller,
    journal: ToolJournal,
    approved = false,
  ): Promise<ToolResult> {
    const resolved = toolSet.resolve(call.name);
    if (resolved.kind !== 'server') {
      const isInDoubt = journal.inDoubt(toolStepKey(call.callId));
      return isInDoubt
        ? failed(call, 'in_doubt', vanishedTool(call))
        : failed(call, 'unknown_tool', unknownTool(call, toolSet));
    }
    const parsed = this.validArguments(resolved.tool, call, caller);
    if ('problem' in parsed) return failed(call, 'invalid_arguments', parsed.problem);
    const denial = this.denial(
      resolved.tool,
      parsed.args,
      caller,
      approved || journal.inDoubt(toolStepKey(call.callId)),
    );
    if (denial !== undefined) return failed(call, 'denied', denial);
    await beginCall(resolved.tool, call, journal);
    return this.run(resolved.tool, call, parsed, caller);
  }

  private validArguments(
    tool: ServerTool,
    call: Pick<ToolCall, 'name' | 'arguments'>,
    { timeZone }: Pick<ToolCaller, 'timeZone'>,
  ): ParsedArguments {
    const read = readArguments(call.arguments);
    if ('problem' in read) return read;
    const fitted = fittedArguments(read.args, tool);
    if ('problem' in fitted) return fitted;
    // Tools are written for JSON; that integers may be bigints is documented.
    const given = fitted.args as JsonObject;
    const args = tool.completeArguments?.(given, { timeZone }) ?? given;
    const text = tool.completeArguments ? (exactJsonText(args) ?? '{}') : argumentsText(call.arguments);
    if (tool.isUnchecked) return { args, text };
    const violation = this.validator.violation(tool.parameters, withRoundedIntegers(args));
    return violation ? { problem: `The arguments of ${tool.name} are not valid: ${violation}` } : { args, text };
  }

  /** Why the policy refuses a call, as a sentence for the model; undefined if it does not. */
  private denial(tool: ServerTool, args: JsonObject, caller: ToolCaller, approved: boolean): string | undefined {
    const decision = this.decide(tool, args, caller);
    if (decision.effect === 'allow' || (decision.effect === 'ask' && approved)) return undefined;
    if (decision.effect === 'ask') return `The tool ${tool.name} was not called: it needs a person's permission.`;
    const reason = decision.reason === null ? '' : ` ${decision.reason}`;
    return `The tool ${tool.name} was not called: the policy of this server does not allow this call.${reason}`;
  }

  private decide(
    tool: ServerTool,
    args: JsonObject,
    { principal, authority, agentType }: Pick<ToolCaller, 'principal' | 'authority' | 'agentType'>,
  ): PolicyDecision {
    const effective = tool.withDefaults?.(args) ?? args;
    return this.policy.decide({ tool, args: effective, principal, authority, agentType });
  }

  private async run(
    tool: ServerTool,
    call: ToolCall,
    { args, text }: ValidArguments,
    caller: ToolCaller,
  ): Promise<ToolResult> {
    try {
      const value = await withDeadline(tool.timeoutMs, caller.signal, (signal) =>
        tool.invoke(args, contextOf(call, text, caller, signal)),
      );
      return { ...this.answered(value), callId: call.callId, name: call.name, isError: false };
    } catch (error) {
      caller.signal.throwIfAborted();
      const { failure, sentence, isPublic } = failureSentence(tool, error);
      if (!isPublic) this.logger.error({ err: error, tool: tool.name, callId: call.callId }, 'A tool threw');
      return failed(call, failure, this.bounded(sentence));
    }
  }

  /** Drops hints that are too long, because they are stored with the run. */
  private answered(value: unknown): Pick<ToolResult, 'output' | 'images' | 'contents' | 'uiHints'> {
    if (!(value instanceof ToolAnswer)) return { output: this.bounded(outputText(value)) };
    const { images, contents, uiHints } = value;
    const blocks = contents && JSON.stringify(contents);
    const hasBlocks = blocks !== undefined && blocks.length <= CONTENTS_LIMIT;
    const hints = uiHints && JSON.stringify(uiHints);
    const fits = hints !== undefined && Buffer.byteLength(hints) <= this.settings.outputLimitBytes;
    return {
      output: this.bounded(outputText(value.value)),
      ...(images.length > 0 && { images }),
      ...(hasBlocks && { contents: JSON.parse(blocks) as JsonObject }),
      ...(fits && { uiHints: JSON.parse(hints) as JsonObject }),
    };
  }

  private bounded(text: string): string {
    return boundText(text, this.settings.outputLimitBytes);
  }
}

/** Characters of the blocks of one result: with more only the text is kept. */
const CONTENTS_LIMIT = 4 * 1024 * 1024;

function contextOf(call: ToolCall, text: string, caller: ToolCaller, signal: AbortSignal): ToolContext {
  const { principal, sessionId, runId, clientTime, timeZone, locale, forwardedProps, traceparent } = caller;
  return {
    principal,
    sessionId,
    runId,
    callId: call.callId,
    argumentsText: text,
    idempotencyKey: idempotencyKey(caller, call.callId),
    signal,
    ...(clientTime && { clientTime }),
    timeZone,
    locale,
    forwardedProps,
    ...(traceparent !== undefined && { traceparent }),
    progress: (update) => {
      if (!signal.aborted) caller.onProgress?.(call, update);
    },
  };
}

function failed(call: ToolCall, failure: ToolFailure, output: string): ToolResult {
  return { callId: call.callId, name: call.name, output, isError: true, failure };
}

/** For a call that an earlier attempt started and whose tool no longer exists: its outcome is unknown. */
function vanishedTool({ name }: ToolCall): string {
  return `The server stopped while the tool "${name}" was running, and the tool is not available now: the call may have taken effect, and it was not repeated.`;
}

function unknownTool(call: ToolCall, toolSet: ToolSet): string {
  const names = toolSet.declarations.map((tool) => tool.name).join(', ');
  return `There is no tool named "${call.name}". ${names ? `The tools are: ${names}.` : 'There are no tools.'}`;
}

/** Arguments that the tool may be called with, and their JSON text. */
interface ValidArguments {
  readonly args: JsonObject;
  readonly text: string;
}

/** Valid arguments, or the problem as a sentence for the model. */
type ParsedArguments = ValidArguments | { readonly problem: string };
