import { Injectable } from '@nestjs/common';
import { type Caller, traceOf, sentWith } from '../../access/index.js';
import { type RegisteredAgent, TOOL_AGENT, TOOL_CALL } from '../../agent/index.js';
import { AppError, fingerprint, IdFactory, type Principal, userReach } from '../../common/index.js';
import { type RunRequest, Runs, type RunView } from '../../run/index.js';
import { Sessions } from '../../agent/session/index.js';
import { sessionOwner } from '../wire/index.js';
import { callDataOf, toWireData } from './call-data.js';
import { McpError } from './mcp.errors.js';
import { type CallData, type Peer, type RpcId, WIRE } from './mcp.types.js';
import { CallArguments } from './tools/call-arguments.js';

/** A call of a tool, as its request specifies it. */
export interface ToolCallRequest {
  readonly id: RpcId;
  readonly tool: string;
  readonly args: unknown;
  /** Absent: no progress is reported. */
  readonly token: RpcId | undefined;
  readonly peer: Peer;
  readonly caller: Caller;
}

/** An answer for a model in place of a run. */
export class Refused extends Error {
  constructor(readonly sentence: string) {
    super(sentence);
    this.name = 'Refused';
  }
}

/** Errors that a model can act on: it gets their sentences. */
const FOR_MODELS: ReadonlySet<number> = new Set([400, 404, 409, 410, 413, 415, 422]);

/** Accepts calls of agents and of tools of the server as runs. */
@Injectable()
export class CallSubmission {
  constructor(
    private readonly runs: Runs,
    private readonly sessions: Sessions,
    private readonly args: CallArguments,
    private readonly ids: IdFactory,
  ) {}

  /** @throws Refused for what a model can do better; McpError; AppError, as `Runs.accept` */
  async ask(agent: RegisteredAgent, request: ToolCallRequest): Promise<RunView> {
    const known = await this.known(request);
    if (known) return known;
    return this.refusing(async () => {
      const args = this.args.read(agent, request.args);
      const { principal, sessionId } = await this.place(args.sessionId, request);
      const runId = this.runIdOf(request);
      const message = await this.args.message(args, agent, principal, runId);
      const accepted: RunRequest = {
        ...this.common(request, principal, runId),
        sessionId,
        sessionGiven: args.sessionId !== undefined,
        agentType: agent.name,
        input: [message],
        messagesField: 'arguments.message',
        forwardedProps: { [WIRE]: { tool: request.tool } },
      };
      return this.accept(accepted, principal);
    });
  }

  /** A call of a tool of the server: a run without a model. @throws as `ask` */
  async call(request: ToolCallRequest): Promise<RunView> {
    const known = await this.known(request);
    if (known) return known;
    return this.refusing(async () => {
      const { principal, sessionId } = await this.place(undefined, request);
      const argumentsText = JSON.stringify(request.args ?? {});
      const accepted: RunRequest = {
        ...this.common(request, principal, this.runIdOf(request)),
        sessionId,
        sessionGiven: false,
        unlistedSession: true,
        agentType: TOOL_AGENT,
        isAgentOfWire: true,
        input: [],
        forwardedProps: { [TOOL_CALL]: { name: request.tool, arguments: argumentsText } },
      };
      return this.accept(accepted, principal);
    });
  }

  /** The run that a request with this id has begun in this session. */
  private async known(request: ToolCallRequest): Promise<RunView | undefined> {
    if (request.peer.session === undefined) return undefined;
    const run = await viewOf(this.runs, request.caller, this.runIdOf(request));
    if (!run) return undefined;
    if (callDataOf(run)?.digest === digestOf(request)) return run;
    throw new McpError('INVALID_REQUEST', 'The session has a request with this id already');
  }

  private async accept(request: RunRequest, principal: Principal): Promise<RunView> {
    try {
      return (await this.runs.accept(request)).run;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'SESSION_BUSY') throw error;
      const states = ['queued', 'running'] as const;
      const [busy] = await this.runs.list(principal, request.sessionId, { limit: 1, states });
      const which = busy ? ` (run_id "${callDataOf(busy)?.call ?? busy.runId}"): wait for it with get_answer` : '';
      throw new Refused(`The session is busy with another call${which}.`);
    }
  }

  private async place(
    sessionId: string | undefined,
    { caller }: ToolCallRequest,
  ): Promise<{ readonly principal: Principal; readonly sessionId: string }> {
    const id = sessionId ?? this.ids.uuid();
    const names = { named: caller.headerUser(), unnamed: id };
    const principal = await sessionOwner(this.sessions, caller, id, names);
    if (sessionId === undefined) return { principal, sessionId: id };
    const owner = (await this.sessions.view(principal, id)) ? principal : await this.ownerOf(caller, id);
    if (!owner)
      throw new Refused(`There is no such session: "${id.slice(0, 100)}". Leave session_id out to begin one.`);
    return { principal: owner, sessionId: id };
  }

  /** Without authentication a session that was begun without a user is found by whoever has its id. */
  private async ownerOf(caller: Caller, sessionId: string): Promise<Principal | undefined> {
    return caller.identity === undefined ? this.sessions.ownerOf(caller.reach, sessionId) : undefined;
  }

  private common(request: ToolCallRequest, principal: Principal, runId: string) {
    const { caller, peer } = request;
    return {
      wire: WIRE,
      principal,
      reach: userReach(principal),
      requester: caller.requesterFor(caller.headerUser()),
      ...(peer.session === undefined ? { newRunId: runId } : { runId }),
      clientTools: [],
      modelOptions: {},
      onBusy: 'reject' as const,
      wireData: toWireData(this.dataOf(request, runId)),
      ...traceOf(caller),
      ...sentWith(caller),
    };
  }

  private dataOf(request: ToolCallRequest, call: string): CallData {
    const { id, tool, token, peer, caller } = request;
    const { era, version, session, hasForms, callerKey } = peer;
    return {
      call,
      era,
      version,
      id,
      ...(token !== undefined && { token }),
      asks: hasForms && caller.scopes.has('approvals:decide'),
      tool,
      digest: digestOf(request),
      caller: callerKey,
      ...(session !== undefined && { session }),
    };
  }

  /** In a session the id of the run follows from that of the request: every instance finds it. */
  private runIdOf({ peer, id }: ToolCallRequest): string {
    return peer.session === undefined ? this.ids.uuid() : sessionRunId(peer.session, id);
  }

  private async refusing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const isForModels = error instanceof AppError && !(error instanceof McpError) && FOR_MODELS.has(error.status);
      throw isForModels ? new Refused(error.message) : error;
    }
  }
}

/** The id of the run of a request of a session. */
export function sessionRunId(session: string, id: RpcId): string {
  return `mcp_${fingerprint(['mcp-run', session, id]).slice(0, 32)}`;
}

/** What makes two calls the same one. */
export function digestOf({ tool, args }: Pick<ToolCallRequest, 'tool' | 'args'>): string {
  return fingerprint([tool, args ?? null]).slice(0, 32);
}

/** A run of the caller; undefined if there is none. */
export async function viewOf(
  runs: Pick<Runs, 'view'>,
  { reach }: Pick<Caller, 'reach'>,
  runId: string,
): Promise<RunView | undefined> {
  try {
    return await runs.view(reach, runId);
  } catch (error) {
    if (error instanceof AppError && error.code === 'RUN_NOT_FOUND') return undefined;
    throw error;
  }
}
