import { unknownVariables } from '@app/config';
import { reasonOf } from './reason';
import { terminal, type Screen } from './screen';
import { readSettings, type Settings } from './settings';
import { startStandalone, type Standalone } from './standalone';

/** Runs the whole service on one machine, for `npm start`. Returns 0 after a request to stop, 1 if a part fails. */
async function main(screen: Screen): Promise<number> {
  const stopping = stopRequests();
  let dataDir = '';
  // Demo hosts and facilitator run in this process. An unhandled rejection of theirs must not stop the service.
  process.on('unhandledRejection', (error) => {
    screen.complain(`unhandled promise rejection: ${reasonOf(error, dataDir)}`);
  });
  try {
    const settings = readSettings(process.env);
    ({ dataDir } = settings);
    for (const sentence of unknownVariables(process.env)) screen.complain(`${sentence}.`);
    const standalone = await startStandalone(settings, screen, stopping.signal);
    const ended = Promise.race([standalone.brokenBy, stopping.asked]);
    await Promise.race([demonstrate(settings, standalone, screen), ended]);
    if (standalone.demoSites.length > 0) screen.say(demoSiteList(standalone));
    screen.say(`\nhostprobe is running at ${standalone.gatewayUrl}. Press Ctrl-C to stop.`);
    const broken = await ended;
    screen.say(broken === null ? '\nStopping …' : `\n${reasonOf(broken, dataDir)}; stopping everything else …`);
    await standalone.stop();
    return broken === null ? 0 : 1;
  } catch (error) {
    if (stopping.signal.aborted) {
      screen.say('\nStopped before the start was complete.');
      return 0;
    }
    screen.complain(reasonOf(error, dataDir));
    return 1;
  }
}

/** Runs the demo, which buys with play money only. Its sites are probed in the background. */
async function demonstrate(settings: Settings, standalone: Standalone, screen: Screen): Promise<void> {
  const { gatewayUrl, demoSites } = standalone;
  const { rpcUrl, wallet } = standalone.money;
  if (!settings.demo || rpcUrl === null || wallet === null) return;
  const { buyDemoRefresh, probeDemoSites } = await import('./demo-purchase.js');
  const buyer = { gatewayUrl, rpcUrl, network: settings.network, wallet };
  await buyDemoRefresh(buyer, screen);
  void probeDemoSites(buyer, demoSites);
}

/** The page of each demo site, and the feature that the site demonstrates. */
function demoSiteList({ gatewayUrl, demoSites }: Standalone): string {
  const width = Math.max(...demoSites.map(({ name }) => name.length));
  const lines = demoSites.map(({ name, shows }) => `  ${gatewayUrl}/hosts/${name.padEnd(width)}  ${shows}`);
  return ['\nDemo sites:', ...lines].join('\n');
}

interface StopRequests {
  readonly signal: AbortSignal;
  /** Settles with null on the first request to stop. */
  readonly asked: Promise<null>;
}

/**
 * Ctrl-C reaches us twice, from the terminal and through npm. A signal counts as a second request only after this
 * time.
 */
const SAME_REQUEST_MS = 1_000;

/** Requests to stop: a signal, or the end of the `npm` that started us. */
function stopRequests(): StopRequests {
  const controller = new AbortController();
  let askedAt: number | undefined;
  const ask = (): void => {
    if (askedAt !== undefined && performance.now() - askedAt > SAME_REQUEST_MS) process.exit(1); // the death watch ends the rest
    askedAt ??= performance.now();
    controller.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, ask);
  const parent = process.ppid;
  if (process.env['npm_lifecycle_event'] !== undefined) {
    setInterval(() => {
      if (process.ppid !== parent && askedAt === undefined) ask();
    }, 1_000).unref();
  }
  return {
    signal: controller.signal,
    asked: new Promise((resolve) => {
      controller.signal.addEventListener('abort', () => {
        resolve(null);
      });
    }),
  };
}

void main(terminal()).then((code) => process.exit(code));
