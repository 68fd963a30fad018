import { lookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { Dispatcher } from 'undici';
import type { JsonObject } from '../../../common/index.js';
import { isLinkLocal } from '../../remote/remote-address.js';
import { AnswerBody } from '../chat-completions/answer-body.js';
import { ProxiedAgent } from '../upstream/proxied-agent.js';

/** A request to a remote agent. */
export interface RemoteRequest {
  readonly url: URL;
  readonly method: 'GET' | 'HEAD' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** True for an address that anybody may read: it gets none of the configured headers, nor those about the run. */
  readonly isPublic?: true;
  /** Of the request that begins an exchange: where it goes, if that can change, for `Opened.place`. */
  readonly place?: JsonObject;
}

/** The answer to one request. A request that may have arrived is never sent again here. */
export class RemoteBody extends AnswerBody {
  /** True once the request was given to a connection: from then on the upstream may have begun. */
  wasSent = false;

  override onRequestStart(controller: Dispatcher.DispatchController): void {
    this.wasSent = true;
    super.onRequestStart(controller);
  }
}

/**
 * The connections to one remote agent: its name is resolved once for each connection, and what was checked is what is
 * connected to. Redirects are not followed, and answers are not decompressed.
 */
export class RemoteHttp {
  private readonly agent: ProxiedAgent;

  constructor({
    connectTimeoutMs,
    allowLinkLocal,
  }: {
    readonly connectTimeoutMs: number;
    readonly allowLinkLocal: boolean;
  }) {
    this.agent = new ProxiedAgent({
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: connectTimeoutMs, ...(!allowLinkLocal && { lookup: withoutLinkLocal }) },
    });
  }

  /** Sends a request. @param onArrival see `AnswerBody` @throws StartupError for a proxy that cannot be used */
  send({ url, method, headers, body }: RemoteRequest, onArrival: () => void): RemoteBody {
    const sent = {
      accept: 'text/event-stream, application/json',
      'accept-encoding': 'identity',
      'user-agent': 'parley',
    };
    const all = Object.assign({}, sent, headers, body !== undefined && { 'content-type': 'application/json' });
    const dispatch = (): void =>
      this.agent.send(url, { method, headers: all, ...(body !== undefined && { body }) }, answer);
    const answer = new RemoteBody(onArrival, dispatch);
    dispatch();
    return answer;
  }

  /** Ends all connections, and the requests on them. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }
}

/** False for an id that would leave its place in a path, even if it is escaped. */
export function isPathSegment(id: string): boolean {
  return id !== '' && id !== '.' && id !== '..';
}

/** Resolves a name, but to no link-local address: clouds serve their credentials there. */
const withoutLinkLocal: LookupFunction = (host, options, done) => {
  lookup(host, { all: true }, (error, addresses: readonly LookupAddress[] = []) => {
    const permitted = addresses.filter(({ address }) => isIP(address) > 0 && !isLinkLocal(address));
    const [first] = permitted;
    if (error || !first) {
      const refused = Object.assign(new Error(`${host} has link-local addresses only`), { code: 'ENOTFOUND' });
      done(error ?? refused, []);
    } else if (options.all === true) done(null, [...permitted]);
    else done(null, first.address, first.family);
  });
};
