import type { Json, JsonObject } from '../../../../common/index.js';
import type { RemoteAgentConfig } from '../../../remote/remote-config.js';
import type { RemoteRequest } from '../remote-http.js';
import type { Opened, RemoteProtocol, RemoteReader, Turn } from '../remote-kind.js';
import { agUiMessages, agUiTools, contextEntries } from './ag-ui-input.js';
import { AgUiReader } from './ag-ui-reader.js';

/**
 * Remote agents that speak AG-UI (contract gateway, section C). The protocol has no re-attachment of its own: a server
 * may have a connect address, and another Parley replays its runs.
 */
export class AgUiProtocol implements RemoteProtocol {
  readonly keeps = true;
  readonly findsByOwnId = false;
  readonly isNamed = true;
  readonly canReattach: boolean;

  constructor(private readonly config: RemoteAgentConfig) {
    this.canReattach = config.reattach === 'parley' || config.reattach === 'connect';
  }

  open(turn: Turn): RemoteRequest {
    return this.post(this.config.url, { ...this.input(turn), ...resumeOf(turn) });
  }

  adapts(): boolean {
    return false;
  }

  reader({ id, named }: Turn): RemoteReader {
    return new AgUiReader(id, named, this.config);
  }

  follow({ handle }: Opened, position: Json, turn: Turn): RemoteRequest {
    const { eventsUrl, connectUrl, reattach } = this.config;
    if (reattach === 'connect' && connectUrl) return this.post(connectUrl, this.input(turn));
    const url = new URL(eventsUrl ?? this.config.url);
    url.pathname = `${url.pathname.replace(/\/+$/, '')}/${encodeURIComponent(handle)}/events`;
    url.searchParams.set('protocol', 'ag-ui');
    url.searchParams.set('after', typeof position === 'number' ? String(position) : '0');
    return { method: 'GET', url, headers: {} };
  }

  stop(_: Opened, { conversation, id }: Turn): RemoteRequest | undefined {
    const { stopUrl } = this.config;
    return stopUrl && this.post(stopUrl, { threadId: conversation, runId: id });
  }

  private input(turn: Turn): JsonObject {
    const { context, conversation, id, named, user } = turn;
    const { state, clientTools } = this.config;
    return {
      threadId: conversation,
      runId: id,
      state: state === 'share' ? context.state.get() : {},
      messages: agUiMessages(named, context.instructions),
      tools: clientTools === 'pass' ? agUiTools(context.clientTools) : [],
      context: contextEntries(context, user),
      forwardedProps: {},
    };
  }

  private post(url: URL, body: JsonObject): RemoteRequest {
    return { method: 'POST', url, headers: {}, body: JSON.stringify(body) };
  }
}

/** The answers to what the upstream has asked. */
function resumeOf({ decisions, inputs }: Turn): JsonObject {
  const resume = [
    ...decisions.map(({ requestId, approve, reason }): JsonObject => {
      const payload = { approved: approve, ...(reason !== undefined && { reason }) };
      return { interruptId: requestId, status: 'resolved', payload };
    }),
    ...inputs.map(({ key, value, isRefused }): JsonObject => {
      const interruptId = key.slice(key.indexOf('/') + 1);
      return isRefused ? { interruptId, status: 'cancelled' } : { interruptId, status: 'resolved', payload: value };
    }),
  ];
  return resume.length > 0 ? { resume } : {};
}
