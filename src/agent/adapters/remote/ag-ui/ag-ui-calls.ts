import type { JsonObject } from '../../../../common/index.js';
import { asText, type Fields, objectsAt } from '../json-fields.js';
import type { RemoteWriter } from '../remote-writer.js';
import { either } from './ag-ui-fields.js';
import type { OpenCall } from './ag-ui-questions.js';

/** The calls that one run of AG-UI shows. */
export class AgUiCalls {
  private readonly calls = new Map<string, OpenCall>();
  /** Those that no boundary has and that have no result: a question may be about one. */
  private fresh = new Set<string>();

  /** The calls by their ids. */
  get all(): ReadonlyMap<string, OpenCall> {
    return this.calls;
  }

  /** A call begins. A repeated one changes nothing. @returns the message that it belongs to, if it names one */
  begin(id: string, fields: Fields, writer: RemoteWriter): string | undefined {
    if (this.calls.has(id) || writer.knowsCall(id)) return undefined;
    const name = either(fields, 'toolCallName') ?? 'unknown_tool';
    this.calls.set(id, { name, arguments: '' });
    this.fresh.add(id);
    writer.call(keyOf(id), id, name);
    const parent = either(fields, 'parentMessageId');
    if (parent !== undefined) writer.bind(keyOf(id), parent);
    return parent;
  }

  /** A piece of the arguments. A call that was not shown begins with it. */
  add(id: string, piece: string, writer: RemoteWriter): void {
    if (!writer.knowsCall(id)) this.begin(id, {}, writer);
    const call = this.calls.get(id);
    if (call) call.arguments += piece;
    writer.args(keyOf(id), piece);
  }

  /** The arguments of a call are whole. */
  end(id: string, writer: RemoteWriter): void {
    writer.end(keyOf(id));
  }

  /** A call has its result. */
  answered(id: string, writer: RemoteWriter): void {
    this.end(id, writer);
    this.fresh.delete(id);
  }

  /** True if each call that no boundary has has its result. */
  get areAnswered(): boolean {
    return this.fresh.size === 0;
  }

  /** Forgets calls that the writer no longer has: they may come again. */
  forget(writer: RemoteWriter): void {
    for (const id of this.calls.keys()) {
      if (writer.knowsCall(id)) continue;
      this.calls.delete(id);
      this.fresh.delete(id);
    }
  }

  /** What the next boundary keeps. */
  takeTold(): JsonObject[] {
    const told = [...this.fresh].map((id): JsonObject => {
      const { name = '', arguments: args = '' } = this.calls.get(id) ?? {};
      return { id, name, arguments: args.toWellFormed() };
    });
    this.fresh = new Set();
    return told;
  }

  /** Continues with what a boundary has kept. */
  restore(told: JsonObject): void {
    for (const { id, name, arguments: args } of objectsAt(told, 'calls'))
      this.calls.set(asText(id), { name: asText(name), arguments: asText(args) });
  }
}

/** The key of a call's message at the writer. */
function keyOf(id: string): string {
  return `call:${id}`;
}
