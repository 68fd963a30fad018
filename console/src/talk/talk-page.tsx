import { type CSSProperties, type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { useLack } from '../access/rights.js';
import { sentence } from '../lib/format.js';
import { hrefOf, Link } from '../lib/router.js';
import { wireTitle } from '../lib/wires.js';
import { useTitle } from '../lib/use-title.js';
import { ErrorNotice } from '../ui/error-notice.js';
import { Splitter } from '../ui/splitter.js';
import { useAgents } from '../lib/use-agents.js';
import { PAGE_TOOLS, pageAnswer } from './client-tools.js';
import { Composer } from './composer.js';
import { EntryList } from './entry-list.js';
import { FramesPanel } from './frames-panel.js';
import { Interrupts } from './interrupts.js';
import { SendContext } from './send-context.js';
import { ToolResultForm } from './tool-result-form.js';
import { type Shown, useConversation } from './use-conversation.js';
import type { TalkState } from './turn.js';
import { TalkOptions } from './talk-options.js';
import { Welcome } from './welcome.js';
import type { ClientTool, Image } from './wire.js';

/** Where the browser keeps the width of the frames, in percent. */
const WIDTH = 'parley.frames';
const STATUS: Readonly<Record<string, string>> = {
  sending: 'Sending …',
  running: 'The agent is answering …',
  reconnecting: 'Reconnecting …',
  restoring: 'Reading the conversation …',
  idle: '',
};

/** A conversation over a wire of one's choice; next to it, the same run as other wires show it. */
export function TalkPage(): ReactNode {
  const shown = useConversation();
  const { conversation, state, entries, wire, agent, choose } = shown;
  const [tools, setTools] = useState<readonly ClientTool[]>(PAGE_TOOLS);
  const [error, setError] = useState<unknown>();
  const [hasFrames, showFrames] = useState(false);
  const [width, setWidth] = useState(() => Number(localStorage.getItem(WIDTH)) || 50);
  const agents = useAgents();
  const { lack, stopLack } = useLacks(state);
  const answering = wire.hasAgents && agent !== '' ? agents.named.find(({ name }) => name === agent) : agents.standard;
  const first = entries.find((entry) => entry.kind === 'user');
  useTitle(first?.text || undefined);
  const options = { wire, agent, tools, maySend: lack === undefined };
  const attempt = (work: Promise<void>): void => {
    setError(undefined);
    work.catch(setError);
  };
  const send = (text: string, images: readonly Image[]): void => {
    // Buttons of cards are there while the agent answers, too.
    if (state.status !== 'idle') return;
    choose({ session: state.session });
    attempt(conversation.say(text, images, options));
  };
  useAutomaticAnswers(shown, tools, lack === undefined ? attempt : undefined);

  return (
    <div
      className={hasFrames ? 'talk with-frames' : 'talk'}
      style={{ '--frames': `${width}fr`, '--conversation': `${100 - width}fr` } as CSSProperties}
    >
      <section className="conversation" aria-label="Conversation">
        <div className="talk-head">
          <h1 className="visually-hidden">Talk</h1>
          <TalkOptions shown={shown} agents={agents} onTools={setTools} />
          <Link to={hrefOf(['talk'], { wire: wire.name, agent })} className="button">
            New conversation
          </Link>
          <button
            type="button"
            aria-pressed={hasFrames}
            title="The same run as other wires show it"
            onClick={() => showFrames(!hasFrames)}
          >
            Frames
          </button>
        </div>
        <SendContext value={(text) => send(text, [])}>
          {entries.length === 0 && state.status === 'idle' ? (
            <Welcome agent={answering} onSay={lack === undefined ? (text) => send(text, []) : undefined} />
          ) : (
            <EntryList entries={entries} />
          )}
        </SendContext>
        {state.calls
          .filter(({ name }) => pageAnswer(name) === undefined)
          .map((call) => (
            <ToolResultForm
              key={call.callId}
              call={call}
              lack={lack}
              onResult={(output) =>
                attempt(conversation.give([{ callId: call.callId, name: call.name, output }], options))
              }
            />
          ))}
        {state.interrupts.length > 0 && (
          <Interrupts
            key={state.interrupts[0]?.id}
            interrupts={state.interrupts}
            isBusy={state.status !== 'idle'}
            onAnswers={(answers) => attempt(conversation.answer(answers, options))}
          />
        )}
        <ErrorNotice error={error} />
        <div className="talk-status">
          <p role="status">{STATUS[state.status]}</p>
          <p className="client">
            {answering && <Answering {...answering} />}
            {wireTitle(wire.name)} through {wire.client}
          </p>
        </div>
        <Composer
          user={conversation.user}
          hasImages={wire.hasImages}
          isBusy={state.status !== 'idle'}
          lack={lack}
          stopLack={stopLack}
          onSend={send}
          onStop={() => attempt(conversation.stop())}
        />
      </section>
      {hasFrames && (
        <>
          <Splitter
            label="Width of the frames"
            value={width}
            onChange={(next) => {
              localStorage.setItem(WIDTH, String(next));
              setWidth(next);
            }}
          />
          <FramesPanel runId={state.runId} />
        </>
      )}
    </div>
  );
}

/** Why the person may not send, and may not stop the run; undefined where they may. */
function useLacks({ refusals: { send, stop } }: TalkState): Record<'lack' | 'stopLack', string | undefined> {
  const scope = useLack('runs:write');
  return {
    lack: scope ?? (send === null ? undefined : `You cannot write here: ${sentence(send)}`),
    stopLack: scope ?? (stop === null ? undefined : `You cannot stop this run: ${sentence(stop)}`),
  };
}

/** Answers the calls that the page can answer without the person. @param attempt undefined: nothing may be sent */
function useAutomaticAnswers(
  { conversation, state, wire, agent }: Shown,
  tools: readonly ClientTool[],
  attempt: ((work: Promise<void>) => void) | undefined,
): void {
  const answer = useEffectEvent((calls: TalkState['calls']) => {
    const known = calls.flatMap(({ callId, name }) => {
      const output = pageAnswer(name);
      return output === undefined ? [] : [{ callId, name, output }];
    });
    if (known.length > 0) attempt?.(conversation.give(known, { wire, agent, tools }));
  });
  useEffect(() => answer(state.calls), [state.calls]);
}

/** Who answers, and with which model of this server. */
function Answering({ name, model }: { readonly name: string; readonly model: string | null }): ReactNode {
  const by = model === null ? null : <strong>{model}</strong>;
  return (
    <>
      <strong>{name}</strong>
      {by && ' with '}
      {by},{' '}
    </>
  );
}
