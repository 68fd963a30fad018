import { useChat } from '@ai-sdk/react';
import {
  lastAssistantMessageIsCompleteWithApprovalResponses as isDecided,
  lastAssistantMessageIsCompleteWithToolCalls as isAnswered,
} from 'ai';
import { useEffect, useRef, useState } from 'react';
import { type ChatMessage, isOutage, loadChat, Refusal, stopRun, type StoredChat } from './api.js';
import { AgentTransport } from './transport.js';
import { usePageTools } from './use-page-tools.js';

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 10_000;

type Chat = ReturnType<typeof useChat<ChatMessage>>;

/** Why there is no answer, or not the whole of one. */
export type Trouble =
  /** The connection is lost. The answer goes on, and is fetched again by itself. */
  | { readonly kind: 'lost' }
  /** The server does not take the request, and has done nothing. */
  | { readonly kind: 'refused'; readonly message: string; readonly retryAfterSeconds: number | undefined }
  /** The agent began and failed. */
  | { readonly kind: 'failed'; readonly message: string };

/** A chat as the page shows it, and what people can do with it. */
export interface AgentChat {
  readonly messages: readonly ChatMessage[];
  readonly isBusy: boolean;
  readonly trouble: Trouble | undefined;
  readonly send: (text: string) => void;
  readonly decide: (approvalId: string, approved: boolean) => void;
  readonly stop: () => Promise<void>;
  readonly retry: () => Promise<void>;
}

/**
 * A durable chat: an answer in progress is resumed, lost connections are opened again, and the tools of the page are run.
 *
 * @param loaded what `loadChat` has found
 */
export function useAgentChat(id: string, loaded: ChatMessage[]): AgentChat {
  /** Whether a stop was not answered: then it is not known what runs. */
  const [isUnsure, setUnsure] = useState(false);
  const [attempt, setAttempt] = useState(0);
  const [transport] = useState(() => new AgentTransport());
  const isSettling = useRef(false);
  const chat = useChat<ChatMessage>({
    id,
    messages: loaded,
    resume: true,
    transport,
    sendAutomaticallyWhen: (shown) => isAnswered(shown) || isDecided(shown),
    onError: () => setAttempt((before) => before + 1),
    onFinish: ({ isError, finishReason }) => {
      if (!isError) setAttempt(0);
      const isOver = finishReason !== undefined && finishReason !== 'tool-calls';
      if (!transport.takeResumed() || !isOver || isSettling.current) return;
      isSettling.current = true;
      // Without it the next load shows the same.
      const settled = settle(id, () => now.current).catch(() => undefined);
      void settled.finally(() => (isSettling.current = false));
    },
  });
  const isBusy = chat.status === 'submitted' || chat.status === 'streaming';
  const trouble = isBusy ? undefined : troubleOf(chat.error, isUnsure);
  usePageTools(chat);

  async function recover(): Promise<void> {
    try {
      const stored = await loadChat(id);
      setUnsure(false);
      await goOn(chat, stored);
    } catch {
      setAttempt((before) => before + 1);
    }
  }

  const now = useRef({ chat, isBusy });
  useEffect(() => {
    now.current = { chat, isBusy };
  });
  useReconnection(trouble?.kind === 'lost', attempt, recover);

  return {
    messages: chat.messages,
    isBusy,
    trouble,
    send: (text) => {
      setUnsure(false);
      void chat.sendMessage({ text });
    },
    decide: (approvalId, approved) => void chat.addToolApprovalResponse({ id: approvalId, approved }),
    stop: async () => {
      const runId = chat.messages.at(-1)?.metadata?.parley?.runId;
      await chat.stop();
      await stopRun(id, runId).catch(() => setUnsure(true));
    },
    retry: () => (trouble?.kind === 'failed' ? chat.regenerate() : recover()),
  };
}

/** The server's history is the truth: what it has is shown, and what it has not is sent again. */
async function goOn(chat: Chat, { messages, activeRunId }: StoredChat): Promise<void> {
  const asked = chat.messages.findLast(({ role }) => role === 'user');
  const isUnknown = asked !== undefined && messages.every(({ id }) => id !== asked.id);
  chat.clearError();
  chat.setMessages(isUnknown ? [...messages, asked] : messages);
  if (isUnknown) await chat.sendMessage();
  else if (activeRunId !== null) await chat.resumeStream();
}

/**
 * Shows a finished answer once more, as it is stored: who reads while the answer of a lost server is taken over keeps the
 * piece that had been begun, and gets it anew.
 */
async function settle(id: string, now: () => { readonly chat: Chat; readonly isBusy: boolean }): Promise<void> {
  const { messages, activeRunId } = await loadChat(id);
  const { chat, isBusy } = now();
  if (isBusy) return;
  if (activeRunId === null) chat.setMessages(messages);
  else await chat.resumeStream();
}

/** Tries to recover as long as the connection is lost. @param attempt how often it was tried: the wait gets longer */
function useReconnection(isLost: boolean, attempt: number, recover: () => Promise<void>): void {
  const latest = useRef(recover);
  useEffect(() => {
    latest.current = recover;
  });
  useEffect(() => {
    if (!isLost) return undefined;
    const timer = setTimeout(() => void latest.current(), Math.min(FIRST_WAIT_MS * 2 ** attempt, LONGEST_WAIT_MS));
    return () => clearTimeout(timer);
  }, [isLost, attempt]);
}

function troubleOf(error: Error | undefined, isUnsure: boolean): Trouble | undefined {
  if (error === undefined) return isUnsure ? { kind: 'lost' } : undefined;
  // What `fetch` throws when there is no connection, before an answer or in the midst of it.
  if (isOutage(error)) return { kind: 'lost' };
  if (error instanceof Refusal) {
    return { kind: 'refused', message: error.message, retryAfterSeconds: error.retryAfterSeconds };
  }
  return { kind: 'failed', message: error.message };
}
