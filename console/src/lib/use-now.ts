import { useEffect, useState } from 'react';

/** The time, in milliseconds since the epoch, read again after each period. @param periodMs undefined: read once */
export function useNow(periodMs: number | undefined): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (periodMs === undefined) return undefined;
    const timer = setInterval(() => setNow(Date.now()), periodMs);
    return () => clearInterval(timer);
  }, [periodMs]);
  return now;
}
