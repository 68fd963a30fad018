import { AppError } from '../../../common/index.js';
import { RemoteFailure } from './remote-failure.js';
import type { Ask, Opened, RemoteReader } from './remote-kind.js';
import type { LinkParts } from './remote-link.js';
import { RemotePace } from './remote-pace.js';

/** The first wait before an exchange is looked at again, in milliseconds. */
const FIRST_LOOK_MS = 100;

/** What looks are made with. */
export interface LookSetting {
  readonly ask: Ask;
  /** Counts bytes of the answer. @throws RemoteFailure for too many */
  readonly count: (bytes: number) => void;
  /** Ends everything. */
  readonly signal: AbortSignal;
}

/** The looks at one exchange whose stream cannot be continued, or is quiet: its state is asked for (contract gateway, section B2). */
export class RemoteLooks {
  /** True once the exchange is looked at again and again. */
  isOn = false;
  private readonly pace: RemotePace;
  /** When a look was last answered, by `performance.now()`, and how long the upstream asked to wait since, in milliseconds. */
  private lookedAt = 0;
  private askedMs = 0;

  constructor(
    private readonly parts: Pick<LinkParts, 'protocol' | 'writer' | 'turn' | 'config'>,
    private readonly reader: RemoteReader,
    private readonly setting: LookSetting,
  ) {
    this.pace = new RemotePace(FIRST_LOOK_MS, setting.signal);
  }

  /** Looks again, after a while. @returns no events @throws AppError UPSTREAM_LOST; RemoteFailure; the signal's reason */
  async next(opened: Opened): Promise<readonly []> {
    await this.pace.wait(this.askedMs);
    if (!(await this.look(opened))) throw noLonger();
    return [];
  }

  /**
   * Looks at an exchange whose stream cannot be continued: from then on `next` does. What cannot be looked at for the moment
   * is looked at later, for `reattachForMs`.
   *
   * @returns false if there is no way to, or nothing to look at
   * @throws AppError UPSTREAM_LOST; RemoteFailure; the signal's reason
   */
  async look(opened: Opened): Promise<boolean> {
    if (!this.isOn) this.lookedAt = performance.now();
    this.askedMs = 0;
    try {
      this.isOn = await this.lookOnce(opened);
      this.lookedAt = performance.now();
    } catch (error) {
      this.setting.signal.throwIfAborted();
      if (!(error instanceof RemoteFailure) || !error.isPassing) throw error;
      if (performance.now() - this.lookedAt >= this.parts.config.reattachForMs) throw notAgain(error);
      this.isOn = true;
      this.askedMs = error.retryAfterMs ?? 0;
    }
    return this.isOn;
  }

  /** False if there is no way to, or nothing to look at. */
  private async lookOnce(opened: Opened): Promise<boolean> {
    const { protocol, writer, turn } = this.parts;
    const { ask, count } = this.setting;
    const look = protocol.look?.(opened, turn);
    if (!look) return false;
    // The same comes again with each look: what is written counts, not what is read.
    const { written } = writer;
    try {
      look.read(await ask(look.request), this.reader, writer);
      count(writer.written - written);
      return true;
    } catch (error) {
      if (error instanceof RemoteFailure && error.answer?.status === 404) return false;
      throw error;
    }
  }

  /** Whether an exchange is over. What cannot be looked at for the moment is not. */
  async isEnded(opened: Opened): Promise<boolean> {
    try {
      await this.lookOnce(opened);
    } catch (error) {
      this.setting.signal.throwIfAborted();
      if (!(error instanceof RemoteFailure) || error.kind === 'protocol') throw error;
    }
    return this.reader.end !== undefined;
  }
}

/** The upstream does not have the exchange any more. */
export function noLonger(cause?: unknown): AppError {
  return new AppError('UPSTREAM_LOST', 'The remote agent no longer has the answer', { cause });
}

/** The upstream could not be reached again in time. @param cause why not */
export function notAgain(cause: unknown): AppError {
  return new AppError('UPSTREAM_LOST', 'The connection to the remote agent was lost and could not be made again', {
    cause,
  });
}
