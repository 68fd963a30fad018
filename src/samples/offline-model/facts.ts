const CAPITALS: Readonly<Record<string, string>> = {
  france: 'Paris',
  germany: 'Berlin',
  italy: 'Rome',
  spain: 'Madrid',
  portugal: 'Lisbon',
  china: 'Beijing',
  japan: 'Tokyo',
  india: 'New Delhi',
  'the united kingdom': 'London',
  'the uk': 'London',
  england: 'London',
  'the united states': 'Washington, D.C.',
  'the usa': 'Washington, D.C.',
  canada: 'Ottawa',
  australia: 'Canberra',
  brazil: 'Brasília',
  egypt: 'Cairo',
};
const CAPITALS_ZH: Readonly<Record<string, string>> = {
  法国: '巴黎',
  德国: '柏林',
  意大利: '罗马',
  中国: '北京',
  日本: '东京',
  英国: '伦敦',
  美国: '华盛顿',
};
const OTHERS: readonly (readonly [RegExp, string])[] = [
  [/\blargest planet\b/i, 'The largest planet of the solar system is Jupiter.'],
  [/\bhow many continents\b/i, 'By the usual count there are seven continents.'],
  [/\bboiling point of water\b|\bwater boil/i, 'At sea level water boils at 100 °C.'],
  [/\bspeed of light\b/i, 'The speed of light in vacuum is 299,792,458 metres per second.'],
];

/** Answers the handful of questions that the offline model knows, and simple sums. */
export function answerFact(text: string): string | undefined {
  const country = /\bcapital (?:city )?of ((?:the )?[a-z]+(?: (?:kingdom|states))?)/i.exec(text)?.[1];
  const capital = country && CAPITALS[country.toLowerCase()];
  if (country && capital) return `The capital of ${country} is ${capital}.`;
  const land = /(\p{Script=Han}{2,4}?)的?首都/u.exec(text)?.[1];
  const city = land && CAPITALS_ZH[land];
  if (land && city) return `${land}的首都是${city}。`;
  return OTHERS.find(([pattern]) => pattern.test(text))?.[1] ?? answerSum(text);
}

function answerSum(text: string): string | undefined {
  const number = '(-?\\d{1,12}(?:\\.\\d{1,6})?)';
  const match = new RegExp(
    `${number}\\s*(\\+|-|\\*|x|×|/|÷|plus|minus|times|divided by)\\s*${number}\\s*(?:[=?？.]|$)`,
    'i',
  ).exec(text);
  if (!match) return undefined;
  const [, left = '', operator = '', right = ''] = match;
  const result = calculate(Number(left), operator.toLowerCase(), Number(right));
  return Number.isFinite(result) ? `${left} ${operator} ${right} = ${Number(result.toPrecision(12))}` : undefined;
}

function calculate(left: number, operator: string, right: number): number {
  if (operator === '+' || operator === 'plus') return left + right;
  if (operator === '-' || operator === 'minus') return left - right;
  if (operator === '/' || operator === '÷' || operator === 'divided by') return left / right;
  return left * right;
}
