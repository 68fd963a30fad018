import { isPlainObject } from '../../../../common/index.js';

type Fields = Readonly<Record<string, unknown>>;

/** A request as the server got it, read again from its body: what a refusal can be about. */
export class SentRequest {
  readonly members: Fields;

  constructor(body: string) {
    this.members = JSON.parse(body) as Fields;
  }

  /** The names of its tools, in their order. */
  get toolNames(): readonly string[] {
    const { tools } = this.members;
    if (!Array.isArray(tools)) return [];
    return tools.map((tool: { function?: { name?: string } }) => tool.function?.name ?? '');
  }

  get messages(): readonly Fields[] {
    return (this.members['messages'] ?? []) as readonly Fields[];
  }

  /** True if a message has this member. */
  hasInMessage(name: string): boolean {
    return this.messages.some((message) => message[name] !== undefined);
  }

  /** True if a call has this member. */
  hasInCall(name: string): boolean {
    return this.messages.some(
      ({ tool_calls: calls }) => Array.isArray(calls) && calls.some((call: Fields) => name in call),
    );
  }

  /** The parts of all messages of a role. */
  partsOf(role: string): readonly Fields[] {
    return this.messages.flatMap((message) =>
      message['role'] === role && Array.isArray(message['content']) ? (message['content'] as Fields[]) : [],
    );
  }

  /** The texts of the conversation. */
  get texts(): readonly string[] {
    return this.messages.flatMap((message) => textsIn(message));
  }
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isPlainObject(value) ? Object.values(value).flatMap(textsIn) : [];
}
