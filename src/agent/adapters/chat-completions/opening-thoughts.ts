import type { ModelEvent } from '../../ports/model-client.js';

/** The tags between which models write thoughts. */
const TAGS = ['think', 'thinking', 'thought', 'reasoning', 'mm:think'];
/** The beginning of a message in the format of gpt-oss, from its channel or from its author on. */
const CHANNEL = '<|channel|>';
const AUTHOR = '<|start|>';
const HEADS = [CHANNEL, AUTHOR];
const OPENINGS = [...TAGS.map((tag) => `<${tag}>`), ...HEADS];
/** The end of the head of such a message, and what ends the message. */
const MESSAGE = '<|message|>';
const MESSAGE_ENDS = ['<|end|>', '<|return|>', '<|call|>', ...HEADS];
/** The closing tag of thoughts whose opening tag is part of the prompt. */
const BARE_CLOSING = ['</think>'];
/** Blanks that are held back in the hope of a tag, and characters of the head of a message, at most. */
const MOST_HELD = 4096;

/** Text of a model of which it is not known how its answers begin is held back up to this length. */
const MOST_UNSURE = 64 * 1024;

/**
 * How the answers of a model begin whose server may leave the opening tag out: with thoughts, or with the answer. Shared
 * by its calls, which learn it: as long as it is undefined, text is held back until it shows.
 */
export interface OpeningMemory {
  known: 'thoughts' | 'text' | undefined;
}

/** The message of a channel: what the user is to see, or thoughts. */
const SHOWN_HEAD = /<\|channel\|>\s*(final|commentary)\s*$/;

/**
 * Tells thoughts from the answer where a server sends both as text: between tags, or in the channels of gpt-oss. Only
 * the very beginning of the text counts, after blanks, because an answer may speak of tags (contract model-servers,
 * section 2.2). Characters that may belong to a tag are held back until the next piece.
 */
export class OpeningThoughts {
  /** True once everything that follows is text. */
  isText = false;
  /** True once there was text for the user. */
  hasText = false;
  /** All thoughts as one text. */
  thoughts = '';
  /** The beginning of the text as it came, with thoughts, tags and blanks; empty without thoughts. */
  block = '';
  private state: 'unsure' | 'start' | 'head' | 'thoughts' | 'shown' | 'after' = 'start';
  private ends: readonly string[] = [];
  private held = '';
  private isChannel = false;

  /** True while thoughts are read that no tag has opened. */
  private isAssumed = false;

  /** @param opening for a server that may leave the opening tag out */
  constructor(private readonly opening?: OpeningMemory) {
    if (!opening || opening.known === 'text') return;
    this.state = opening.known ?? 'unsure';
    this.isAssumed = opening.known === 'thoughts';
    this.ends = BARE_CLOSING;
  }

  /** The server tells thoughts from the answer by itself. */
  areTold(): void {
    if (this.state !== 'unsure' && !this.isAssumed) return;
    this.state = 'start';
    this.isAssumed = false;
    this.learn('text');
  }

  /** Adds the events of the next piece of text. */
  read(piece: string, events: ModelEvent[]): void {
    if (this.isText) {
      events.push({ type: 'text-delta', text: piece });
      return;
    }
    this.held += piece;
    while (this.advance(events));
  }

  /** A call follows: what may still become a tag is text, and blanks alone are nothing. */
  interrupt(events: ModelEvent[]): void {
    if ((this.state !== 'start' && this.state !== 'unsure') || this.isText) return;
    if (this.held.trim() === '') this.held = '';
    else this.becomeText(events);
  }

  /** The text has ended: adds what was held back. @param isCut true if a limit has ended it */
  end(events: ModelEvent[], isCut = false): void {
    if (this.state === 'unsure' && this.held.trim() !== '') this.learn('text');
    else if (this.isAssumed && !isCut && this.endAssumed(events)) return;
    const rest = this.take(this.held.length);
    if (this.state === 'thoughts') this.think(rest, events);
    else if (this.state !== 'after') this.show(rest, events);
  }

  /** Thoughts that nothing has closed were the answer. @returns false if there are none */
  private endAssumed(events: ModelEvent[]): boolean {
    const text = this.block + this.take(this.held.length);
    if (text.trim() === '') return false;
    this.learn(undefined);
    this.block = this.thoughts = '';
    this.show(text, events);
    return true;
  }

  private learn(known: OpeningMemory['known']): void {
    if (this.opening) this.opening.known = known;
  }

  /** Takes what is decided of what is held. @returns whether there may be more */
  private advance(events: ModelEvent[]): boolean {
    switch (this.state) {
      case 'unsure':
        return this.decide(events);
      case 'start':
        return this.open(events, OPENINGS);
      case 'after':
        return this.isChannel ? this.open(events, HEADS) : this.answer(events);
      case 'head':
        return this.readHead(events);
      default:
        return this.readBody(events);
    }
  }

  /** A tag that opens or closes thoughts shows how the answers of the model begin. */
  private decide(events: ModelEvent[]): boolean {
    const begun = this.held.trimStart();
    if (OPENINGS.some((one) => begun.startsWith(one))) {
      this.state = 'start';
      return true;
    }
    if (firstOf(this.ends, this.held)) {
      this.state = 'thoughts';
      this.learn('thoughts');
      return true;
    }
    if (this.held.length >= MOST_UNSURE) this.becomeText(events);
    return false;
  }

  /** Looks for an opening, after blanks. */
  private open(events: ModelEvent[], openings: readonly string[]): boolean {
    const begun = this.held.trimStart();
    const opening = openings.find((one) => begun.startsWith(one));
    if (opening === undefined) {
      const mayOpen = openings.some((one) => one.startsWith(begun)) && this.held.length < MOST_HELD;
      return mayOpen ? false : this.answer(events);
    }
    if (HEADS.includes(opening)) this.state = 'head';
    else {
      this.block += this.take(this.held.length - begun.length + opening.length);
      this.state = 'thoughts';
      this.ends = [opening.replace('<', '</')];
    }
    return true;
  }

  /** The head of a message of gpt-oss ends with its channel. */
  private readHead(events: ModelEvent[]): boolean {
    const at = this.held.indexOf(MESSAGE);
    if (at < 0) {
      if (this.held.length >= MOST_HELD) this.becomeText(events);
      return false;
    }
    const head = this.held.slice(0, at);
    this.block += this.take(at + MESSAGE.length);
    this.isChannel = true;
    this.state = SHOWN_HEAD.test(head) ? 'shown' : 'thoughts';
    this.ends = MESSAGE_ENDS;
    return true;
  }

  /** Thoughts, or a message of gpt-oss for the user, up to their end. */
  private readBody(events: ModelEvent[]): boolean {
    const { held } = this;
    const end = firstOf(this.ends, held);
    const isThought = this.state === 'thoughts';
    const most = end ? end.at : held.length - heldBack(held, this.ends, isThought);
    const body = this.take(most);
    if (isThought) this.think(end ? body.trimEnd() : body, events, body);
    else this.show(body, events);
    if (!end) return false;
    this.isAssumed = false;
    // The head of the next message is read as such.
    if (!HEADS.includes(end.text)) this.block += this.take(end.text.length);
    this.state = 'after';
    return true;
  }

  /** After thoughts, blanks do not belong to the answer. */
  private answer(events: ModelEvent[]): boolean {
    if (this.state === 'after') {
      const begun = this.held.trimStart();
      this.block += this.take(this.held.length - begun.length);
      if (begun === '') return false;
    }
    this.becomeText(events);
    return false;
  }

  private becomeText(events: ModelEvent[]): void {
    this.isText = true;
    this.show(this.take(this.held.length), events);
  }

  private show(text: string, events: ModelEvent[]): void {
    if (text === '') return;
    this.hasText = true;
    events.push({ type: 'text-delta', text });
  }

  /** @param raw the same text with the blanks that do not count */
  private think(text: string, events: ModelEvent[], raw = text): void {
    this.block += raw;
    const thought = this.thoughts === '' ? text.trimStart() : text;
    if (thought === '') return;
    this.thoughts += thought;
    events.push({ type: 'reasoning-delta', text: thought });
  }

  private take(length: number): string {
    const taken = this.held.slice(0, length);
    this.held = this.held.slice(length);
    return taken;
  }
}

/** The first of these texts in another one. */
function firstOf(texts: readonly string[], whole: string): { readonly at: number; readonly text: string } | undefined {
  let first: { at: number; text: string } | undefined;
  for (const text of texts) {
    const at = whole.indexOf(text);
    if (at >= 0 && (!first || at < first.at)) first = { at, text };
  }
  return first;
}

/** How many characters at the end may be the beginning of one of these texts; of thoughts with the blanks before them. */
function heldBack(text: string, ends: readonly string[], withBlanks: boolean): number {
  const most = Math.max(...ends.map(({ length }) => length)) - 1;
  let count = Math.min(most, text.length);
  while (count > 0 && !ends.some((end) => end.startsWith(text.slice(text.length - count)))) count -= 1;
  if (!withBlanks) return count;
  const before = text.slice(0, text.length - count);
  return text.length - before.trimEnd().length;
}
