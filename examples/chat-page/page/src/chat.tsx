import { type FormEvent, type JSX, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { ChatMessage } from './api.js';
import { Message } from './message.js';
import { type AgentChat, type Trouble, useAgentChat } from './use-agent-chat.js';

const SUGGESTIONS = ['Where is my order A-1001?', 'Refund 80 euros for order A-1001', 'Set the theme to dark'];

/** A conversation with its composer. */
export function Chat({ id, loaded }: { readonly id: string; readonly loaded: ChatMessage[] }): JSX.Element {
  const chat = useAgentChat(id, loaded);
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    end.current?.scrollIntoView({ block: 'end' });
  }, [chat.messages, chat.trouble]);
  return (
    <>
      <div role="log" aria-label="Messages" aria-busy={chat.isBusy}>
        {chat.messages.map((message) => (
          <Message key={message.id} message={message} decide={chat.isBusy ? undefined : chat.decide} />
        ))}
        {chat.isBusy && <p className="working">Working …</p>}
        <div ref={end} />
      </div>
      {chat.messages.length === 0 && <Suggestions send={chat.send} />}
      {chat.trouble && <Notice trouble={chat.trouble} retry={chat.retry} />}
      <Composer chat={chat} />
    </>
  );
}

function Suggestions({ send }: Pick<AgentChat, 'send'>): JSX.Element {
  return (
    <ul className="suggestions" aria-label="Suggestions">
      {SUGGESTIONS.map((text) => (
        <li key={text}>
          <button type="button" onClick={() => send(text)}>
            {text}
          </button>
        </li>
      ))}
    </ul>
  );
}

function Notice({ trouble, retry }: { readonly trouble: Trouble; readonly retry: AgentChat['retry'] }): JSX.Element {
  return (
    <div role="alert" className="notice">
      <p>{sentence(trouble)}</p>
      <button type="button" onClick={() => void retry()}>
        Try again
      </button>
    </div>
  );
}

function sentence(trouble: Trouble): string {
  if (trouble.kind === 'lost') return 'The connection was lost. The answer goes on; trying to reach the server …';
  if (trouble.kind === 'failed') return `The agent has failed: ${trouble.message}`;
  const { message, retryAfterSeconds: seconds } = trouble;
  return seconds === undefined ? message : `${message} Try again in ${seconds} s.`;
}

function Composer({ chat }: { readonly chat: AgentChat }): JSX.Element {
  const [text, setText] = useState('');
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (text.trim() === '' || chat.isBusy) return;
    chat.send(text);
    setText('');
  }
  function sendWithEnter(event: KeyboardEvent<HTMLTextAreaElement>): void {
    // While Enter chooses a word of an input method, it does not send.
    if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) submit(event);
  }
  return (
    <form onSubmit={submit}>
      <textarea
        aria-label="Message"
        placeholder="Write a message"
        rows={2}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={sendWithEnter}
      />
      {chat.isBusy ? (
        <button type="button" onClick={() => void chat.stop()}>
          Stop
        </button>
      ) : (
        <button type="submit">Send</button>
      )}
    </form>
  );
}
