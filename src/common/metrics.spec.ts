import { Histogram, Labelled, LABEL_VALUES, Metrics } from './metrics.js';

describe('metrics', () => {
  it('a histogram counts a value in the first bucket that reaches it', () => {
    const histogram = new Histogram([1, 2, 5]);
    for (const value of [0.5, 1, 1.5, 5, 6]) histogram.observe(value);
    expect(histogram.counts).toEqual([2, 1, 1, 1]);
    expect(histogram.sum).toBe(14);
  });

  it('a label has at most fifty values, then the value other', () => {
    const counters = new Metrics().counters({ name: 'n', help: 'h', labels: ['tool', 'outcome'] });
    for (let index = 0; index < 2 * LABEL_VALUES; index += 1) counters.with(`tool${index}`, 'ok').add();
    expect(counters.members.size).toBe(LABEL_VALUES + 1);
    expect(counters.with('tool0', 'ok').value).toBe(1);
    expect(counters.with('tool99', 'ok').value).toBe(LABEL_VALUES);
    expect(counters.with('tool99', 'ok')).toBe(counters.with('other', 'ok'));
    expect(counters.with('tool99', 'failed').value).toBe(0);
  });

  it('the same values give the same member', () => {
    const made = new Labelled(['a', 'b'], () => ({}));
    expect(made.with('x', 'y')).toBe(made.with('x', 'y'));
    expect(made.with('x', 'y')).not.toBe(made.with('y', 'x'));
  });

  it('two metrics of one name are refused', () => {
    const metrics = new Metrics();
    metrics.counter({ name: 'n', help: 'h' });
    expect(() => metrics.gauge({ name: 'n', help: 'h' }, () => 1)).toThrow('There are two metrics n');
  });
});
