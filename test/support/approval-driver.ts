import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Type } from '@nestjs/common';
import type { ModelMessage, ModelRequest } from '../../src/agent/index.js';
import { finish, ScriptedModelClient, type ScriptStep, text } from '../../src/agent/testing/scripted-model-client.js';
import { dataMessage, dataOf, type Message } from '../../src/events/index.js';
import type { InterruptView } from '../../src/agent/interrupt/index.js';
import type { InterruptAnswer, RunRequest } from '../../src/run/index.js';
import { ALICE, type Ledger, nextId } from './ledger.js';
import { type EndedRun, RunDriver } from './run-driver.js';
import { done, SampleTools } from './sample-tools.js';

type Env = Readonly<Record<string, string>>;

/** A server with sample tools and a scripted model, for tests of approvals. */
export class ApprovalDriver {
  server!: RunDriver;
  model!: ScriptedModelClient;
  script: (request: ModelRequest) => readonly ScriptStep[] = () => [text('Done.'), finish()];
  private readonly folder = mkdtempSync(join(tmpdir(), 'parley-policy-'));

  constructor(private readonly ledger: () => Ledger) {}

  /**
   * @param rules of the policy; the default policy without
   * @param settings further variables of the environment
   * @param providers instead of the sample tools
   */
  async start(rules?: object[], settings: Env = {}, providers: Type[] = [SampleTools]): Promise<void> {
    const file = join(this.folder, `${nextId('policy')}.json`);
    if (rules) writeFileSync(file, JSON.stringify({ rules }));
    done.payments = [];
    done.during = () => Promise.resolve();
    this.model = new ScriptedModelClient((request) => this.script(request));
    const env = { ...(rules && { TOOL_POLICY_FILE: file }), ...settings };
    this.server = await RunDriver.start(this.ledger(), { providers, model: this.model, env });
  }

  cleanUp(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The model calls these tools first, and answers "Done." once it has their results. */
  calls(...steps: ScriptStep[]): void {
    this.script = ({ messages }) =>
      messages.at(-1)?.role === 'tool' ? [text('Done.'), finish()] : [...steps, finish('tool-calls')];
  }

  ask(overrides: Partial<RunRequest> = {}): Promise<EndedRun> {
    return this.server.run(overrides);
  }

  open({ view }: EndedRun): Promise<readonly InterruptView[]> {
    return this.server.interrupts.pending(ALICE, view.sessionId);
  }

  async onlyOpen(run: EndedRun): Promise<InterruptView> {
    const views = await this.open(run);
    expect(views).toHaveLength(1);
    return views[0] as InterruptView;
  }

  async answer(interruptId: string, overrides: Partial<InterruptAnswer> = {}): Promise<EndedRun> {
    const given: InterruptAnswer = { interruptId, status: 'resolved', approve: true, ...overrides };
    return this.server.ended((await this.server.runs.answer(ALICE, null, [given])).run.runId);
  }

  async audit(): Promise<string[]> {
    const sql = `SELECT action FROM audit_lines WHERE tenant_id <> '*' ORDER BY no`;
    return (await this.ledger().database.read.all<{ action: string }>(sql)).map(({ action }) => action);
  }

  /** The tool results in the last request to the model. */
  told(): string[] {
    return (this.model.requests.at(-1)?.messages ?? [])
      .filter((message): message is ModelMessage & { role: 'tool' } => message.role === 'tool')
      .map(({ content }) => content);
  }
}

/** Role and type of each message of an answer. */
export function shapes({ last }: EndedRun): string[] {
  return (last.output ?? []).map(({ role, type }) => `${role}:${type}`);
}

/** The results of calls in an answer. */
export function outputs({ last }: EndedRun): Message[] {
  return (last.output ?? []).filter(({ type }) => type.endsWith('_call_output'));
}

/** The texts of the results of calls in an answer. */
export function outputTexts(run: EndedRun): unknown[] {
  return outputs(run).map((one) => dataOf(one)?.['output']);
}

/** What a client sends as the result of its tool. */
export function clientResult(callId: string, output: string): Message {
  return dataMessage({
    id: nextId('msg'),
    role: 'tool',
    type: 'function_call_output',
    data: { call_id: callId, output },
  });
}
