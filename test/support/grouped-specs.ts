/**
 * Runs spec files one after the other as parts of one: each in a `describe` of its path, with the environment, timers and functions
 * as they were before the one before it.
 */
export function runSpecs(paths: readonly string[]): void {
  for (const path of paths)
    describe(path, () => {
      let environment: NodeJS.ProcessEnv;
      let fetchBefore: typeof fetch;
      beforeAll(() => {
        environment = { ...process.env };
        fetchBefore = globalThis.fetch;
      });
      try {
        jest.requireActual(path);
      } catch (error) {
        it('is loaded', () => {
          throw error;
        });
      }
      afterAll(() => {
        for (const name of Object.keys(process.env))
          if (!(name in environment)) Reflect.deleteProperty(process.env, name);
        Object.assign(process.env, environment);
        globalThis.fetch = fetchBefore;
        jest.useRealTimers();
        jest.restoreAllMocks();
      });
    });
}
