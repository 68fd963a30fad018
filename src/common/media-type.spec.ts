import { typeOfAddress, typeOfAudio, typeOfName } from './media-type.js';

describe('media types', () => {
  it('of names are those of their ends', () => {
    expect(['a.PNG', 'report #3.pdf', 'a.png.exe', 'png', ''].map(typeOfName)).toEqual([
      'image/png',
      'application/pdf',
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('of addresses are those of their paths', () => {
    expect(['https://a.example/b.jpg?c=d.pdf#e.csv', 'https://a.example/'].map(typeOfAddress)).toEqual([
      'image/jpeg',
      undefined,
    ]);
  });

  it('of audio follow from the format', () => {
    expect([null, 'mp3', 'flac'].map(typeOfAudio)).toEqual(['audio/*', 'audio/mpeg', 'audio/flac']);
  });
});
