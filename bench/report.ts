/** One line of the report. */
export interface Line {
  readonly id: string;
  readonly scenario: string;
  readonly target: string;
  readonly reached: string;
  readonly met: boolean;
  /** All rounds, and other circumstances. */
  readonly notes?: string;
}

/** A limit that fails the run. */
export interface Gate {
  readonly name: string;
  readonly value: number;
  readonly least?: number;
  readonly most?: number;
}

/** A baseline that differs by more than this between its own rounds measures the machine, not the code. */
const SPREAD_LIMIT = 2;

/** What scenarios are measured on: processes that they share, and the report of the results. */
export interface Bench {
  readonly report: Report;
  /** Called before each scenario. */
  begin?(scenario: string): void;
  /** Called after the last scenario. */
  stop?(): Promise<void>;
}

/** What a run of the benchmark has found, and the limits it is checked against. */
export class Report {
  private readonly lines: Line[] = [];
  private readonly gates: Gate[] = [];
  private largestSpread = 1;

  /** Adds a line and prints it. */
  add(line: Line): void {
    this.lines.push(line);
    console.log(
      `${line.id.padEnd(4)} ${line.met ? 'met   ' : 'MISSED'} ${line.scenario}: ${line.reached} (target ${line.target})`,
    );
    if (line.notes) console.log(`            ${line.notes}`);
  }

  gate(gate: Gate): void {
    this.gates.push(gate);
  }

  /** Takes note of the rounds of a baseline: how far they differ decides whether the run has a verdict. */
  baseline(rounds: readonly number[]): void {
    this.largestSpread = Math.max(this.largestSpread, spread(rounds));
  }

  /** Prints the lines as the rows of a Markdown table. */
  printTable(): void {
    console.log('\n| id | scenario | target | reached | |\n|---|---|---|---|---|');
    for (const { id, scenario, target, reached, met } of this.lines) {
      console.log(`| ${id} | ${scenario} | ${target} | ${reached} | ${met ? 'met' : 'missed'} |`);
    }
    console.log();
  }

  /** Prints the verdict. Returns the exit code: 1 if a gate failed and the machine was steady enough to tell. */
  verdict(): number {
    const missed = this.lines.filter(({ met }) => !met);
    console.log(`${this.lines.length - missed.length} of ${this.lines.length} targets met`);
    if (this.largestSpread > SPREAD_LIMIT) {
      console.log(`inconclusive: the baseline's own rounds differ by ${this.largestSpread.toFixed(1)}x`);
      return 0;
    }
    const failed = this.gates.filter(isFailed);
    for (const { name, value, least, most } of failed) {
      const limit = least === undefined ? `at most ${most}` : `at least ${least}`;
      console.log(`gate failed: ${name} is ${value.toFixed(2)}, must be ${limit}`);
    }
    if (failed.length === 0) console.log(`${this.gates.length} gates passed`);
    return failed.length === 0 ? 0 : 1;
  }
}

function isFailed({ value, least, most }: Gate): boolean {
  return !(value >= (least ?? -Infinity) && value <= (most ?? Infinity));
}

/** The value below which this part of the values lies. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? NaN;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The quotient of the largest and the smallest round. */
export function spread(rounds: readonly number[]): number {
  return Math.max(...rounds) / Math.min(...rounds);
}

/** The median of some rounds with the smallest and the largest. */
export function range(rounds: readonly number[], digits = 0): string {
  const [low, high] = [Math.min(...rounds), Math.max(...rounds)];
  return `${median(rounds).toFixed(digits)} (${low.toFixed(digits)} to ${high.toFixed(digits)})`;
}

export const times = (value: number): string => `${value.toFixed(2)}x`;
