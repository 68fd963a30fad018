import { Injectable } from '@nestjs/common';
import { UsedTickets } from '../../access/index.js';
import { Clock, fingerprint, IdFactory, type JsonObject } from '../../common/index.js';
import { McpError } from './mcp.errors.js';
import { McpServerSettings } from './mcp-server.settings.js';
import { LEGACY_VERSIONS, type LegacyVersion } from './mcp.types.js';
import { Seals } from './seals.js';

/** A session of a client of the revisions with sessions. Nothing of it is kept but that it was ended. */
export interface McpSession {
  readonly id: string;
  readonly version: LegacyVersion;
  readonly hasForms: boolean;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Sessions as their ids: sealed, so that every instance knows them (contract mcp-server, section 3). */
@Injectable()
export class McpSessions {
  constructor(
    private readonly seals: Seals,
    private readonly ended: UsedTickets,
    private readonly settings: McpServerSettings,
    private readonly clock: Clock,
    private readonly ids: IdFactory,
  ) {}

  /** The id of a new session. */
  begin(session: Pick<McpSession, 'version' | 'hasForms'> & { readonly name: string }, callerKey: string): string {
    const { version, hasForms, name } = session;
    const body: JsonObject = { i: this.ids.uuid(), v: version, c: callerKey, t: this.clock.now(), n: name };
    if (hasForms) body['f'] = 1;
    return this.seals.seal('session', body);
  }

  /**
   * The session that a client names.
   *
   * @throws McpError INVALID_REQUEST: 400 without an id; 404, on which clients begin anew, for one that is not this
   *   caller's, has ended or has expired
   */
  async find(sealed: string | undefined, callerKey: string): Promise<McpSession> {
    if (sealed === undefined) throw new McpError('INVALID_REQUEST', 'Mcp-Session-Id is required', { status: 400 });
    const session = this.opened(sealed, callerKey);
    if (!session || session.expiresAt <= this.clock.now() || (await this.ended.isUsed(session.id))) {
      throw new McpError('INVALID_REQUEST', 'There is no such session: begin a new one', { status: 404 });
    }
    return session;
  }

  /** Ends a session: it is remembered until it would have expired. */
  async end({ id, expiresAt }: McpSession, tenantId: string): Promise<void> {
    await this.ended.use({ id, tenantId, expiresAt });
  }

  /** Remembers that a client has closed a form without a decision. */
  async dismiss(interruptId: string, tenantId: string): Promise<void> {
    await this.ended.use({
      id: dismissed(interruptId),
      tenantId,
      expiresAt: this.clock.now() + this.settings.sessionTtlMs,
    });
  }

  /** Whether a client has closed the form of a question. */
  isDismissed(interruptId: string): Promise<boolean> {
    return this.ended.isUsed(dismissed(interruptId));
  }

  private opened(sealed: string, callerKey: string): McpSession | undefined {
    const body = sealed.length > 1024 ? undefined : this.seals.open('session', sealed);
    const version = LEGACY_VERSIONS.find((one) => one === body?.['v']);
    const [id, issued] = [body?.['i'], body?.['t']];
    if (!version || typeof id !== 'string' || typeof issued !== 'number' || body?.['c'] !== callerKey) return undefined;
    return { id, version, hasForms: body['f'] === 1, expiresAt: issued + this.settings.sessionTtlMs };
  }
}

/** As long as the ids of tickets. */
function dismissed(interruptId: string): string {
  return `form${fingerprint(['mcp-form', interruptId]).slice(0, 32)}`;
}
