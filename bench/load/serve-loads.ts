/** Makes this process a load of the benchmark: it performs what its parent asks for, and ends with it. */
export function serveLoads<Load, Result>(perform: (load: Load) => Promise<Result>): void {
  process.on('message', ({ id, load }: { id: number; load: Load }) => {
    perform(load).then(
      (result) => process.send?.({ id, result }),
      (error: unknown) =>
        process.send?.({ id, result: { error: error instanceof Error ? error.message : String(error) } }),
    );
  });
  process.on('disconnect', () => process.exit(0));
  process.send?.({ port: 0 });
}
