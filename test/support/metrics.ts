import { MetricsServer } from '../../src/telemetry/index.js';
import type { TestServer } from './server.js';

/** What a reading of `/metrics` shows. */
export class MetricsPage {
  private readonly samples = new Map<string, number>();

  constructor(
    /** As Prometheus reads it. */
    readonly text: string,
  ) {
    for (const line of text.split('\n')) {
      const match = /^([a-z_0-9]+)(?:\{(.*)\})? (\S+)$/.exec(line);
      if (match) this.samples.set(keyOf(match[1] ?? '', match[2] ?? ''), Number(match[3]));
    }
  }

  /** Reads the metrics of a server that was started with `METRICS_PORT: '0'`. */
  static async of(server: TestServer): Promise<MetricsPage> {
    const response = await fetch(`http://127.0.0.1:${server.get(MetricsServer).port}/metrics`);
    if (!response.ok) throw new Error(`/metrics answered ${response.status}`);
    return new MetricsPage(await response.text());
  }

  /** The value of a sample; undefined if there is none. */
  value(name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
    return this.samples.get(
      keyOf(
        name,
        Object.entries(labels)
          .map(([key, value]) => `${key}="${value}"`)
          .join(','),
      ),
    );
  }

  /** The names of all metrics. */
  get names(): readonly string[] {
    return [...this.text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name);
  }

  /** The names of all labels. */
  get labels(): ReadonlySet<string> {
    return new Set([...this.text.matchAll(/[{,]([a-z_]+)="/g)].map(([, label = '']) => label));
  }
}

function keyOf(name: string, labels: string): string {
  return `${name}{${labels
    .split(/,(?=[a-z_]+=")/)
    .sort()
    .join(',')}}`;
}
