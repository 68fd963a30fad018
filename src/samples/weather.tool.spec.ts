import type { ToolContext } from '../agent/tools/index.js';
import { WeatherTool } from './weather.tool.js';

const context = { locale: null } as unknown as ToolContext;

describe('get_weather', () => {
  const tool = new WeatherTool();

  it('a city has the same weather each time, marked as sample data', async () => {
    const { value } = await tool.getWeather({ city: 'Beijing' }, context);
    expect(value).toMatchObject({
      city: 'Beijing',
      unit: 'celsius',
      note: expect.stringContaining('sample data') as string,
    });
    expect((await tool.getWeather({ location: 'Beijing' }, context)).value).toEqual(value);
    const imperial = await tool.getWeather({ city: 'Beijing', unit: 'fahrenheit' }, context);
    expect(imperial.value).toMatchObject({ unit: 'fahrenheit' });
  });

  it('a call without a city is refused', async () => {
    await expect(tool.getWeather({}, context)).rejects.toThrow('Name the city');
  });
});
