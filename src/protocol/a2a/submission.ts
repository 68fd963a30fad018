import { Injectable } from '@nestjs/common';
import { type Caller, traceOf, sentWith } from '../../access/index.js';
import { AppError, fingerprint, type Json, type JsonObject, userReach } from '../../common/index.js';
import { type RunRequest, Runs, type RunView } from '../../run/index.js';
import type { ClientTime, ToolDeclaration } from '../../agent/tools/index.js';
import { decodeTools } from '../ag-ui-events/index.js';
import { checkClientTime, fieldError, fieldReaderAt } from '../http/index.js';
import { a2aDataOf, type KeptMessage, toWireData, WIRE_NAMES } from './a2a-data.js';
import { A2aSettings } from './a2a.settings.js';
import { EXTENSIONS, type SendRequest } from './a2a.types.js';
import { checkedParts } from './message-content.js';
import { MessageInputs } from './message-inputs.js';
import { type Place, Placement, type SendOptions } from './placement.js';
import { TaskAnswers } from './task-answers.js';

/** What a message has become. */
export interface Submitted {
  readonly run: RunView;
  /** False: an earlier request had the same message. */
  readonly created: boolean;
}

const TOOLS_LIMIT = 128;

/** Accepts messages of clients as runs (contract a2a, sections 6.4, 9 and 12). */
@Injectable()
export class Submission {
  constructor(
    private readonly runs: Runs,
    private readonly placement: Placement,
    private readonly answers: TaskAnswers,
    private readonly inputs: MessageInputs,
    private readonly settings: A2aSettings,
  ) {}

  /**
   * @throws A2aError TASK_NOT_FOUND, UNSUPPORTED_OPERATION, CONTENT_TYPE_NOT_SUPPORTED; AppError naming the first invalid
   *   field, and those of `Runs.accept`
   */
  async submit(request: SendRequest, options: SendOptions, caller: Caller): Promise<Submitted> {
    const { message } = request;
    const place = await this.placement.of(request, options, caller);
    const hash = fingerprint([message.role, message.parts, message.metadata ?? null, message.taskId ?? null]);
    const runKey = this.keyOf(request, options, place, hash);
    const known =
      runKey === undefined ? undefined : await this.runs.findByKey(place.principal, place.contextId, runKey);
    if (known) return this.repeated(known, hash);
    this.placement.assertTakes(place);
    return this.accept(request, options, caller, { ...place, hash, runKey });
  }

  private async accept(
    request: SendRequest,
    options: SendOptions,
    caller: Caller,
    place: Place & { readonly hash: string; readonly runKey: string | undefined },
  ): Promise<Submitted> {
    const { message } = request;
    const { principal, requester, contextId, agent, waiting, hash, runKey } = place;
    const clientTools = clientToolsOf(request, options);
    const clientTime = clientTimeOf(request);
    const found = waiting ? await this.answers.of(waiting, message.parts) : { kind: 'message' as const };
    if (found.kind === 'repeat' && waiting) return { run: waiting.last, created: false };
    const isAnswer = found.kind === 'answers';
    const checked = checkedParts(isAnswer ? [] : message.parts, agent.inputModes);
    const parts = isAnswer ? message.parts.map((part) => ({ part: { ...part } })) : checked.kept;
    const kept: KeptMessage = {
      messageId: message.messageId,
      parts,
      ...(message.metadata && { metadata: message.metadata }),
      ...(message.extensions && { extensions: message.extensions }),
      ...(message.referenceTaskIds && { referenceTaskIds: message.referenceTaskIds }),
    };
    const input = isAnswer ? found.outputs : [await this.inputs.messageOf(checked, principal)];
    const accepted: RunRequest = {
      wire: WIRE_NAMES[options.version],
      principal,
      reach: userReach(principal),
      requester,
      sessionId: contextId,
      agentType: agent.name,
      input,
      messagesField: 'message.parts',
      newRunId: this.inputs.newTaskId(),
      clientTools: clientTools ?? waiting?.last.clientTools ?? [],
      modelOptions: {},
      forwardedProps: forwardedProps(request),
      onBusy: 'enqueue',
      wireData: toWireData({ message: kept, hash }),
      ...(runKey !== undefined && { runKey }),
      ...(isAnswer && found.answers.length > 0 && { answers: found.answers }),
      ...(clientTime && { clientTime }),
      ...traceOf(caller),
      ...sentWith(caller),
    };
    const { run, created } = await this.runs.accept(accepted);
    return created ? { run, created } : this.repeated(run, hash);
  }

  /** @throws AppError RUN_ID_CONFLICT for another message under the same key */
  private repeated(run: RunView, hash: string): Submitted {
    if (a2aDataOf(run)?.hash === hash) return { run, created: false };
    throw new AppError('RUN_ID_CONFLICT', 'This Idempotency-Key was used with another message');
  }

  /** What makes an equal request the same one: a key of the client, or the id of its message in the context. */
  private keyOf(
    { message }: SendRequest,
    options: SendOptions,
    { isNamed, agent }: Place,
    hash: string,
  ): string | undefined {
    const { idempotencyKey } = options;
    if (idempotencyKey !== undefined) return `a2a-key:${fingerprint([idempotencyKey])}`;
    if (!isNamed || this.settings.dedupe === 'off') return undefined;
    return `a2a:${fingerprint([agent.name, message.messageId, hash])}`;
  }
}

/** What agents and tools get of the request. */
function forwardedProps({ metadata, message, acceptedOutputModes }: SendRequest): RunRequest['forwardedProps'] {
  const a2a: JsonObject = { messageId: message.messageId };
  const own = { ...message.metadata, ...metadata };
  if (Object.keys(own).length > 0) a2a['metadata'] = own;
  if (acceptedOutputModes.length > 0) a2a['acceptedOutputModes'] = [...acceptedOutputModes];
  return { a2a };
}

/** @throws AppError for a time that is not valid */
function clientTimeOf({ metadata, message }: SendRequest): ClientTime | undefined {
  const given = message.metadata?.['client_time'] ?? metadata?.['client_time'];
  if (given === undefined || given === null) return undefined;
  const checked = checkClientTime(given);
  if (checked.ok) return checked.value;
  const path = `metadata.client_time${checked.field === '' ? '' : `.${checked.field}`}`;
  throw fieldError(path, 'is not valid', 'INVALID_PARAMETER');
}

/** The tools that the client declares, if the extension is active. */
function clientToolsOf({ message }: SendRequest, { extensions }: SendOptions): readonly ToolDeclaration[] | undefined {
  const given = extensions.has(EXTENSIONS.clientTools) ? message.metadata?.[EXTENSIONS.clientTools] : undefined;
  if (given === undefined || given === null) return undefined;
  const tools = fieldReaderAt(given, `message.metadata["${EXTENSIONS.clientTools}"]`).list('tools', TOOLS_LIMIT);
  return decodeTools(
    tools ?? [],
    (tool) => (tool.object('parameters') ?? { type: 'object', properties: {} }) as Record<string, Json>,
  );
}
