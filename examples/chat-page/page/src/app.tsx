import { type JSX, useEffect, useState } from 'react';
import { type ChatMessage, loadChat } from './api.js';
import { Chat } from './chat.js';

/** The chat is in the address, so that a reload and a bookmark show it again. */
function chatInAddress(): string {
  const address = new URL(location.href);
  const id = address.searchParams.get('chat') ?? crypto.randomUUID();
  address.searchParams.set('chat', id);
  history.replaceState(null, '', address);
  return id;
}

/** The page: a chat, and a button for another one. */
export function App(): JSX.Element {
  const [id] = useState(chatInAddress);
  return (
    <>
      <header>
        <h1>Shop assistant</h1>
        <a href="./">New chat</a>
      </header>
      <main>
        <LoadedChat id={id} />
      </main>
    </>
  );
}

function LoadedChat({ id }: { readonly id: string }): JSX.Element {
  const [messages, setMessages] = useState<ChatMessage[]>();
  const [error, setError] = useState<Error>();
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    loadChat(id).then(
      (chat) => isCurrent && setMessages(chat.messages),
      (reason: unknown) => isCurrent && setError(reason instanceof Error ? reason : new Error(String(reason))),
    );
    return () => void (isCurrent = false);
  }, [id, attempt]);
  if (messages) return <Chat id={id} loaded={messages} />;
  if (!error) return <p role="status">Loading …</p>;
  return (
    <div role="alert" className="notice">
      <p>The conversation could not be loaded: {error.message}</p>
      <button
        type="button"
        onClick={() => {
          setError(undefined);
          setAttempt(attempt + 1);
        }}
      >
        Try again
      </button>
    </div>
  );
}
