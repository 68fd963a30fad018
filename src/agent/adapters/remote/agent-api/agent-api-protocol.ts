import { AppError, type Json, type JsonObject } from '../../../../common/index.js';
import type { RemoteAgentConfig } from '../../../remote/remote-config.js';
import type { RemoteRequest } from '../remote-http.js';
import type { Opened, RemoteProtocol, RemoteReader, Turn } from '../remote-kind.js';
import { agentApiMessages, agentApiOptions, agentApiTools, decisionMessages, textMessage } from './agent-api-input.js';
import { AgentApiReader } from './agent-api-reader.js';

/**
 * Remote agents that speak the Agent API, such as those of AgentScope Runtime (contract gateway, section C). Its servers
 * replay nothing; another Parley does.
 */
export class AgentApiProtocol implements RemoteProtocol {
  readonly keeps = true;
  readonly isNamed = false;
  readonly canReattach: boolean;
  readonly findsByOwnId: boolean;

  constructor(private readonly config: RemoteAgentConfig) {
    this.canReattach = config.reattach === 'parley';
    this.findsByOwnId = this.canReattach;
  }

  open(turn: Turn): RemoteRequest {
    const { context, messages, news, decisions, user, id } = turn;
    const { model, options, passOptions, clientTools } = this.config;
    const tools = clientTools === 'pass' ? agentApiTools(context.clientTools) : [];
    const said =
      decisions.length > 0 ? [...decisionMessages(decisions), ...agentApiMessages(news)] : agentApiMessages(messages);
    const instructions = context.instructions === '' ? [] : [textMessage('system', context.instructions)];
    const body: JsonObject = {
      ...(passOptions && agentApiOptions(context.modelOptions)),
      ...(model !== undefined && { model }),
      ...(user !== undefined && { user_id: user }),
      ...(tools.length > 0 && { tools }),
      ...options,
      id,
      session_id: sessionOf(turn, this.config.history),
      input: [...instructions, ...said],
      stream: true,
    };
    return { method: 'POST', url: this.config.url, headers: {}, body: JSON.stringify(body) };
  }

  reader(turn: Turn): RemoteReader {
    const tools = turn.context.clientTools.map(({ name }) => name);
    return new AgentApiReader(sessionOf(turn, this.config.history), new Set(tools), this.config);
  }

  follow(_: Opened, position: Json, { id }: Turn): RemoteRequest {
    const url = new URL(this.config.eventsUrl ?? this.config.url);
    url.pathname = `${url.pathname.replace(/\/+$/, '')}/${encodeURIComponent(id)}/events`;
    url.searchParams.set('protocol', 'agent-api');
    url.searchParams.set('after', typeof position === 'number' ? String(position) : '0');
    return { method: 'GET', url, headers: {} };
  }

  stop(_: Opened, turn: Turn): RemoteRequest | undefined {
    const { stopUrl, history } = this.config;
    if (!stopUrl) return undefined;
    // A route of AgentScope Runtime that stops a run takes the body of a request, of which `input` is required.
    const body = {
      input: [],
      session_id: sessionOf(turn, history),
      ...(turn.user !== undefined && { user_id: turn.user }),
    };
    return { method: 'POST', url: stopUrl, headers: {}, body: JSON.stringify(body) };
  }
}

/** The session at the upstream: one of its own for each exchange that has the whole conversation. */
function sessionOf({ decisions, conversation, id }: Turn, history: RemoteAgentConfig['history']): string {
  const [asked] = decisions;
  if (asked && decisions.some(({ handle }) => handle !== asked.handle)) {
    throw new AppError('UPSTREAM_FAILED', 'Approvals of several answers of the remote agent cannot be told together');
  }
  return asked?.handle ?? (history === 'remote' ? conversation : id);
}
