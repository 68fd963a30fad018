/** A moment as a clock on the wall of a zone shows it. */
export interface LocalTime {
  /** RFC 3339 with the zone's offset, whole seconds. */
  readonly iso: string;
  readonly date: string;
  readonly time: string;
  readonly weekday: string;
}

/** @param epochMs milliseconds since the epoch @param timeZone a valid IANA zone */
export function localTime(epochMs: number, timeZone: string): LocalTime {
  const parts = new Map(
    new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      weekday: 'long',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      timeZoneName: 'longOffset',
    })
      .formatToParts(epochMs)
      .map((part) => [part.type, part.value] as const),
  );
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? '';
  const date = `${part('year')}-${part('month')}-${part('day')}`;
  const time = `${part('hour')}:${part('minute')}:${part('second')}`;
  const offset = part('timeZoneName').replace('GMT', '') || '+00:00';
  return { iso: `${date}T${time}${offset}`, date, time, weekday: part('weekday') };
}
