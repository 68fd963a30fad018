import type { Json, JsonObject } from '../../../../common/index.js';
import { AppError, isPlainObject } from '../../../../common/index.js';
import type { RemoteAgentConfig } from '../../../remote/remote-config.js';
import { protocolFailure, type RemoteFailure } from '../remote-failure.js';
import type { RemoteRequest } from '../remote-http.js';
import type { Opened, RemoteProtocol, RemoteReader, Turn } from '../remote-kind.js';
import type { RemoteWriter } from '../remote-writer.js';
import { approvalItems, decidedItems, functionTools, inputItems, optionFields } from './responses-input.js';
import { ResponsesReader } from './responses-reader.js';

/** Statuses of a request that is not understood. */
const REFUSED: ReadonlySet<number | undefined> = new Set([400, 422]);

/**
 * Remote agents that speak OpenAI Responses (contract gateway, section B3). In the background their answers can be
 * continued on another connection.
 */
export class ResponsesProtocol implements RemoteProtocol {
  readonly findsByOwnId = false;
  readonly canBranch = true;
  readonly isNamed = false;
  /** Some servers answer with the response as it is in place of its events, above all to `GET`. */
  readonly takesJson = true;
  private isForeground: boolean;

  constructor(private readonly config: RemoteAgentConfig) {
    this.isForeground = config.background === false;
  }

  get canReattach(): boolean {
    return !this.isForeground && this.config.reattach !== 'none';
  }

  get keeps(): boolean {
    return !this.isForeground || this.config.history === 'remote';
  }

  open(turn: Turn): RemoteRequest {
    const { model, options, passOptions, clientTools } = this.config;
    const { context, user } = turn;
    const tools = clientTools === 'pass' ? functionTools(context.clientTools) : [];
    const body: JsonObject = {
      ...(passOptions && optionFields(context.modelOptions)),
      ...(model !== undefined && { model }),
      ...this.inputOf(turn),
      ...(context.instructions !== '' && { instructions: context.instructions }),
      ...(tools.length > 0 && { tools }),
      ...(user !== undefined && { user }),
      metadata: { parley_exchange: turn.id },
      ...options,
      stream: true,
      store: this.keeps,
      ...(!this.isForeground && { background: true }),
    };
    return {
      method: 'POST',
      url: this.address(''),
      headers: { 'idempotency-key': turn.id },
      body: JSON.stringify(body),
    };
  }

  /**
   * Servers that know no background answers refuse them with 400, or 422: then the answer is read in the foreground. A server
   * that no longer has the answer before gets the whole conversation.
   */
  async adapts({ answer }: RemoteFailure, turn: Turn): Promise<Turn | undefined> {
    const { status, body = '' } = answer ?? {};
    const isForgotten = status === 404 || (REFUSED.has(status) && /previous_response/i.test(body));
    if (isForgotten && turn.after?.isKept === true && turn.decisions.length === 0) {
      return { ...turn, messages: await turn.whole(), after: undefined };
    }
    if (this.isForeground || this.config.background !== 'auto' || !REFUSED.has(status)) return undefined;
    if (!/background|"?store"?/i.test(body)) return undefined;
    this.isForeground = true;
    return turn;
  }

  reader(): RemoteReader {
    return new ResponsesReader(this.config.secrets);
  }

  follow({ handle }: Opened, position: Json): RemoteRequest {
    const url = this.address(`/${encodeURIComponent(handle)}`);
    url.searchParams.set('stream', 'true');
    if (typeof position === 'number' && position >= 0) url.searchParams.set('starting_after', String(position));
    return { method: 'GET', url, headers: {} };
  }

  look({ handle }: Opened): ReturnType<NonNullable<RemoteProtocol['look']>> {
    const request: RemoteRequest = { method: 'GET', url: this.address(`/${encodeURIComponent(handle)}`), headers: {} };
    const read = (answer: unknown, reader: RemoteReader, writer: RemoteWriter): void => {
      if (!isPlainObject(answer) || !(reader instanceof ResponsesReader)) {
        throw protocolFailure('The remote agent answered with something that is no response');
      }
      reader.readWhole(answer, writer);
    };
    return { request, read };
  }

  stop({ handle, canReattach }: Opened): RemoteRequest | undefined {
    if (!canReattach || handle === '') return undefined;
    return { method: 'POST', url: this.address(`/${encodeURIComponent(handle)}/cancel`), headers: {} };
  }

  /** The conversation; after an exchange that the upstream keeps, what is new. */
  private inputOf({ messages, news, after, decisions }: Turn): JsonObject {
    const [asked] = decisions;
    if (asked) {
      if (decisions.some(({ handle }) => handle !== asked.handle)) {
        throw new AppError(
          'UPSTREAM_FAILED',
          'Approvals of several answers of the remote agent cannot be told together',
        );
      }
      if (!asked.isKept) return { input: decidedItems(messages, decisions) };
      return { previous_response_id: asked.handle, input: [...approvalItems(decisions), ...inputItems(news)] };
    }
    if (after?.isKept) return { previous_response_id: after.handle, input: inputItems(messages) };
    return { input: inputItems(messages) };
  }

  /** The base with or without `/responses`; a query is kept. */
  private address(path: string): URL {
    const url = new URL(this.config.url);
    const base = url.pathname.replace(/\/+$/, '');
    url.pathname = `${base.endsWith('/responses') ? base : `${base}/responses`}${path}`;
    return url;
  }
}
