import { useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react';
import { go, hrefOf, usePlace } from '../lib/router.js';
import { uuid } from '../lib/random.js';
import { Conversation } from './conversation.js';
import type { TalkState } from './turn.js';
import type { Entry } from './transcript.js';
import type { WireChoice } from './wire.js';
import { wireChoice } from './wires/choices.js';

const LAST_PLACE = 'parley.talk';

/** A conversation that is shown, and where it is in the address of the page. */
export interface Shown {
  readonly conversation: Conversation;
  readonly state: TalkState;
  readonly entries: readonly Entry[];
  readonly wire: WireChoice;
  readonly agent: string;
  /** Keeps a choice in the address, so that a reload finds it. */
  readonly choose: (change: { readonly wire?: string; readonly agent?: string; readonly session?: string }) => void;
}

/** The place of the last conversation of this tab. */
export function lastTalk(): string {
  return sessionStorage.getItem(LAST_PLACE) ?? hrefOf(['talk']);
}

/** The next person in this tab begins a conversation of their own. */
export function forgetTalk(): void {
  sessionStorage.removeItem(LAST_PLACE);
}

/** The conversation of the address; a new one if the address names no session. */
export function useConversation(): Shown {
  const { query } = usePlace();
  const wanted = query.get('session') ?? undefined;
  const [conversation, setConversation] = useState(() => opened(wanted));
  if (!conversation.isShownFor(wanted)) setConversation(opened(wanted));
  const state = useSyncExternalStore(conversation.subscribe, conversation.state);
  const entries = useSyncExternalStore(conversation.transcript.subscribe, conversation.transcript.entries);
  const wire = wireChoice(query.get('wire'));
  const agent = query.get('agent') ?? '';

  // Another wire is used from the next turn on; what is shown stays.
  const restore = useEffectEvent((one: Conversation) => {
    if (!one.isNew) void one.restore(wire);
  });
  useEffect(() => {
    restore(conversation);
    return () => conversation.leave();
  }, [conversation]);

  const choose: Shown['choose'] = (change) => {
    const session = conversation.isNew ? undefined : state.session;
    const href = hrefOf(['talk'], { session, wire: wire.name, agent, ...change });
    sessionStorage.setItem(LAST_PLACE, href);
    go(href, { replace: true });
  };
  // The Responses wire gives a new conversation an id of its own.
  useEffect(() => {
    if (!conversation.isNew && state.session !== wanted) choose({ session: state.session });
  });
  return { conversation, state, entries, wire, agent, choose };
}

function opened(session: string | undefined): Conversation {
  return session === undefined
    ? new Conversation(uuid(), { isNew: true })
    : new Conversation(session, { isNew: false });
}
