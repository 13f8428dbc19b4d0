import { startTestHost, type Route, type TestHost } from './test-host';

/** A test host that counts its concurrent requests. */
export interface BusyHost extends TestHost {
  /** The maximum number of concurrent requests so far. */
  readonly peak: () => number;
}

/** Starts a host that answers every request with `answer` after `ready` resolves. */
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
