import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/index.js';
import { isPlainObject } from '../../common/index.js';
import { Runs } from '../../run/index.js';
import type { HeaderReader, StreamClient } from '../http/index.js';
import { AnswerStreams } from './answer-streams.js';
import { type Frames } from './call-streams.js';
import { callerKeyOf } from './caller-key.js';
import { sessionRunId, viewOf } from './call-submission.js';
import { FormAnswers } from './form-answers.js';
import { McpError } from './mcp.errors.js';
import { type McpSession, McpSessions } from './mcp-sessions.js';
import { LEGACY_VERSIONS } from './mcp.types.js';
import { isRpcId, type RpcMessage } from './rpc/rpc-message.js';
import { SessionCalls } from './session-calls.js';

/** What clients of the era with sessions do besides calling tools (contract mcp-server, section 3). */
@Injectable()
export class LegacySessions {
  constructor(
    private readonly sessions: McpSessions,
    private readonly runs: Runs,
    private readonly forms: FormAnswers,
    private readonly calls: SessionCalls,
    private readonly answers: AnswerStreams,
  ) {}

  /** The id of a new session. */
  begin(session: Parameters<McpSessions['begin']>[0], caller: Caller): string {
    return this.sessions.begin(session, callerKeyOf(caller));
  }

  /** The session of a request. @throws McpError as `McpSessions.find`; 400 for a revision that is not one of these */
  async find(header: HeaderReader, caller: Caller): Promise<McpSession> {
    const version = header('mcp-protocol-version')?.trim();
    if (version !== undefined && !(LEGACY_VERSIONS as readonly string[]).includes(version)) {
      const message = `MCP-Protocol-Version must be one of ${LEGACY_VERSIONS.join(', ')} in a session`;
      throw new McpError('INVALID_REQUEST', message, { status: 400 });
    }
    return this.sessions.find(header('mcp-session-id'), callerKeyOf(caller));
  }

  /** Ends a session. */
  async end(header: HeaderReader, caller: Caller): Promise<void> {
    await this.sessions.end(await this.find(header, caller), caller.tenantId);
  }

  /** The answer to a form. @throws as `FormAnswers.respond` */
  async respond(
    { id, result }: Extract<RpcMessage, { kind: 'response' }>,
    session: McpSession,
    caller: Caller,
  ): Promise<void> {
    await this.forms.respond(id, result, session, caller);
  }

  /** Cancels the call of a request. What is not there is ignored. */
  async cancel(params: unknown, session: McpSession, caller: Caller): Promise<void> {
    const requestId = isPlainObject(params) ? params['requestId'] : undefined;
    const run = isRpcId(requestId) ? await viewOf(this.runs, caller, sessionRunId(session.id, requestId)) : undefined;
    if (run) await this.calls.cancel(run);
  }

  /**
   * The rest of a stream; undefined if the client has all of it.
   *
   * @throws McpError INVALID_PARAMS with the status 400 for the id of another stream
   */
  async resume(header: HeaderReader, caller: Caller, client: StreamClient): Promise<Frames | undefined> {
    const session = await this.find(header, caller);
    const eventId = header('last-event-id') ?? '';
    if (this.answers.isOne(eventId)) return this.answers.rest(eventId, session.version, caller, client);
    const [, runId = '', number = ''] = /^(.{1,256})\.(\d{1,9})$/.exec(eventId) ?? [];
    const run = runId === '' ? undefined : await viewOf(this.runs, caller, runId);
    const call = run && (await this.calls.of(run));
    if (!run || call?.data?.session !== session.id) {
      throw new McpError('INVALID_PARAMS', 'Last-Event-ID is of no stream of this session', { status: 400 });
    }
    return this.calls.rest(run, call, Number(number), client);
  }
}
