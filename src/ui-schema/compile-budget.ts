/** The limits of a compiled schema (contract runs-api, section 9). */
export const UI_LIMITS = {
  /** Levels of nodes, including the root. */
  depth: 6,
  /** Nodes in the whole tree. */
  nodes: 200,
  /** Code points in one text. */
  text: 4000,
  /** Buttons in the whole tree. */
  actions: 8,
  /** Pairs in a `kv`, rows and columns in a table. */
  entries: 100,
} as const;

/** Warnings of one compilation: hints can break the limits any number of times. */
const MOST_WARNINGS = 20;

/** Tracks what one compilation has used of its limits and what it left out. */
export class CompileBudget {
  /** Sentences about what was left out, in the order in which it was found. */
  readonly warnings: string[] = [];
  private nodes = 0;
  private actions = 0;

  /** Counts a node and returns true if the limits allow one more on this level. The root is level 1. */
  takeNode(level: number): boolean {
    if (level > UI_LIMITS.depth) return this.refuse(`nodes below level ${UI_LIMITS.depth}`);
    if (this.nodes >= UI_LIMITS.nodes) return this.refuse(`more than ${UI_LIMITS.nodes} nodes`);
    this.nodes += 1;
    return true;
  }

  /** Undoes `takeNode` for a node that was not made. */
  returnNode(): void {
    this.nodes -= 1;
  }

  /** Counts a button and returns true if the limits allow one more. */
  takeAction(): boolean {
    if (this.actions >= UI_LIMITS.actions) return this.refuse(`more than ${UI_LIMITS.actions} actions`);
    this.actions += 1;
    return true;
  }

  /** Records a warning about something that was left out, each one once. */
  refuse(what: string): false {
    const sentence = `Left out: ${what}`;
    if (this.warnings.length < MOST_WARNINGS && !this.warnings.includes(sentence)) this.warnings.push(sentence);
    return false;
  }
}
