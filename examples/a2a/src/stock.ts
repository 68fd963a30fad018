import { Injectable } from '@nestjs/common';

/** What the warehouse has. */
export const ARTICLES = ['lamps', 'chairs'] as const;

/** Stands for the database of the warehouse. A reservation whose key it has seen is made once. */
@Injectable()
export class Stock {
  private readonly free = new Map<string, number>([
    ['lamps', 12],
    ['chairs', 4],
  ]);
  private readonly keys = new Set<string>();

  /** How many pieces of each article are free. */
  get left(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.free);
  }

  /** Reserves some pieces. @returns false if there are not as many */
  reserve(key: string, article: string, quantity: number): boolean {
    if (this.keys.has(key)) return true;
    const left = (this.free.get(article) ?? 0) - quantity;
    if (left < 0) return false;
    this.keys.add(key);
    this.free.set(article, left);
    return true;
  }
}
