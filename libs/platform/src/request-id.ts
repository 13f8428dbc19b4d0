import { AsyncLocalStorage } from 'node:async_hooks';

const current = new AsyncLocalStorage<string>();

/** Runs `work`, and whatever it starts, under the id of the request it is done for: every log line of it names the id. */
export function withRequestId<T>(id: string, work: () => T): T {
  return current.run(id, work);
}

/** Id of the request something is done for; undefined outside of any. */
export function requestId(): string | undefined {
  return current.getStore();
}
