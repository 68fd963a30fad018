import fc from 'fast-check';
import { ScriptedLog } from '../../../test/support/scripted-log.js';
import { isTerminalStatus, LoggedEvent, RUN_RECOVERED } from '../../events/index.js';
import { calls, endings, Interpreter } from '../../events/testing/random-program.js';
import { AgKitEncoder } from './ag-kit.encoder.js';
import { BotEncoder } from './bot.encoder.js';
import { LOST_RESULT } from './shown-calls.js';
import { AgKitHook, agKitEvents } from './testing/ag-kit-hook.js';

/** One step of a run that uses tools, on one of four calls; the last two are the client's. */
const STEPS = ['start', 'piece', 'piece', 'end', 'result', 'say', 'lose'] as const;
const programs = fc.array(fc.record({ what: fc.constantFrom(...STEPS), which: fc.nat(3) }), { maxLength: 40 });
const isClients = (id: string): boolean => /^k\d+_[23]/.test(id);

const ARGUMENTS = '{"to":"Ana","amount":5}';

interface OpenCall {
  readonly messageId: string;
  position: number;
  piece(text: string): void;
  end(): void;
}

/** A run that makes calls in parallel, loses its worker now and then, and makes the lost ones again. */
class ToolRun {
  readonly log = new ScriptedLog();
  readonly results = new Map<string, string>();
  /** The calls that are complete and stand. */
  readonly ended = new Set<string>();
  private readonly open = new Map<string, OpenCall>();
  private readonly messages = new Map<string, string>();
  private round = 0;
  private losses = 0;

  /** @param renames calls that are made again get new ids, as those of the model loop do */
  constructor(private readonly renames: boolean) {
    this.log.response.inProgress();
  }

  step({ what, which }: { what: (typeof STEPS)[number]; which: number }): void {
    const id = `k${this.round}_${which}${this.renames ? `_${this.losses}` : ''}`;
    const call = this.open.get(id);
    if (what === 'start' && !call && !this.ended.has(id)) this.start(id);
    else if (what === 'piece' && call) {
      call.piece(ARGUMENTS.slice(call.position, (call.position += 4)));
    } else if (what === 'end' && call) {
      call.piece(ARGUMENTS.slice(call.position));
      call.end();
      this.open.delete(id);
      this.ended.add(id);
    } else if (what === 'result' && this.ended.has(id) && !this.results.has(id) && !isClients(id)) this.result(id);
    else if (what === 'say' && this.open.size === 0 && ![...this.ended].some(isClients)) this.say();
    else if (what === 'lose') this.lose();
  }

  /** What a run does before it completes: all calls end, and it waits for those of the client. */
  endCalls(): void {
    for (const which of [0, 1, 2, 3]) this.step({ what: 'end', which });
    for (const id of this.ended) if (!this.results.has(id) && !isClients(id)) this.result(id);
  }

  private start(id: string): void {
    const message = this.log.response.createMessageBuilder(
      'assistant',
      isClients(id) ? 'function_call' : 'plugin_call',
    );
    const content = message.createContentBuilder('data');
    content.addDataDelta({ call_id: id, name: 'pay', arguments: '' });
    const piece = (text: string): void => {
      if (text !== '') content.addDataDelta({ arguments: text });
    };
    this.messages.set(id, message.id);
    this.open.set(id, { messageId: message.id, position: 0, piece, end: () => message.complete() });
  }

  private result(id: string): void {
    const output = `result of ${id}`;
    const message = this.log.response.createMessageBuilder('tool', 'plugin_call_output');
    message.createContentBuilder('data').addDataDelta({ call_id: id, name: 'pay', output });
    message.complete();
    this.results.set(id, output);
  }

  /** The model speaks when its calls have their results; then comes another round. */
  private say(): void {
    for (const id of this.ended) if (!this.results.has(id)) this.result(id);
    const message = this.log.response.createMessageBuilder();
    message.createContentBuilder().addTextDelta('So. ');
    message.complete();
    this.round += 1;
  }

  /** An answer that no tool was called for yet is not written down: all its calls are taken back. */
  private lose(): void {
    const calls = [...this.ended].filter((id) => id.startsWith(`k${this.round}_`));
    const stands = calls.some((id) => this.results.has(id));
    const lost = stands ? [] : calls.map((id) => this.messages.get(id) ?? '');
    const discardedMessageIds = [...[...this.open.values()].map(({ messageId }) => messageId), ...lost];
    if (!stands) for (const id of calls) this.ended.delete(id);
    this.open.clear();
    this.losses += 1;
    this.log.response.discard(discardedMessageIds);
    this.log.events.push({ object: 'custom', name: RUN_RECOVERED, value: { attempt: 2, discardedMessageIds } });
  }
}

describe('the AG-Kit dialects of any log', () => {
  it('the frames have the order that the client hook needs, and no discarded call is made', () => {
    fc.assert(
      fc.property(programs, endings, fc.boolean(), (program, ending, renames) => {
        const run = new ToolRun(renames);
        for (const step of program) run.step(step);
        const error = { code: 'AGENT_ERROR', message: 'boom' };
        if (ending === 'completed') run.endCalls();
        if (ending === 'completed' || ending === 'canceled') run.log.response[ending]();
        else run.log.response[ending](error);
        const { events, done } = agKitEvents(new AgKitEncoder(), run.log.logged());
        expect(done).toBe(true);
        const hook = new AgKitHook();
        for (const event of events) hook.read(event);
        const seen = [...hook.calls.values()];
        for (const { id, args, isEnded, result } of seen) {
          if (isEnded && run.ended.has(id)) expect([id, args]).toEqual([id, ARGUMENTS]);
          else expect(ARGUMENTS.startsWith(args)).toBe(true);
          if (isEnded && isClients(id)) expect([...run.ended]).toContain(id);
          if (isEnded && !run.ended.has(id) && ending === 'completed') expect([id, result]).toEqual([id, LOST_RESULT]);
        }
        for (const [id, result] of run.results) expect(hook.calls.get(id)?.result).toBe(result);
        if (ending === 'completed') expect([...hook.toMake].sort()).toEqual([...run.ended].filter(isClients).sort());
        expect(hook.error !== undefined).toBe(ending !== 'completed');
      }),
      { numRuns: 400 },
    );
  });

  it('the frames end with [DONE] and are the same for the same log', () => {
    fc.assert(
      fc.property(calls, endings, (program, ending) => {
        const interpreter = new Interpreter();
        interpreter.run(program);
        interpreter.try(() => interpreter.end(ending));
        const log = interpreter.texts.map((text, seq) => new LoggedEvent(seq, text));
        const isOver = log.some(({ event }) => event.object === 'response' && isTerminalStatus(event.status));
        for (const encoder of [AgKitEncoder, BotEncoder]) {
          const read = agKitEvents(new encoder(), log);
          expect(read.done).toBe(isOver);
          expect(agKitEvents(new encoder(), log)).toEqual(read);
        }
      }),
      { numRuns: 150 },
    );
  });
});
