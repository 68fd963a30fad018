import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AgentTool, ToolAnswer, type ToolContext, ToolError } from '../agent/tools/index.js';
import type { UiHints } from '../ui-schema/index.js';

interface GetWeatherArgs {
  readonly city?: string;
  readonly location?: string;
  readonly unit?: 'celsius' | 'fahrenheit';
}

/** Invented weather. */
interface WeatherSample {
  readonly condition: string;
  readonly celsius: number;
  readonly humidityPercent: number;
  readonly windKmh: number;
}

/** The content of a weather card. */
interface ShownWeather {
  readonly city: string;
  readonly condition: string;
  readonly temperature: number;
  readonly unit: 'celsius' | 'fahrenheit';
  readonly humidity_percent: number;
  readonly wind_kmh: number;
  readonly note: string;
}

const CONDITIONS = ['sunny', 'partly cloudy', 'cloudy', 'light rain', 'heavy rain', 'snow', 'fog', 'windy'] as const;
const COLDEST = -5;
const SPAN = 38;

/** `get_weather`: invented weather for demos. Every answer is marked as sample data. */
@Injectable()
export class WeatherTool {
  @AgentTool({
    name: 'get_weather',
    description: 'Get the current weather of a city. Returns sample data, not a real observation.',
    effects: 'none',
    parameters: {
      type: 'object',
      properties: {
        city: { type: 'string', minLength: 1, maxLength: 200, description: 'Name of the city, for example "Beijing"' },
        location: { type: 'string', minLength: 1, maxLength: 200, description: 'The same as city' },
        unit: {
          type: 'string',
          enum: ['celsius', 'fahrenheit'],
          description: 'Unit of the temperature, default celsius',
        },
      },
    },
  })
  async getWeather({ city, location, unit = 'celsius' }: GetWeatherArgs, context: ToolContext): Promise<ToolAnswer> {
    const place = (city ?? location ?? '').trim();
    if (place === '') throw new ToolError('Name the city in "city".');
    const { celsius, ...sample } = weatherSample(place);
    const answer = {
      city: place,
      condition: sample.condition,
      temperature: unit === 'celsius' ? celsius : Math.round((celsius * 9) / 5 + 32),
      unit,
      humidity_percent: sample.humidityPercent,
      wind_kmh: sample.windKmh,
      note: 'This is sample data, not a real observation.',
    };
    return new ToolAnswer(answer, weatherCard(answer, context.locale));
  }
}

/** Derives the weather of a place from its name: always the same, in any letter case. */
function weatherSample(place: string): WeatherSample {
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

/** The weather as a card, in Chinese for users who chose it, otherwise in English. */
function weatherCard(weather: ShownWeather, locale: string | null): UiHints {
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
