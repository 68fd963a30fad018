import type { UIMessage } from 'ai';

/** Where the server speaks the protocol of the AI SDK. */
export const API = '/ai-sdk';
/** How often a chat is asked for while the server is away, and the pause between. */
const LOAD_ATTEMPTS = 10;
const LOAD_PAUSE_MS = 1000;

/** A message, with what the server says about its answers: the run that is or was answering. */
export type ChatMessage = UIMessage<{ readonly parley?: { readonly runId?: string } }>;

/** What the server has of a chat. An answer in progress is not among the messages: its stream brings it whole. */
export interface StoredChat {
  readonly messages: ChatMessage[];
  readonly activeRunId: string | null;
}

/** An answer other than success. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly status: number,
    /** The server's name for the reason; undefined if something in between has answered, such as a proxy. */
    readonly code: string | undefined,
    /** How long to wait before another attempt; undefined if the server does not say. */
    readonly retryAfterSeconds: number | undefined,
  ) {
    super(message);
  }

  /** Whether the server could not be reached, or is about to stop: it will be back. */
  get isOutage(): boolean {
    return this.status === 503 || (this.status >= 500 && this.code === undefined);
  }
}

/** `fetch`, with errors that can be shown. @throws Refusal */
export const request: typeof fetch = async (url, init) => {
  const response = await fetch(url, init);
  if (response.ok) return response;
  const said = (await response.json().catch(() => ({}))) as { readonly code?: string; readonly message?: string };
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  throw new Refusal(
    said.message ?? `The server has answered with status ${response.status}.`,
    response.status,
    said.code,
    Number.isFinite(seconds) ? seconds : undefined,
  );
};

/** Whether the server could not be reached: it will be back. */
export function isOutage(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof Refusal && error.isOutage);
}

/** What the server has of a chat; nothing if it has never heard of it. A server that starts again is given ten seconds. */
export async function loadChat(id: string): Promise<StoredChat> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const response = await request(`${API}/${encodeURIComponent(id)}/messages`);
      return (await response.json()) as StoredChat;
    } catch (error) {
      if (!isOutage(error) || attempt === LOAD_ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, LOAD_PAUSE_MS));
    }
  }
}

/** Ends a run; without its id whatever runs in the chat. To close the connection does not: others may be reading. */
export async function stopRun(chatId: string, runId: string | undefined): Promise<void> {
  await request(`${API}/${encodeURIComponent(chatId)}/stop`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ runId }),
  });
}
