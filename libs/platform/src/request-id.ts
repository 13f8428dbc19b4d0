import { AsyncLocalStorage } from 'node:async_hooks';

/** What stands for a request while it is worked on. Callers may give two requests the same id. */
export interface NamedRequest {
  readonly id: string;
}

const current = new AsyncLocalStorage<NamedRequest>();

/** Runs `work`, and whatever it starts, for a request: every log line of it names the id. */
export function workFor<T>(request: NamedRequest, work: () => T): T {
  return current.run(request, work);
}

/** The request something is done for; undefined outside of any. */
export function currentRequest(): NamedRequest | undefined {
  return current.getStore();
}

export function requestId(): string | undefined {
  return current.getStore()?.id;
}
