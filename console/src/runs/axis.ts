const MOST_TICKS = 6;
const STEPS = [1, 2, 5];

/** The round times of an axis, in milliseconds from its beginning: at most six, the first is 0. */
export function ticks(length: number): readonly number[] {
  const step = stepFor(length / MOST_TICKS);
  const times = [];
  for (let time = 0; time <= length && times.length < MOST_TICKS; time += step) times.push(time);
  return times;
}

/** The smallest of 1, 2, 5, 10, 20, 50, … that is not below the least. */
function stepFor(least: number): number {
  for (let power = 1; ; power *= 10) {
    const step = STEPS.find((one) => one * power >= least);
    if (step !== undefined) return step * power;
  }
}
