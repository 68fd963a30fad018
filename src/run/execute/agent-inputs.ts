import { Injectable } from '@nestjs/common';
import { InputInterrupt, type InputQuestion, InputRefused } from '../../agent/index.js';
import { AppError, Clock, IdFactory, type Json } from '../../common/index.js';
import type { SettledInterrupt } from '../../agent/interrupt/index.js';
import { SchemaValidator, ToolSettings } from '../../agent/tools/index.js';

const LONGEST_KEY = 256;

/** Asks users for inputs on behalf of agents: an answered question returns its answer, any other ends the run. */
@Injectable()
export class AgentInputs {
  constructor(
    private readonly settings: ToolSettings,
    private readonly clock: Clock,
    private readonly ids: IdFactory,
    private readonly validator: SchemaValidator,
  ) {}

  /**
   * The `context.interrupt` of one run.
   *
   * @param answered the inputs that the runs of its chain resolved
   * @param warn writes a warning to the log of the run
   */
  asker(
    answered: readonly SettledInterrupt[],
    warn: (warning: string) => void,
  ): (question: InputQuestion) => Promise<Json> {
    const byKey = new Map(answered.map((one) => [one.key, one]));
    let count = 0;
    return async (question) => {
      const key = question.key ?? `input:${count}`;
      if (question.key === undefined) count += 1;
      const settled = byKey.get(key);
      if (!settled) throw this.ask(key, this.withUsableSchema(question, warn));
      if (settled.status !== 'answered') throw new InputRefused(settled);
      return Promise.resolve(structuredClone(settled.decision?.['payload'] ?? null));
    };
  }

  /** Without a schema of another server that cannot be used: the person can answer, and that server judges. */
  private withUsableSchema(question: InputQuestion, warn: (warning: string) => void): InputQuestion {
    const { responseSchema, ...rest } = question;
    if (!responseSchema || question.hasForeignSchema !== true || this.validator.canAnswer(responseSchema))
      return question;
    warn('A question of a remote agent is asked without its schema, which cannot be used');
    return rest;
  }

  private ask(key: string, question: InputQuestion): Error {
    const { reason, message, responseSchema } = question;
    if (key === '' || key.length > LONGEST_KEY) {
      return new AppError('AGENT_ERROR', `The key of a question must have 1 to ${LONGEST_KEY} characters`);
    }
    // A schema that cannot be compiled is the agent's mistake: it fails now, not when the user answers.
    if (responseSchema) this.validator.violation(responseSchema, null);
    const expiresAt = this.clock.now() + (question.expiresInMs ?? this.settings.approvalExpiresInMs);
    const subject = { kind: 'input', call_id: null, tool_name: null, arguments: null, server_label: null } as const;
    const rules = { response_schema: responseSchema ?? null, may_edit: false, expires_at: expiresAt };
    const item = { id: this.ids.next('input_'), ...subject, reason, message, ...rules };
    return new InputInterrupt({ item, key }, question);
  }
}
