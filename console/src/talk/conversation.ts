import { renewIfDue } from '../access/oidc/renewal.js';
import { actingUser, isPassing, json, parley, request } from '../api/client.js';
import type { Interrupt, Page, Run } from '../api/types.js';
import { messageOf } from '../lib/format.js';
import { wait } from '../lib/wait.js';
import { uuid } from '../lib/random.js';
import {
  answerDirectly,
  askedIn,
  forgetDecisions,
  isNoted,
  noteDecisions,
  withAnswer,
  withoutAnswer,
} from './decisions.js';
import { LiveRun } from './live-run.js';
import { leaveCalls, noteEnd, showPast } from './run-end.js';
import { refusalsOf } from './refusals.js';
import { sentMessages } from './sent-messages.js';
import { settle } from './settled.js';
import { callIdOf, Transcript } from './transcript.js';
import { NO_REFUSALS, type TalkState, turnOf, type TurnOptions } from './turn.js';
import type { AnswerTo, Image, ToolResult, Turn, WireChoice, WireClient } from './wire.js';

/** The longest pause before the server is queried again. */
const LONGEST_PAUSE_MS = 5000;
const POLL_MS = 2000;

/** Reads sessions that the person may read only. */
const reviewer = async (): Promise<WireClient> => (await import('./wires/agent-api.js')).review();

/** A conversation of one session: sends turns, follows runs until they end, and reads on after every interruption. */
export class Conversation {
  readonly transcript = new Transcript();
  private now: TalkState;
  private run: LiveRun | undefined;
  private owner: string | undefined;
  private readonly listeners = new Set<() => void>();
  private readonly leaving = new AbortController();

  /** Results that wait until every call has one. */
  private readonly given = new Map<string, ToolResult>();
  /** Interrupts that may be decided elsewhere, and are asked for. */
  private readonly watched = new Set<string>();
  private readonly sessions: Set<string>;
  private begun: boolean;

  /** @param options.isNew whether the server does not know the session yet */
  constructor(session: string, { isNew }: { readonly isNew: boolean }) {
    this.sessions = new Set([session]);
    this.begun = !isNew;
    this.now = { session, status: 'idle', runId: undefined, interrupts: [], calls: [], refusals: NO_REFUSALS };
  }

  readonly state = (): TalkState => this.now;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  /** The user that the session is used for; undefined if the credential determines it. */
  get user(): string | undefined {
    return actingUser(this.owner);
  }

  /** Whether nothing was sent yet. */
  get isNew(): boolean {
    return !this.begun;
  }

  /** Whether an address with this session, or without one, shows this conversation. */
  isShownFor(session: string | undefined): boolean {
    return session === undefined ? this.isNew : this.sessions.has(session);
  }

  /** Sends what the person wrote, and follows the answer to its end. */
  async say(text: string, images: readonly Image[], options: TurnOptions): Promise<void> {
    const turn = this.turn(options, { text, images });
    const { interrupts } = this.now;
    this.given.clear();
    leaveCalls(this.transcript, this.now.calls);
    this.set({ calls: [] });
    noteDecisions(this.transcript, interrupts.map(withoutAnswer));
    this.transcript.put({ kind: 'user', id: `user-${turn.runId}`, text, images: images.map(({ url }) => url) });
    try {
      await this.converse(turn, options.wire, () => this.set({ interrupts: [] }));
    } catch (error) {
      forgetDecisions(this.transcript, interrupts);
      this.transcript.put({ kind: 'notice', id: uuid(), tone: 'error', text: messageOf(error) });
    }
  }

  /** Takes results of tools of this page. They are sent together, once every call that waits has one. */
  async give(results: readonly ToolResult[], options: TurnOptions): Promise<void> {
    for (const result of results) {
      const { callId, output } = result;
      this.given.set(callId, result);
      this.transcript.changeCalls((call) => callIdOf(call) === callId, { result: output, done: true });
    }
    const calls = this.now.calls.filter(({ callId }) => !this.given.has(callId));
    this.set({ calls });
    if (calls.length > 0) return;
    const all = [...this.given.values()];
    this.given.clear();
    await this.converse(this.turn(options, { results: all }), options.wire);
  }

  /**
   * Answers all interrupts that wait: over the wire if it can carry them and the person may send, otherwise under
   * `/interrupts`. They are shown until the server has taken the answers.
   *
   * @throws what keeps an answer from being given; the interrupts without one wait on
   */
  async answer(answers: readonly AnswerTo[], options: TurnOptions): Promise<void> {
    const given = new Map(answers.map((answer) => [answer.interruptId, answer]));
    const { interrupts } = this.now;
    let resumed: string | null = null;
    this.set({ status: 'sending' });
    const client = await options.wire.load();
    if (options.maySend !== false && client.takes(answers, this.now.session)) {
      return this.converse(this.turn(options, { answers }), options.wire, () => {
        noteDecisions(
          this.transcript,
          interrupts.map((one) => withAnswer(one, given.get(one.id) ?? {})),
        );
        this.set({ interrupts: [] });
      });
    }
    try {
      for (const answer of answers) {
        const known = await answerDirectly(answer);
        resumed = known.resumedByRunId;
        noteDecisions(this.transcript, [known]);
        this.set({ interrupts: this.now.interrupts.filter(({ id }) => id !== known.id) });
      }
    } finally {
      this.set({ status: 'idle' });
    }
    if (resumed !== null) await this.follow(resumed, options.wire);
  }

  /** Stops the run at the server; the stream then ends with what there is. */
  async stop(): Promise<void> {
    const id = this.run?.id;
    if (id !== undefined) await request('stop', { body: { response_id: id } });
    else this.run?.leave();
  }

  /** Shows the runs of the session that the server has, and follows the last one if it has not ended. */
  async restore(wire: WireChoice): Promise<void> {
    const query = { session: this.now.session, limit: 50 };
    this.set({ status: 'restoring' });
    try {
      const { data } = await json<Page<Run>>('api/v1/runs', { query, signal: this.leaving.signal });
      this.owner = data[0]?.userId;
      const { signal } = this.leaving;
      const [sent, asked, refusals] = await Promise.all([
        sentMessages(data, signal),
        askedIn(this.now.session),
        refusalsOf(data[0], signal),
      ]);
      this.set({ refusals });
      const runs = [...data].reverse();
      for (const [index, run] of runs.entries()) {
        if (signal.aborted) return;
        const { id } = run;
        const next = runs[index + 1]?.id;
        for (const entry of sent.entries.get(id) ?? []) this.transcript.put(entry);
        const { pending } = await this.follow(id, wire, { isLast: next === undefined });
        if (next === undefined) continue;
        const returned = sent.results.filter((one) => one.run === next);
        showPast(this.transcript, { run, pending, returned, asked: asked.filter(({ runId }) => runId === id) });
      }
    } catch (error) {
      if (this.leaving.signal.aborted) return;
      const why = messageOf(error).replace(/\.$/, '');
      const text = `The conversation cannot be read: ${why}. Reload the page to try again.`;
      this.transcript.put({ kind: 'notice', id: 'unread', tone: 'error', text });
    } finally {
      this.set({ status: 'idle' });
    }
  }

  /** Follows a run that something else has started. */
  async follow(runId: string, wire: WireChoice, { isLast = true } = {}): Promise<LiveRun> {
    // A wire reads only what it may also go on with.
    const client = this.now.refusals.send === null ? await wire.load() : await reviewer();
    const run = this.begin();
    run.started(runId);
    await this.untilEnd(run, client, undefined);
    if (isLast) await this.afterwards(run, wire);
    return run;
  }

  /** The page is left. Runs go on. */
  leave(): void {
    this.leaving.abort();
    this.run?.leave();
  }

  /** @param accepted called once the server has taken the turn. @throws what the server refuses the turn with */
  private async converse(turn: Turn, wire: WireChoice, accepted?: () => void): Promise<void> {
    this.begun = true;
    this.set({ status: 'sending' });
    const client = await wire.load();
    const run = this.begin(accepted);
    try {
      await this.untilEnd(run, client, turn);
    } catch (error) {
      this.set({ status: 'idle' });
      throw error;
    }
    await this.afterwards(run, wire);
  }

  private turn(options: TurnOptions, content: Partial<Turn>): Turn {
    return turnOf({ user: this.user, session: this.now.session, isFirst: this.isNew }, options, content);
  }

  private begin(accepted?: () => void): LiveRun {
    const run = new LiveRun(this.transcript, this.now.session, ({ id, session }) => {
      this.set({ runId: id, session, status: 'running' });
      accepted?.();
    });
    run.onLost = () => this.lost(run);
    this.run = run;
    return run;
  }

  /** Reads until the run has ended. Whatever breaks the stream, the page reads on as soon as the server answers. */
  private async untilEnd(run: LiveRun, client: WireClient, turn: Turn | undefined): Promise<void> {
    for (let attempt = 0; run.end === undefined && !run.signal.aborted; attempt += 1) {
      if (attempt > 0) {
        this.lost(run);
        await wait(Math.min(LONGEST_PAUSE_MS, 250 * 2 ** Math.min(attempt, 5)), run.signal);
      }
      if (run.signal.aborted) return;
      try {
        await renewIfDue();
        if (turn && run.id === undefined) await client.send(turn, run);
        else await client.watch(run);
      } catch (error) {
        if (run.signal.aborted) return;
        if (isPassing(error)) continue;
        if (turn && run.id === undefined) throw error;
        run.say('error', messageOf(error));
        run.finished('failed');
      }
    }
    if (turn && run.refusal !== undefined) throw new Error(run.refusal);
    if (run.end !== undefined) await settle(run);
  }

  /** Says that the connection was lost, and what came of it once the stream goes on. */
  private lost(run: LiveRun): void {
    if (run.onReceived) return;
    const since = Date.now();
    const id = `lost-${run.id ?? 'run'}`;
    this.set({ status: 'reconnecting' });
    run.say('warning', 'The connection to the server was lost. The page reads on as soon as the server answers.', id);
    run.onReceived = () => {
      run.onReceived = undefined;
      this.set({ status: 'running' });
      const seconds = Math.max(1, Math.round((Date.now() - since) / 1000));
      run.say('info', `The connection was lost and is back after ${seconds} s. Nothing is missing or repeated.`, id);
    };
  }

  private async afterwards(run: LiveRun, wire: WireChoice): Promise<void> {
    const waited = this.now.interrupts;
    this.set({ session: run.session, calls: run.pending, status: 'idle' });
    if (run.signal.aborted) return;
    // Not every wire says that an agent has asked something, nor how its run ended.
    const [asked] = await Promise.all([askedIn(run.session), noteEnd(this.transcript, run.id, this.leaving.signal)]);
    const isShown = (one: Interrupt): boolean =>
      isNoted(this.transcript, one) || one.runId === run.id || waited.some(({ id }) => id === one.id);
    noteDecisions(this.transcript, asked.filter(isShown));
    const waiting = asked.filter(({ status }) => status === 'pending');
    // Over some wires a question stays open although a message was sent instead.
    forgetDecisions(this.transcript, waiting);
    if (run.pending.length === 0) this.ask(waiting, wire);
  }

  /** Shows what waits for a person, who may also decide in the inbox or with another client. */
  private ask(interrupts: readonly Interrupt[], wire: WireChoice): void {
    this.set({ interrupts });
    const id = interrupts.at(-1)?.id;
    if (id === undefined || this.watched.has(id)) return;
    this.watched.add(id);
    void this.decidedElsewhere(id, wire).finally(() => this.watched.delete(id));
  }

  /** Once somebody has decided elsewhere, the conversation goes on here, too. */
  private async decidedElsewhere(interruptId: string, wire: WireChoice): Promise<void> {
    for (;;) {
      await wait(POLL_MS, this.leaving.signal);
      const isOpen = this.now.interrupts.some(({ id }) => id === interruptId);
      if (this.leaving.signal.aborted || !isOpen) return;
      const known = await parley()
        .interrupt(interruptId)
        .catch(() => undefined);
      if (known === undefined || known.status === 'pending') continue;
      if (!this.now.interrupts.some(({ id }) => id === interruptId)) return;
      noteDecisions(this.transcript, await askedIn(this.now.session));
      this.set({ interrupts: [] });
      if (known.resumedByRunId !== null) await this.follow(known.resumedByRunId, wire);
      return;
    }
  }

  private set(change: Partial<TalkState>): void {
    if (change.session !== undefined) this.sessions.add(change.session);
    this.now = { ...this.now, ...change };
    for (const listener of this.listeners) listener();
  }
}
