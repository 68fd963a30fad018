import type { UiHints } from '../../ui-schema/index.js';

/** What a weather card shows. */
interface ShownWeather {
  readonly city: string;
  readonly condition: string;
  readonly temperature: number;
  readonly unit: 'celsius' | 'fahrenheit';
  readonly humidity_percent: number;
  readonly wind_kmh: number;
  readonly note: string;
}

/** The weather as a card, in Chinese for users who chose that, else in English. */
export function weatherCard(weather: ShownWeather, locale: string | null): UiHints {
  const isChinese = /^zh\b/i.test(locale ?? '');
  const [temperature, humidity, wind] = isChinese ? ['气温', '湿度', '风速'] : ['Temperature', 'Humidity', 'Wind'];
  return {
    title: weather.city,
    body: weather.note,
    status: 'info',
    badge: weather.condition,
    fields: [
      { label: temperature ?? '', value: `${weather.temperature} ${weather.unit === 'celsius' ? '°C' : '°F'}` },
      { label: humidity ?? '', value: `${weather.humidity_percent} %` },
      { label: wind ?? '', value: `${weather.wind_kmh} km/h` },
    ],
  };
}
