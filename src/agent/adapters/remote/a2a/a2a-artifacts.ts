import type { Json, JsonObject } from '../../../../common/index.js';
import { type Fields, objectsAt, pieceAt, textAt } from '../json-fields.js';
import type { RemoteWriter } from '../remote-writer.js';
import { contentOf } from './a2a-frames.js';
import {
  partsBehind,
  printOf,
  type ShownArtifact,
  shownIn,
  shownJson,
  type ShownPiece,
  withPiece,
} from './shown-artifacts.js';

/**
 * The artifacts of one task, each shown as a message, and what was shown of them. What a task says otherwise is shown in the
 * same way, under names of its own.
 */
export class A2aArtifacts {
  /** True once anything was shown. */
  hasContent = false;
  /** What earlier exchanges have shown of the artifacts of the task. */
  private readonly before: Map<string, ShownArtifact>;
  /** Artifacts that are told whole, in this attempt and in those before, and what was shown of them. */
  private readonly told = new Map<string, ShownArtifact>();
  private newlyTold = new Map<string, ShownArtifact>();
  /** The parts beside the text that this exchange has shown of each artifact, and those since the last boundary. */
  private readonly others = new Map<string, string[]>();
  private newOthers: [string, string][] = [];
  private readonly begun = new Set<string>();
  /** Artifacts that had begun and that a later snapshot does not have. */
  private missing: string[] = [];
  /** Artifacts that began anew: their messages have other keys. */
  private readonly versions = new Map<string, number>();

  /** @param shown what `shown` was at the end of the exchange before */
  constructor(shown: unknown) {
    this.before = new Map(shownIn(shown));
  }

  /** What the next boundary keeps. */
  takeTold(): JsonObject {
    const told = { artifacts: shownJson(this.newlyTold), others: this.newOthers, hasContent: this.hasContent };
    this.newlyTold = new Map();
    this.newOthers = [];
    return told;
  }

  /** Continues with what a boundary has kept. */
  restore({ artifacts, others, hasContent }: JsonObject): void {
    for (const [id, shown] of shownIn(artifacts)) this.told.set(id, shown);
    for (const [id, print] of (others ?? []) as [string, string][]) this.othersOf(id).push(print);
    this.hasContent ||= hasContent === true;
  }

  /** What was shown of all artifacts of the task. */
  shown(writer: RemoteWriter): Json {
    const open = [...this.others.keys()].filter((id) => !this.told.has(id));
    const own = open.map((id) => [id, withPiece(this.before.get(id), this.pieceOf(id, writer))] as const);
    return shownJson(new Map([...this.before, ...own, ...this.told]));
  }

  /** All artifacts as the task has them. @param mayLose what has begun and is not there may be lost @param isOver they are whole */
  all(
    artifacts: readonly Fields[],
    writer: RemoteWriter,
    { mayLose, isOver }: { readonly mayLose: boolean; readonly isOver: boolean },
  ): void {
    const present = artifacts.map((one) => textAt(one, 'artifactId') ?? '');
    if (mayLose) this.missing = [...this.begun].filter((id) => !present.includes(id) && !this.told.has(id));
    for (const id of present) this.begin(id, writer);
    for (const artifact of artifacts) {
      this.snapshot(artifact, writer);
      if (isOver) this.close(textAt(artifact, 'artifactId') ?? '', writer);
    }
  }

  /** Notes that an artifact has begun: a new one is in place of those that the server has lost. */
  begin(id: string, writer: RemoteWriter): void {
    this.missing = this.missing.filter((one) => one !== id);
    if (!this.begun.has(id) && !this.told.has(id))
      for (const gone of this.missing.splice(0)) this.discard(gone, writer);
    this.begun.add(id);
  }

  /** Another Parley has lost a worker and goes on without the artifact that this one had begun. */
  discard(id: string, writer: RemoteWriter): void {
    // It is closed before it is taken back.
    if (this.newlyTold.delete(id)) this.told.delete(id);
    if (this.told.has(id)) return;
    writer.discard(new Set([this.keyOf(id)]));
    this.begun.delete(id);
    this.beginAnew(id);
    this.hasContent = this.told.size > 0 || this.begun.size > 0;
  }

  /** The whole of an artifact: it goes on with what was shown, or begins anew. */
  snapshot(artifact: Fields, writer: RemoteWriter): void {
    const id = textAt(artifact, 'artifactId') ?? '';
    if (this.told.has(id)) return;
    const parts = objectsAt(artifact, 'parts');
    const behind = partsBehind(this.before.get(id), this.pieceOf(id, writer), parts);
    if (!behind) {
      writer.end(this.keyOf(id));
      this.beginAnew(id);
    }
    this.add(id, behind ?? parts, writer);
  }

  /** Further parts of an artifact. */
  add(id: string, parts: readonly Fields[], writer: RemoteWriter): void {
    if (this.told.has(id)) return;
    const others = this.othersOf(id);
    for (const part of parts) {
      const text = pieceAt(part, 'text');
      const content = text === undefined ? contentOf(part) : undefined;
      if (text !== undefined) writer.text(this.keyOf(id), 'text', text);
      if (content) {
        const print = printOf(part);
        others.push(print);
        this.newOthers.push([id, print]);
        writer.contents([content], this.keyOf(id));
      }
      this.hasContent ||= text !== undefined || content !== undefined;
    }
  }

  /** An artifact is whole. */
  close(id: string, writer: RemoteWriter): void {
    if (this.told.has(id)) return;
    writer.end(this.keyOf(id));
    const shown = withPiece(this.before.get(id), this.pieceOf(id, writer));
    this.told.set(id, shown);
    this.newlyTold.set(id, shown);
  }

  /** The key of an artifact's message at the writer. */
  keyOf(id: string): string {
    return `a:${id}:${this.versions.get(id) ?? 0}`;
  }

  /** Nothing is known of what an artifact has. */
  private beginAnew(id: string): void {
    this.versions.set(id, (this.versions.get(id) ?? 0) + 1);
    this.before.delete(id);
    this.others.delete(id);
  }

  private othersOf(id: string): string[] {
    const others = this.others.get(id) ?? [];
    this.others.set(id, others);
    return others;
  }

  /** What this exchange has shown of an artifact that is not told whole. */
  private pieceOf(id: string, writer: RemoteWriter): ShownPiece {
    return { text: writer.told(this.keyOf(id)) ?? '', others: this.othersOf(id) };
  }
}
