import { answerText, type Frame, FrameStream } from './process-client.js';

/** A question that a page shows, and what the page says of its outcome. */
export interface ShownQuestion {
  /** The port of the address that the page sends it to; undefined: the one of the server. */
  readonly port: string | undefined;
  /** The path of the address. */
  readonly path: string;
  readonly body: unknown;
  readonly text: string;
  /** As `outcomeOf`, where `…` stands for anything; undefined if the page does not say it. */
  readonly outcome: string | undefined;
}

const COMMAND = /curl [^`]*?https?:\/\/127\.0\.0\.1:(\d+)(\/\S*)[^`]*?-d '(\{[^']*"text":"[^']*\})'/;
/** A sentence to type into the console: *Refund 80 euros*. */
const TYPED = /\b[Aa]sk(?: under Talk)?: \*([^*]+)\*/;
const OUTCOME = /<!-- answer: ([^>]+) -->|<!-- answer -->\n\n```text\n([^`]+)```/;
const MARKS = new RegExp(`${COMMAND.source}|${TYPED.source}|${OUTCOME.source}`, 'g');

/**
 * The questions of a page, in order, each with the outcome that follows it: `<!-- answer: … -->`, or `<!-- answer -->`
 * before a block that readers see.
 */
export function questionsOf(markdown: string): readonly ShownQuestion[] {
  const questions: ShownQuestion[] = [];
  for (const [, port, path, json, typed, hidden, shown] of markdown.matchAll(MARKS)) {
    const outcome = hidden ?? shown;
    if (outcome === undefined) questions.push({ ...questionOf({ port, path, json, typed }), outcome: undefined });
    else questions.push({ ...required(questions.pop()), outcome: outcome.trim() });
  }
  return questions;
}

/** Asks a server as the page says, and gives the outcome. @param base the address of the server */
async function outcomeOf({ path, body }: ShownQuestion, base: string): Promise<string> {
  const response = await fetch(`${base}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const stream = new FrameStream(response, new AbortController());
  await stream.all();
  const end = required(stream.frames.at(-1));
  const asked = end.output?.filter(({ type }) => type === 'mcp_approval_request').at(-1);
  const { name = '', arguments: args = '' } = asked?.content?.[0]?.data ?? {};
  return asked ? `Waits for an approval: ${name} ${args}` : `${answerText(end)}${end.error?.message ?? ''}`;
}

/** The outcome if it is the one that a page shows, otherwise what the page shows: for a comparison in a test. */
export function shownAs(shown: string | undefined, outcome: string): string {
  if (shown === undefined) return 'the page does not say it';
  const pattern = shown.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${pattern.join('.*')}$`, 's').test(outcome) ? outcome : shown;
}

/**
 * Asks a server every question of a page, and expects the outcomes that the page shows.
 *
 * @param base its address
 * @param others the addresses of other servers of the page, by the ports that the page names
 */
export async function expectShownAnswers(
  markdown: string,
  base: string,
  others: Readonly<Record<string, string>> = {},
): Promise<void> {
  const questions = questionsOf(markdown);
  expect(questions).not.toEqual([]);
  for (const question of questions) {
    const outcome = await outcomeOf(question, others[question.port ?? ''] ?? base);
    expect([question.text, outcome]).toEqual([question.text, shownAs(question.outcome, outcome)]);
  }
}

/** The parts of a question as a page shows it: a command, or a sentence to type. */
interface QuestionMarks {
  readonly port: string | undefined;
  readonly path: string | undefined;
  readonly json: string | undefined;
  readonly typed: string | undefined;
}

function questionOf({ port, path = '/process', json, typed }: QuestionMarks): Omit<ShownQuestion, 'outcome'> {
  const text = typed?.replace(/\s+/g, ' ') ?? /"text":"([^"]+)"/.exec(json ?? '')?.[1] ?? '';
  const said = { input: [{ role: 'user', content: [{ type: 'text', text }] }] };
  return { port, path, text, body: json === undefined ? said : (JSON.parse(json) as Frame) };
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('An outcome is shown before any question, or a stream has no frames');
  return value;
}
