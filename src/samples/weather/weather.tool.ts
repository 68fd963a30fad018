import { Injectable } from '@nestjs/common';
import { AgentTool, ToolAnswer, type ToolContext, ToolError } from '../../tools/index.js';
import { weatherCard } from './weather-card.js';
import { weatherSample } from './weather-sample.js';

interface GetWeatherArgs {
  readonly city?: string;
  readonly location?: string;
  readonly unit?: 'celsius' | 'fahrenheit';
}

/** `get_weather`: invented weather for trying things out. It says so in every answer. */
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
