import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/index.js';
import { MessageAttachments } from '../../agent/attachment/index.js';
import { AppError, type JsonObject, type Principal } from '../../common/index.js';
import { type Message, textOf } from '../../events/index.js';
import { Runs } from '../../run/index.js';
import { Sessions } from '../../agent/session/index.js';
import { fieldReaderAt } from '../http/index.js';
import { McpError } from './mcp.errors.js';
import { McpServerSettings } from './mcp-server.settings.js';

/** Sessions of the list. */
const LISTED = 50;
/** Messages of a transcript: the newest. */
const MESSAGES = 1000;
const URI = /^parley:\/\/(sessions|runs)\/([^/?#]{1,768})$/;

const TEMPLATES: readonly JsonObject[] = [
  {
    uriTemplate: 'parley://sessions/{session_id}',
    name: 'session',
    title: 'Transcript of a session',
    mimeType: 'text/markdown',
  },
  { uriTemplate: 'parley://runs/{run_id}', name: 'run', title: 'Response of a run', mimeType: 'application/json' },
];

/** Sessions and runs as resources (contract mcp-server, section 7.3). */
@Injectable()
export class ResourcesService {
  constructor(
    private readonly sessions: Sessions,
    private readonly runs: Runs,
    private readonly attachments: MessageAttachments,
    private readonly settings: McpServerSettings,
  ) {}

  /** Whether there are any. */
  get isOn(): boolean {
    return this.settings.resources;
  }

  /** The caller's newest sessions; none if no user is named, because they would be everybody's. */
  async list(caller: Caller): Promise<JsonObject> {
    const isNamed = caller.identity !== undefined || caller.headerUser() !== undefined;
    const { items } = isNamed ? await this.sessions.list(caller.principal, { limit: LISTED }) : { items: [] };
    const resources = items.map(({ sessionId, updatedAt }) => ({
      uri: `parley://sessions/${encodeURIComponent(sessionId)}`,
      name: sessionId,
      title: `Session of ${new Date(updatedAt).toISOString()}`,
      mimeType: 'text/markdown',
    }));
    return { resources };
  }

  /** What can be read. */
  templates(): JsonObject {
    return { resourceTemplates: [...TEMPLATES] };
  }

  /** @throws McpError INVALID_PARAMS for an unknown one, or somebody else's */
  async read(params: unknown, caller: Caller): Promise<JsonObject> {
    const uri = fieldReaderAt(params, 'params').string('uri', { min: 1, max: 1024 }) ?? '';
    const [, kind, encoded = ''] = URI.exec(uri) ?? [];
    const id = decoded(encoded);
    const found =
      id === undefined
        ? undefined
        : kind === 'sessions'
          ? await this.transcript(id, caller)
          : await this.run(id, caller);
    if (!found) throw new McpError('INVALID_PARAMS', 'Unknown resource', { data: { uri: uri.slice(0, 256) } });
    return { contents: [{ uri, ...found }] };
  }

  private async transcript(sessionId: string, caller: Caller): Promise<JsonObject | undefined> {
    const owner = await this.ownerOf(sessionId, caller);
    if (!owner || !(await this.sessions.view(owner, sessionId))) return undefined;
    const found = await this.sessions.messages(owner, sessionId, { limit: MESSAGES, order: 'desc' });
    const messages = this.attachments.shown(found.map(({ message }) => message).reverse(), owner);
    return { mimeType: 'text/markdown', text: messages.flatMap(paragraph).join('\n\n') };
  }

  private async ownerOf(sessionId: string, caller: Caller): Promise<Principal | undefined> {
    return this.sessions.ownerOf(caller.reach, sessionId);
  }

  private async run(runId: string, { reach }: Caller): Promise<JsonObject | undefined> {
    try {
      const response = await this.runs.response(reach, runId);
      return { mimeType: 'application/json', text: JSON.stringify(response) };
    } catch (error) {
      if (error instanceof AppError && error.code === 'RUN_NOT_FOUND') return undefined;
      throw error;
    }
  }
}

function paragraph(message: Message): readonly string[] {
  if (message.type !== 'message') return [];
  const text = textOf(message);
  return text === '' ? [] : [`**${message.role ?? 'assistant'}**\n\n${text}`];
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
