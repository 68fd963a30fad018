/** The limits of a compiled schema (contract runs-api, section 9). */
export const UI_LIMITS = {
  /** Levels of nodes, the root included. */
  depth: 6,
  /** Nodes of the whole tree. */
  nodes: 200,
  /** Code points of one text. */
  text: 4000,
  /** Buttons of the whole tree. */
  actions: 8,
  /** Pairs of a `kv`, rows and columns of a table. */
  entries: 100,
} as const;

const MOST_WARNINGS = 20;

/** What one compilation may still use, and what it had to leave out. */
export class CompileBudget {
  readonly warnings: string[] = [];
  private nodes = 0;
  private actions = 0;

  /** True when one more node is allowed on this level; the root is level 1. */
  takeNode(level: number): boolean {
    if (level > UI_LIMITS.depth) return this.refuse(`nodes below level ${UI_LIMITS.depth}`);
    if (this.nodes >= UI_LIMITS.nodes) return this.refuse(`more than ${UI_LIMITS.nodes} nodes`);
    this.nodes += 1;
    return true;
  }

  /** Gives a node back that turned out to be nothing. */
  returnNode(): void {
    this.nodes -= 1;
  }

  takeAction(): boolean {
    if (this.actions >= UI_LIMITS.actions) return this.refuse(`more than ${UI_LIMITS.actions} actions`);
    this.actions += 1;
    return true;
  }

  /** Notes what was left out, each thing once. */
  refuse(what: string): false {
    const sentence = `Left out: ${what}`;
    if (this.warnings.length < MOST_WARNINGS && !this.warnings.includes(sentence)) this.warnings.push(sentence);
    return false;
  }
}
