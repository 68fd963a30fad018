import { createHash } from 'node:crypto';

/** Invented weather. */
export interface WeatherSample {
  readonly condition: string;
  readonly celsius: number;
  readonly humidityPercent: number;
  readonly windKmh: number;
}

const CONDITIONS = ['sunny', 'partly cloudy', 'cloudy', 'light rain', 'heavy rain', 'snow', 'fog', 'windy'] as const;
const COLDEST = -5;
const SPAN = 38;

/** Invents the weather of a place from its name: always the same, in any letter case. */
export function weatherSample(place: string): WeatherSample {
  const digest = createHash('sha256').update(place.trim().toLowerCase()).digest();
  const celsius = COLDEST + (digest.readUInt8(1) % SPAN);
  const drawn = CONDITIONS[digest.readUInt8(0) % CONDITIONS.length] ?? 'sunny';
  return {
    condition: drawn === 'snow' && celsius > 2 ? 'sunny' : drawn,
    celsius,
    humidityPercent: 30 + (digest.readUInt8(2) % 60),
    windKmh: digest.readUInt8(3) % 40,
  };
}
