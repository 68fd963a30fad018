/** Cities that are recognised anywhere in a text, with their time zones. */
const CITIES: readonly (readonly [string, string])[] = [
  ['Paris', 'Europe/Paris'],
  ['London', 'Europe/London'],
  ['Berlin', 'Europe/Berlin'],
  ['Munich', 'Europe/Berlin'],
  ['Madrid', 'Europe/Madrid'],
  ['Rome', 'Europe/Rome'],
  ['Vienna', 'Europe/Vienna'],
  ['Zurich', 'Europe/Zurich'],
  ['Amsterdam', 'Europe/Amsterdam'],
  ['Lisbon', 'Europe/Lisbon'],
  ['Moscow', 'Europe/Moscow'],
  ['Istanbul', 'Europe/Istanbul'],
  ['Cairo', 'Africa/Cairo'],
  ['Nairobi', 'Africa/Nairobi'],
  ['Dubai', 'Asia/Dubai'],
  ['Mumbai', 'Asia/Kolkata'],
  ['Delhi', 'Asia/Kolkata'],
  ['Singapore', 'Asia/Singapore'],
  ['Hong Kong', 'Asia/Hong_Kong'],
  ['Beijing', 'Asia/Shanghai'],
  ['Shanghai', 'Asia/Shanghai'],
  ['Hangzhou', 'Asia/Shanghai'],
  ['Shenzhen', 'Asia/Shanghai'],
  ['Tokyo', 'Asia/Tokyo'],
  ['Osaka', 'Asia/Tokyo'],
  ['Seoul', 'Asia/Seoul'],
  ['Sydney', 'Australia/Sydney'],
  ['Melbourne', 'Australia/Melbourne'],
  ['Auckland', 'Pacific/Auckland'],
  ['New York', 'America/New_York'],
  ['Boston', 'America/New_York'],
  ['Chicago', 'America/Chicago'],
  ['Denver', 'America/Denver'],
  ['Los Angeles', 'America/Los_Angeles'],
  ['San Francisco', 'America/Los_Angeles'],
  ['Seattle', 'America/Los_Angeles'],
  ['Toronto', 'America/Toronto'],
  ['Sao Paulo', 'America/Sao_Paulo'],
  ['北京', 'Asia/Shanghai'],
  ['上海', 'Asia/Shanghai'],
  ['杭州', 'Asia/Shanghai'],
  ['深圳', 'Asia/Shanghai'],
  ['广州', 'Asia/Shanghai'],
  ['成都', 'Asia/Shanghai'],
  ['香港', 'Asia/Hong_Kong'],
  ['东京', 'Asia/Tokyo'],
  ['巴黎', 'Europe/Paris'],
  ['伦敦', 'Europe/London'],
  ['柏林', 'Europe/Berlin'],
  ['纽约', 'America/New_York'],
];

const AFTER_PREPOSITION = /\b(?:in|for|at|of|between)\s+([\p{L}][^?!;\n。？！]*)/giu;
const NOT_PLACES =
  /^(?:the|a|an|my|your|this|that|me|us|it|today|tomorrow|tonight|now|celsius|fahrenheit|degrees?|what|which|weather|temperature|forecast|time|date|week|weekend|morning|afternoon|evening|moment|please|here|there|general|detail|advance|thinking)\b/i;
const PHRASE_END =
  /\s(?:today|tomorrow|tonight|now|right now|this|next|please|with|using|by|in|on|at|for|is|like|look|when|and (?:what|which|the|tell|then|show|also|how|give|say|call|think|time|current)|step by step|slowly)\b.*$/i;

/** The places a text asks about, in its order and without doubles. */
export function placesIn(text: string): readonly string[] {
  const named = [...text.matchAll(AFTER_PREPOSITION)].flatMap((match) => splitPlaces(match[1] ?? ''));
  const places = named.length > 0 ? named : [...knownCities(text), ...chinesePlaces(text)];
  const seen = new Set<string>();
  return places.filter((place) => !seen.has(place.toLowerCase()) && seen.add(place.toLowerCase()));
}

/** The IANA time zones a text names, itself or by a city. */
export function timeZonesIn(text: string): readonly string[] {
  const named = text.match(/\b(?:[A-Z][A-Za-z]+\/[A-Z][A-Za-z_]+(?:\/[A-Z][A-Za-z_]+)?|UTC|GMT)\b/g) ?? [];
  const zones = named.filter(isTimeZone);
  const cities =
    zones.length > 0 ? [] : knownCities(text).map((name) => CITIES.find(([city]) => city === name)?.[1] ?? 'UTC');
  return [...new Set([...zones, ...cities])];
}

/** True for a time zone that this machine's tables know. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function splitPlaces(phrase: string): readonly string[] {
  const end = phrase.replace(/\.(?:\s.*)?$/, '').replace(PHRASE_END, '');
  return end
    .split(/\s*(?:,|&|\/|\band\b|\bor\b|\bvs\.?|、|和|与)\s*/i)
    .map((place) =>
      place
        .replace(/^the (?:city of )?/i, '')
        .replace(/[\s."”']+$/, '')
        .trim(),
    )
    .filter(
      (place) => place.length > 1 && place.length <= 40 && place.split(' ').length <= 4 && !NOT_PLACES.test(place),
    );
}

function knownCities(text: string): readonly string[] {
  return CITIES.map(([city]) => ({
    city,
    at: text.toLowerCase().search(new RegExp(/^\w/.test(city) ? `\\b${city.toLowerCase()}\\b` : city)),
  }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)
    .map(({ city }) => city);
}

function chinesePlaces(text: string): readonly string[] {
  if (knownCities(text).length > 0) return [];
  const phrase = /([\p{Script=Han}、]{2,16}?)(?:的|今天|明天|现在)*(?:天气|气温)/u.exec(text)?.[1] ?? '';
  return phrase
    .replace(/^(?:请问|请|帮我|查询|查|看看|告诉我|一下|今天|明天|现在)+/u, '')
    .split(/[、和与]/u)
    .filter((place) => place.length >= 2);
}
