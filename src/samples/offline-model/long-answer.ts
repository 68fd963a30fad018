const MOST = 10_000;

/** Long answers to try streaming, cancel and slow readers with: "repeat 500 words", "count to 100". */
export function answerLong(text: string): string | undefined {
  const words =
    /\b(?:repeat|say|write|stream|generate|print|give me)\s+(\d[\d,]*)\s+words?\b|(\d+)\s*个(?:词|单词)/i.exec(text);
  if (words) return series(numberOf(words[1] ?? words[2]), (n) => `word${n}`, 1);
  const times = /\b(?:repeat|say|write)\s+(?:the word\s+)?["“']?([\p{L}\d-]{1,40})["”']?\s+(\d[\d,]*)\s+times\b/iu.exec(
    text,
  );
  if (times) return series(numberOf(times[2]), () => times[1] ?? '', 1);
  const count = /\bcount\s+(?:from\s+(\d{1,9})\s+)?(?:up\s+)?to\s+(\d[\d,]*)|数到\s*(\d+)/i.exec(text);
  if (!count) return undefined;
  const first = count[1] === undefined ? 1 : Number(count[1]);
  return series(numberOf(count[2] ?? count[3]) - first + 1, String, first);
}

/** True when the user wants to watch the answer come. */
export function wantsSlowly(text: string): boolean {
  return /\bslow(?:ly|er)?\b|慢慢|缓慢|慢一?点/i.test(text);
}

function series(length: number, item: (n: number) => string, first: number): string {
  const size = Math.max(1, Math.min(length, MOST));
  const items = Array.from({ length: size }, (_, index) => item(first + index)).join(' ');
  return length > MOST ? `${items}\n\nI stopped at ${MOST}, which is my limit.` : items;
}

function numberOf(digits: string | undefined): number {
  return Number((digits ?? '0').replaceAll(',', ''));
}
