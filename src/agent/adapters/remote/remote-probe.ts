import type { RemoteAgentConfig } from '../../remote/remote-config.js';
import type { RemoteBody, RemoteHttp } from './remote-http.js';
import type { RemoteUpstream } from './remote-upstream.js';

/** How often a required upstream is asked that answers, and one that does not, in milliseconds. */
const WHILE_UP_MS = 10_000;
const WHILE_DOWN_MS = 1000;
/** How long an answer may take, in milliseconds. */
const LONGEST_MS = 5000;
/** The reason of a request that was ended here. */
const OVER = new Error('The question whether the remote agent answers is over');

/**
 * Asks a required upstream again and again whether it answers: `HEAD` on its address, without credentials. Any status below
 * 500 is an answer, refusals too.
 */
export class RemoteProbe {
  private timer: NodeJS.Timeout | undefined;
  private body: RemoteBody | undefined;
  private isOver = false;

  constructor(
    private readonly config: Pick<RemoteAgentConfig, 'url'>,
    private readonly http: RemoteHttp,
    private readonly upstream: RemoteUpstream,
  ) {}

  /** Asks at once, and goes on until `stop`. */
  start(): void {
    // An address that a proxy of the environment cannot reach is not up.
    const asked = this.ask().catch(() => false);
    void asked.then((isUp) => {
      if (this.isOver) return;
      this.upstream.probed(isUp);
      this.timer = setTimeout(() => this.start(), isUp ? WHILE_UP_MS : WHILE_DOWN_MS).unref();
    });
  }

  /** Ends everything. */
  stop(): void {
    this.isOver = true;
    clearTimeout(this.timer);
    this.body?.abort(OVER);
  }

  private ask(): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.body?.abort(OVER), LONGEST_MS).unref();
      const onArrival = (): void => {
        const { status = 0, isEnded = true } = this.body ?? {};
        if (status === 0 && !isEnded) return;
        clearTimeout(timer);
        this.body?.abort(OVER);
        resolve(status > 0 && status < 500);
      };
      this.body = this.http.send({ url: this.config.url, method: 'HEAD', headers: {} }, onArrival);
    });
  }
}
