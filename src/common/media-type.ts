/** The media types of files, by the ends of their names. */
const TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  heic: 'image/heic',
  svg: 'image/svg+xml',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  ogg: 'audio/ogg',
  mp4: 'video/mp4',
  webm: 'video/webm',
  pdf: 'application/pdf',
  txt: 'text/plain',
  csv: 'text/csv',
  json: 'application/json',
};

/** The media type that the name of a file ends with; undefined if it is not known. */
export function typeOfName(name: string): string | undefined {
  return TYPES[/\.([a-z0-9]{1,5})$/i.exec(name)?.[1]?.toLowerCase() ?? ''];
}

/** The media type that the path of an address ends with; undefined if it is not known. */
export function typeOfAddress(url: string): string | undefined {
  return typeOfName(url.replace(/[?#].*$/s, ''));
}

/** The media type of an audio format, such as `mp3`; the range `audio/*` without one. */
export function typeOfAudio(format: string | null): string {
  return format === null ? 'audio/*' : (TYPES[format] ?? `audio/${format}`);
}
