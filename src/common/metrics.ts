/** How many values of a label are kept apart; those that come later share the value `other`. */
export const LABEL_VALUES = 50;
/** The value of a label beyond `LABEL_VALUES`. */
export const OTHER = 'other';

/** A number that only grows. Adding is one addition; nothing else happens until the metrics are read. */
export class Counter {
  /** The sum so far. */
  value = 0;

  add(amount = 1): void {
    this.value += amount;
  }
}

/** How often values fell into ranges. Observing one is a few comparisons and three additions. */
export class Histogram {
  /** One count for each upper bound, then one for what is above all of them. */
  readonly counts: number[];
  /** The sum of all values. */
  sum = 0;

  /** @param bounds the upper bounds, ascending */
  constructor(readonly bounds: readonly number[]) {
    this.counts = new Array<number>(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    let index = 0;
    const { bounds, counts } = this;
    while (index < bounds.length && value > (bounds[index] as number)) index += 1;
    counts[index] = (counts[index] ?? 0) + 1;
    this.sum += value;
  }
}

/** Counters or histograms that differ in the values of labels. Values come from code or configuration, never from users. */
export class Labelled<Instrument> {
  /** By the values of the labels. */
  readonly members = new Map<string, readonly [values: readonly string[], instrument: Instrument]>();
  private readonly known: readonly Set<string>[];

  constructor(
    readonly labels: readonly string[],
    private readonly make: () => Instrument,
    private readonly most = LABEL_VALUES,
  ) {
    this.known = labels.map(() => new Set());
  }

  /** The member with these values, in the order of the labels. Keep it where it is used often. */
  with(...values: readonly string[]): Instrument {
    const key = values.join('\n');
    return this.members.get(key)?.[1] ?? this.add(values);
  }

  private add(given: readonly string[]): Instrument {
    const values = given.map((value, index) => this.limited(this.known[index] ?? new Set(), value));
    const key = values.join('\n');
    const found = this.members.get(key);
    if (found) return found[1];
    const instrument = this.make();
    this.members.set(key, [values, instrument]);
    return instrument;
  }

  private limited(known: Set<string>, value: string): string {
    if (known.has(value)) return value;
    if (known.size >= this.most) return OTHER;
    known.add(value);
    return value;
  }
}

/** What a gauge shows: one value, or one for each combination of label values. */
export type GaugeValues = number | undefined | readonly (readonly [values: readonly string[], value: number])[];

/** One metric, as it is read. */
export type Metric = { readonly name: string; readonly help: string; readonly labels: readonly string[] } & (
  | { readonly type: 'counter'; readonly members: () => Iterable<readonly [readonly string[], Pick<Counter, 'value'>]> }
  | { readonly type: 'histogram'; readonly members: () => Iterable<readonly [readonly string[], Histogram]> }
  | { readonly type: 'gauge'; readonly read: () => GaugeValues | Promise<GaugeValues> }
);

/** The name of a metric, what it counts, and its labels. */
interface MetricOptions {
  /** As Prometheus shows it, with its unit: `parley_run_duration_seconds`. */
  readonly name: string;
  /** One sentence. */
  readonly help: string;
}

interface LabelledOptions extends MetricOptions {
  readonly labels: readonly string[];
  /** How many values of a label are kept apart. Default `LABEL_VALUES`. */
  readonly most?: number;
}

/**
 * The metrics of this process. Features declare theirs here and count in plain fields, also while nobody reads them;
 * `telemetry` shows them to Prometheus.
 */
export class Metrics {
  private readonly byName = new Map<string, Metric>();

  /** All metrics, in the order of their declaration. */
  get all(): readonly Metric[] {
    return [...this.byName.values()];
  }

  /** @throws TypeError if the name is taken */
  counter(options: MetricOptions): Counter {
    const counter = new Counter();
    this.add({ ...options, labels: [], type: 'counter', members: () => [[[], counter]] });
    return counter;
  }

  /** A count that is kept elsewhere. @param read the sum so far @throws TypeError if the name is taken */
  countedElsewhere(options: MetricOptions, read: () => number): void {
    this.add({ ...options, labels: [], type: 'counter', members: () => [[[], { value: read() }]] });
  }

  /** @throws TypeError if the name is taken */
  counters({ labels, most, ...options }: LabelledOptions): Labelled<Counter> {
    const counters = new Labelled(labels, () => new Counter(), most);
    this.add({ ...options, labels, type: 'counter', members: () => counters.members.values() });
    return counters;
  }

  /** @throws TypeError if the name is taken */
  histogram({ bounds, ...options }: MetricOptions & { readonly bounds: readonly number[] }): Histogram {
    const histogram = new Histogram(bounds);
    this.add({ ...options, labels: [], type: 'histogram', members: () => [[[], histogram]] });
    return histogram;
  }

  /** @throws TypeError if the name is taken */
  histograms(options: LabelledOptions & { readonly bounds: readonly number[] }): Labelled<Histogram> {
    const { labels, most, bounds, ...rest } = options;
    const histograms = new Labelled(labels, () => new Histogram(bounds), most);
    this.add({ ...rest, labels, type: 'histogram', members: () => histograms.members.values() });
    return histograms;
  }

  /**
   * A value that is read when the metrics are.
   *
   * @param read what it throws leaves the gauge out
   * @throws TypeError if the name is taken
   */
  gauge(
    { labels = [], ...options }: MetricOptions & { readonly labels?: readonly string[] },
    read: () => GaugeValues | Promise<GaugeValues>,
  ): void {
    this.add({ ...options, labels, type: 'gauge', read });
  }

  private add(metric: Metric): void {
    if (this.byName.has(metric.name)) throw new TypeError(`There are two metrics ${metric.name}`);
    this.byName.set(metric.name, metric);
  }
}

/** Upper bounds in seconds, for what takes between a millisecond and ten seconds. */
export const SHORT_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;
/** Upper bounds in seconds, for what takes up to half an hour. */
export const LONG_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800] as const;
