import { startTestHost, type Route, type TestHost } from './test-host';

/** A test host that counts the requests it has under way at once. */
export interface BusyHost extends TestHost {
  /** Most requests under way at once so far. */
  readonly peak: () => number;
}

/** Starts a host that answers every request with `answer` when `ready` says so. */
export async function startBusyHost(ready: () => Promise<unknown>, answer: Route): Promise<BusyHost> {
  let underWay = 0;
  let peak = 0;
  const host = await startTestHost({
    '*': (request, response) => {
      underWay += 1;
      peak = Math.max(peak, underWay);
      response.once('close', () => (underWay -= 1));
      void ready().then(() => {
        answer(request, response);
      });
    },
  });
  return Object.assign(host, { peak: () => peak });
}
