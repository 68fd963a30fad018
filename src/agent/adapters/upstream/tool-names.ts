import { TOOL_NAME, validNames } from '../../tools/index.js';
import type { ModelEvent, ModelMessage, ModelRequest } from '../../ports/model-client.js';

/** What a model server asks of the names of tools, besides the form that all take. Plain data, for profiles. */
export interface ToolNameRules {
  /** A name begins with a letter or `_`. */
  readonly startsWithLetter?: boolean;
}

const LETTER_FIRST = /^[A-Za-z_]/;

/**
 * The names of a request's tools for the model server, and back (contract model-servers, section 1.3). One mapping
 * serves the declarations, the tool choice, the calls and the results of the history, and the calls of the answer, so
 * that everyone but the model server knows a tool by its own name.
 */
export class ToolNames {
  private constructor(
    private readonly toServer: ReadonlyMap<string, string>,
    private readonly fromServer: ReadonlyMap<string, string>,
  ) {}

  /** Undefined if the model server takes all names of the request as they are. */
  static of(request: ModelRequest, { startsWithLetter = false }: ToolNameRules = {}): ToolNames | undefined {
    const isValid = (name: string): boolean => !startsWithLetter || LETTER_FIRST.test(name);
    const names = [...namesIn(request)];
    if (names.every((name) => TOOL_NAME.test(name) && isValid(name))) return undefined;
    const changed = [...validNames(names, isValid)].filter(([name, valid]) => name !== valid);
    return new ToolNames(new Map(changed), new Map(changed.map(([name, valid]) => [valid, name])));
  }

  /** The request with the names for the model server. */
  outward(request: ModelRequest): ModelRequest {
    const { toolChoice } = request.options;
    const options =
      typeof toolChoice === 'object'
        ? Object.assign({}, request.options, { toolChoice: this.renamed(toolChoice) })
        : request.options;
    const tools = request.tools.map((tool) => this.renamed(tool));
    return Object.assign({}, request, { messages: request.messages.map((one) => this.message(one)), tools, options });
  }

  /** The events of an answer with the tools' own names. */
  inward(events: readonly ModelEvent[]): readonly ModelEvent[] {
    if (!events.some((event) => event.type === 'tool-call-delta' && event.name !== undefined)) return events;
    return events.map((event) => {
      if (event.type !== 'tool-call-delta' || event.name === undefined) return event;
      const name = this.fromServer.get(event.name);
      return name === undefined ? event : Object.assign({}, event, { name });
    });
  }

  private message(message: ModelMessage): ModelMessage {
    if (message.role === 'tool') return this.renamed(message);
    if (message.role !== 'assistant' || message.toolCalls.length === 0) return message;
    return Object.assign({}, message, { toolCalls: message.toolCalls.map((call) => this.renamed(call)) });
  }

  private renamed<Named extends { readonly name: string }>(thing: Named): Named {
    const name = this.toServer.get(thing.name);
    return name === undefined ? thing : Object.assign({}, thing, { name });
  }
}

function namesIn({ tools, messages, options: { toolChoice } }: ModelRequest): Set<string> {
  const names = new Set(tools.map(({ name }) => name));
  if (typeof toolChoice === 'object') names.add(toolChoice.name);
  for (const message of messages) {
    if (message.role === 'tool') names.add(message.name);
    else if (message.role === 'assistant') for (const { name } of message.toolCalls) names.add(name);
  }
  return names;
}
