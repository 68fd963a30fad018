import { collectDefaultMetrics, type Metric as PrometheusMetric, Registry } from 'prom-client';
import type { GaugeValues, Histogram, Metric, Metrics } from '../../common/index.js';

/** Metrics of prom-client whose names break the rules of Prometheus: gauges that end in `_total`. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** A registry of all metrics that are declared so far, and of those of Node.js and the process. */
export function prometheusRegistry(metrics: Metrics): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  for (const metric of metrics.all) registry.registerMetric(new ReadMetric(metric) as unknown as PrometheusMetric);
  return registry;
}

/** One number of a metric, as prom-client writes it. */
interface Sample {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric in the form that prom-client reads: the numbers are taken from their plain fields at each reading. */
class ReadMetric {
  readonly name: string;
  readonly help: string;
  readonly type: Metric['type'];
  readonly aggregator = 'sum';

  constructor(private readonly metric: Metric) {
    this.name = metric.name;
    this.help = metric.help;
    this.type = metric.type;
  }

  /** Called by prom-client at each reading. */
  async get(): Promise<Pick<ReadMetric, 'name' | 'help' | 'type' | 'aggregator'> & { values: readonly Sample[] }> {
    const { name, help, type, aggregator } = this;
    return { name, help, type, aggregator, values: await this.samples() };
  }

  private async samples(): Promise<readonly Sample[]> {
    const { metric } = this;
    switch (metric.type) {
      case 'counter':
        return [...metric.members()].map(([values, { value }]) => ({ labels: this.labelled(values), value }));
      case 'histogram':
        return [...metric.members()].flatMap(([values, histogram]) => this.buckets(this.labelled(values), histogram));
      case 'gauge':
        return this.gauge(await readGauge(metric.read));
    }
  }

  private gauge(read: GaugeValues): readonly Sample[] {
    if (read === undefined) return [];
    if (typeof read === 'number') return [{ labels: {}, value: read }];
    return read.map(([values, value]) => ({ labels: this.labelled(values), value }));
  }

  private buckets(labels: Readonly<Record<string, string>>, { bounds, counts, sum }: Histogram): readonly Sample[] {
    let below = 0;
    const samples = counts.map((count, index): Sample => {
      below += count;
      const le = bounds[index] === undefined ? '+Inf' : String(bounds[index]);
      return { metricName: `${this.name}_bucket`, labels: Object.assign({}, labels, { le }), value: below };
    });
    return [
      ...samples,
      { metricName: `${this.name}_sum`, labels, value: sum },
      { metricName: `${this.name}_count`, labels, value: below },
    ];
  }

  private labelled(values: readonly string[]): Readonly<Record<string, string>> {
    return Object.fromEntries(this.metric.labels.map((label, index) => [label, values[index] ?? '']));
  }
}

/** How long a gauge may take that asks the database, in milliseconds: a reading must not hang with it. */
const GAUGE_TIMEOUT_MS = 2000;

/** Undefined for a gauge that cannot be read now: it is left out. */
async function readGauge(read: () => GaugeValues | Promise<GaugeValues>): Promise<GaugeValues> {
  let timer: NodeJS.Timeout | undefined;
  try {
    const reading = read();
    if (!(reading instanceof Promise)) return reading;
    const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), GAUGE_TIMEOUT_MS)));
    return await Promise.race([reading, late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
