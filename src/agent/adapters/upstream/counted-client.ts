import { Client, type Dispatcher, Pool } from 'undici';

/** A connection, as a request that it carries sees it. */
export interface Carrier {
  /** Called when a request is written to the connection. @returns true if the connection has carried one before */
  begin(): boolean;
}

/** A request that learns its connection before it is written. */
export interface CarriedRequest extends Dispatcher.DispatchOptions {
  readonly onCarrier?: (carrier: Carrier) => void;
}

/** A client of undici, which has one connection at a time, that counts the requests on its connection. */
class CountedClient extends Client implements Carrier {
  private requests = 0;

  constructor(origin: string | URL, options: Client.Options) {
    super(origin, options);
    this.on('connect', () => (this.requests = 0));
  }

  begin(): boolean {
    this.requests += 1;
    return this.requests > 1;
  }

  override dispatch(request: CarriedRequest, handler: Dispatcher.DispatchHandler): boolean {
    request.onCarrier?.(this);
    return super.dispatch(request, handler);
  }
}

/** The pool of a host for undici's `Agent`: its requests learn their connections. */
export function countedPool(origin: string | URL, options: Pool.Options): Pool {
  return new Pool(origin, { ...options, factory: (host, own) => new CountedClient(host, own) });
}
