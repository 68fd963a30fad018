import { fingerprint, HOPS_HEADER, type JsonObject, Semaphore } from '../../../common/index.js';
import type { AttachmentSource } from '../../attachment/index.js';
import { type AgentContext, type AgentOutcome, InputRefused, type SessionState } from '../../agent.js';
import { AgentType } from '../../agent-type.decorator.js';
import { refuseCall } from '../../loop/answer-call.js';
import { repeatRequests } from '../../loop/approvals.js';
import { owedClientCalls, refusalOf, unapproved } from '../../loop/decided-calls.js';
import { callsOf, outputsOf } from '../../prompt/tool-traffic.js';
import type { RemoteAgentHandle, RemoteAgentOptions, RemoteAgentView } from '../../ports/remote-agents.js';
import type { RemoteAgentConfig } from '../../remote/remote-config.js';
import type { RemoteMetrics } from '../../remote/remote.metrics.js';
import { confirmationsIn, type ConfirmationSetting, confirmed, withoutWithheld } from './remote-confirmation.js';
import { RemoteExchange } from './remote-exchange.js';
import type { ExchangeOutcome } from './remote-outcome.js';
import { RemoteHttp } from './remote-http.js';
import { hasBegun, RemoteJournal } from './remote-journal.js';
import type { AskedQuestions, GivenInput, RemoteProtocol } from './remote-kind.js';
import type { RemoteNames } from './remote-names.js';
import { secretsIn } from './remote-secrets.js';
import { RemoteProbe } from './remote-probe.js';
import { givenDecisions, keptIn, type KeptExchanges, keptState, turnOf } from './remote-turn.js';
import { RemoteUpstream } from './remote-upstream.js';
import { RemoteWriter } from './remote-writer.js';
import type { WriterSetting } from './remote-writer.types.js';

/** What all remote agents of a process share. */
export interface RemoteParts {
  readonly attachments: AttachmentSource;
  readonly metrics: RemoteMetrics;
  readonly names: RemoteNames;
  /** How long an approval waits, in milliseconds. */
  readonly approvalExpiresInMs: number;
}

/**
 * An agent that runs elsewhere (contract gateway). Its run is an exchange with the upstream; after answers to its
 * questions, another one. What it sends is written to our log before any client sees it.
 */
export class RemoteAgent implements RemoteAgentHandle {
  private readonly http: RemoteHttp;
  private readonly upstream: RemoteUpstream;
  private readonly places: Semaphore;
  private readonly hash: string;
  private readonly probe: RemoteProbe;

  constructor(
    private readonly config: RemoteAgentConfig,
    private readonly protocol: RemoteProtocol,
    private readonly parts: RemoteParts,
    private readonly headerSource?: RemoteAgentOptions['headerSource'],
  ) {
    this.http = new RemoteHttp(config);
    this.upstream = new RemoteUpstream(config);
    this.probe = new RemoteProbe(config, this.http, this.upstream);
    this.places = new Semaphore(config.maxConcurrent);
    this.hash = fingerprint([config.type, config.url.href]);
    parts.metrics.watch(config.name, () => this.upstream.inFlight);
  }

  /** What people are shown of it. */
  get remote(): RemoteAgentView {
    const { canReattach } = this.protocol;
    return { ...this.upstream.view, onLoss: canReattach ? 'continue' : this.config.onDoubt };
  }

  /** Asks a required upstream from now on whether it answers. */
  watch(): void {
    if (this.config.required) this.probe.start();
  }

  /** @throws AppError UPSTREAM_*; the reason of `context.signal` */
  async *run(context: AgentContext): AsyncGenerator<undefined, AgentOutcome, void> {
    const { last, since } = keptIn(context, this.config.name);
    const setting = { agent: this.config.name, sent: last ? context.history.length - since.length : 0 };
    const sent = withoutWithheld(context, confirmationsIn(context, setting));
    const kept = keptIn(sent, this.config.name);
    await refuseDenied(sent, kept);
    const ended = (await this.confirmed(context, setting)) ?? this.stillWaiting(sent, kept);
    if (ended) return ended;
    await this.place(context);
    try {
      this.upstream.inFlight += 1;
      return yield* this.exchanges(sent, kept);
    } finally {
      this.upstream.inFlight -= 1;
      this.places.release();
    }
  }

  /** Lets a person approve the message, unless the exchange has begun. @returns how the run ends without it */
  private confirmed(context: AgentContext, setting: ConfirmationSetting): Promise<AgentOutcome | undefined> {
    if (hasBegun(context.journal)) return Promise.resolve(undefined);
    const { confirm: isRequired } = this.config;
    const { approvalExpiresInMs: expiresInMs } = this.parts;
    return confirmed(context, Object.assign({}, setting, { isRequired, expiresInMs, hash: this.hash }));
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    this.probe.stop();
    await this.http.close();
  }

  private async *exchanges(context: AgentContext, kept: KeptExchanges): AsyncGenerator<undefined, AgentOutcome, void> {
    const asked = askedWithApprovals(context, kept);
    let inputs: readonly GivenInput[] = asked ? await answersTo(context, asked) : [];
    let before: JsonObject | undefined;
    for (let round = 0; ; round += 1) {
      const ended = yield* this.exchange(context, kept, { round, inputs, before });
      if (ended.kind === 'failure') throw ended.error;
      if (ended.kind === 'outcome') return ended.outcome;
      inputs = await answersTo(context, ended);
      before = ended.kept;
    }
  }

  private exchange(
    context: AgentContext,
    kept: KeptExchanges,
    setting: {
      readonly round: number;
      readonly inputs: readonly GivenInput[];
      readonly before: JsonObject | undefined;
    },
  ): AsyncGenerator<undefined, ExchangeOutcome, void> {
    const { config, protocol, http, upstream, hash } = this;
    const { attachments, metrics, names, approvalExpiresInMs } = this.parts;
    const journal = new RemoteJournal(
      context.journal,
      setting.round,
      hash,
      config.onDoubt !== 'resend' || protocol.canReattach,
    );
    const writer = new RemoteWriter(keepingState(context, journal), {
      round: setting.round,
      approvalExpiresInMs,
      sharesState: config.state === 'share',
      earlier: earlierCalls(context, kept),
    });
    const begin = async (): Promise<RemoteExchange> => {
      const turn = await turnOf(
        context,
        config,
        { names, attachments, kept },
        { ...setting, isNamed: protocol.isNamed, canBranch: protocol.canBranch === true },
      );
      const own = await this.headerSource?.();
      const headers = Object.assign({}, forwardedOf(context, config), own, headersOf(context));
      const secrets = [...config.secrets, ...secretsIn(own ?? {})];
      const shared = { config, protocol, http, upstream, metrics };
      return new RemoteExchange(context, { ...shared, journal, writer, turn, headers, secrets });
    };
    return started(begin);
  }

  /**
   * The outcome if answers to other interrupts are still missing; undefined if none are. An upstream is told all decisions
   * together: those that were given are kept.
   */
  private stillWaiting(context: AgentContext, kept: KeptExchanges): AgentOutcome | undefined {
    const { waiting } = context.resumption;
    const callIds = owedClientCalls(context);
    if (waiting.length === 0 && callIds.length === 0) return undefined;
    const isTold = context.journal.isFinished(WAITING);
    const before = context.response.messagesFrom(0).length;
    const asked = isTold ? waiting.map((item) => ({ item, key: null })) : repeatRequests(context, waiting);
    const { last } = kept;
    if (last && asked.length > 0 && !isTold) {
      const decided = Object.fromEntries(givenDecisions(context, kept));
      const replay = keptState(this.config.name, Object.assign({}, last, { decided }));
      const messageIds = context.response.messagesFrom(before).map(({ id }) => id);
      const output = { finishReason: 'stop', toolCalls: [], replay };
      context.journal.finished(WAITING, this.hash);
      context.journal.finish(WAITING, this.hash, output, messageIds);
    }
    const reason = asked.length > 0 ? 'approval' : 'client_tool';
    return { kind: 'interrupted', reason, message: null, callIds, responseSchema: null, asked };
  }

  /** Waits for one of the places of this agent. @throws the signal's reason */
  private async place({ waitForTurn }: AgentContext): Promise<void> {
    const turn = this.places.acquire();
    if (!turn) return;
    try {
      await waitForTurn(turn);
    } catch (error) {
      void turn.then(() => this.places.release());
      throw error;
    }
  }
}

/** The step of requests for decisions that are still missing. */
const WAITING = 'remote:waiting';

async function* started(begin: () => Promise<RemoteExchange>): AsyncGenerator<undefined, ExchangeOutcome, void> {
  const exchange = await begin();
  return yield* exchange.run();
}

/** A context whose shared state is kept in the journal before it changes. */
function keepingState(context: AgentContext, journal: RemoteJournal): AgentContext {
  const { state } = context;
  const keep = (): void => journal.keepState(state.get());
  const kept: SessionState = {
    get: () => state.get(),
    set: (next) => {
      keep();
      state.set(next);
    },
    patch: (operations, limits) => {
      keep();
      state.patch(operations, limits);
    },
  };
  return Object.assign({}, context, { state: kept });
}

/** The calls of earlier runs without a result, and how they were approved. */
function earlierCalls({ history, input, resumption }: AgentContext, kept: KeptExchanges): WriterSetting['earlier'] {
  const answered = new Set([...history, ...input].flatMap(outputsOf).map(({ callId }) => callId));
  const open = history.flatMap(callsOf).filter(({ id }) => !answered.has(id));
  return open.map(({ id, name }) => {
    const decided = resumption.approvals.find(({ callId }) => callId === id);
    const requestId = kept.approvals.get(decided?.id ?? '')?.requestId;
    // The result of a call that was not approved is written already.
    const hasOutput = decided !== undefined && decided.status !== 'approved';
    return { upstreamId: kept.calls.get(id) ?? id, callId: id, name, hasOutput, approvalId: decided?.id, requestId };
  });
}

/** Shows the results of calls that were not approved: the upstream need not show them. */
async function refuseDenied(context: AgentContext, { approvals }: KeptExchanges): Promise<void> {
  for (const one of context.resumption.approvals) {
    if (one.status === 'approved' || !approvals.has(one.id)) continue;
    const call = { callId: one.callId ?? '', name: one.toolName ?? '', arguments: one.argumentsText };
    const approval = { approvalId: one.id, outputType: 'plugin_call_output' } as const;
    await refuseCall(context, call, approval, { sentence: refusalOf(one), why: unapproved(one) });
  }
}

/** What the exchange asked for whose approvals this run was started with, if it asked for anything else. */
function askedWithApprovals({ resumption }: AgentContext, { last }: KeptExchanges): AskedQuestions | undefined {
  const approvals = last?.approvals ?? {};
  return resumption.approvals.some(({ id }) => Object.hasOwn(approvals, id)) ? last?.asked : undefined;
}

/** Asks a person one question after the other; one that is declined is answered with that. */
async function answersTo(context: AgentContext, { exchange, questions }: AskedQuestions): Promise<GivenInput[]> {
  const given: GivenInput[] = [];
  for (const [index, question] of questions.entries()) {
    const { key = '' } = question;
    // Answers of earlier exchanges are kept: only its own answers this question.
    const own = Object.assign({}, question, { key: fingerprint([exchange, index, key]), hasForeignSchema: true });
    try {
      given.push({ key, value: await context.interrupt(own), isRefused: false });
    } catch (error) {
      if (!(error instanceof InputRefused)) throw error;
      given.push({ key, value: null, isRefused: true });
    }
  }
  return given;
}

/** Headers about the run itself. */
function headersOf({ telemetry, carried }: AgentContext): Readonly<Record<string, string>> {
  const traceparent = telemetry?.traceparent;
  const hops = String((carried?.hops ?? 0) + 1);
  return { [HOPS_HEADER]: hops, ...(traceparent !== undefined && { traceparent }) };
}

/** The headers of the client's request that this agent gets. */
function forwardedOf(
  { carried }: AgentContext,
  { forwardHeaders }: RemoteAgentConfig,
): Readonly<Record<string, string>> {
  const { headers = {} } = carried ?? {};
  const names = forwardHeaders.filter((name) => Object.hasOwn(headers, name));
  return Object.fromEntries(names.map((name) => [name, headers[name] ?? '']));
}

/** A class of its own for each agent, because the options of an agent belong to its class. */
export function remoteAgentOf(
  config: RemoteAgentConfig,
  protocol: RemoteProtocol,
  parts: RemoteParts,
  headerSource?: RemoteAgentOptions['headerSource'],
): RemoteAgent {
  const { name, description, exposure } = config;
  const Own = class extends RemoteAgent {};
  AgentType({ name, description, exposure, recovery: 'journal', inputModes: config.files === 'none' ? [] : ['*'] })(
    Own,
  );
  return new Own(config, protocol, parts, headerSource);
}
