import type { Json, JsonObject } from '../../../../common/index.js';
import type { RemoteAgentConfig } from '../../../remote/remote-config.js';
import type { RemoteRequest } from '../remote-http.js';
import type { Opened, RemoteProtocol, RemoteReader, Turn } from '../remote-kind.js';
import { type Answers, answersOf } from './ag-ui-answers.js';
import { agUiMessages, agUiTools, contextEntries } from './ag-ui-input.js';
import { AgUiReader } from './ag-ui-reader.js';

/**
 * Remote agents that speak AG-UI (contract gateway, section C). The protocol has no re-attachment of its own: a server
 * may have a connect address, and another Parley replays its runs.
 */
export class AgUiProtocol implements RemoteProtocol {
  readonly keeps = true;
  /** Another Parley finds a run by the id that its client gave it. */
  readonly findsByOwnId: boolean;
  readonly isNamed = true;
  readonly canReattach: boolean;

  constructor(private readonly config: RemoteAgentConfig) {
    this.findsByOwnId = config.reattach === 'parley';
    this.canReattach = this.findsByOwnId || config.reattach === 'connect';
  }

  open(turn: Turn): RemoteRequest {
    return this.post(this.config.url, this.input(turn, answersOf(turn)));
  }

  reader({ id, known }: Turn): RemoteReader {
    return new AgUiReader(id, known, this.config);
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

  private input(turn: Turn, { resume, command }: Answers = {}): JsonObject {
    const { context, conversation, id, named, user } = turn;
    const { state, clientTools } = this.config;
    return {
      threadId: conversation,
      runId: id,
      state: state === 'share' ? context.state.get() : {},
      messages: agUiMessages(named, context.instructions),
      tools: clientTools === 'pass' ? agUiTools(context.clientTools) : [],
      context: contextEntries(context, user),
      forwardedProps: command ? { command } : {},
      ...(resume && { resume: [...resume] }),
    };
  }

  private post(url: URL, body: JsonObject): RemoteRequest {
    return { method: 'POST', url, headers: {}, body: JSON.stringify(body) };
  }
}
