import { networkInterfaces } from 'node:os';
import { openMetrics } from './metrics';
import { startMonitor } from './monitor-server';

describe('the listener of operators', () => {
  it('serves metrics and health, and nothing else', async () => {
    let ready = true;
    const registry = openMetrics('worker', '1.2.3');
    const monitor = await startMonitor({ host: '127.0.0.1', port: 0, registry, ready: () => Promise.resolve(ready) });
    const metrics = await fetch(`${monitor.url}/metrics`);
    expect(metrics.headers.get('content-type')).toContain('text/plain');
    expect(await metrics.text()).toContain('hostprobe_build_info{version="1.2.3",process="worker"} 1');
    expect((await fetch(`${monitor.url}/health/live`)).status).toBe(200);
    expect((await fetch(`${monitor.url}/health/ready`)).status).toBe(200);
    ready = false;
    expect((await fetch(`${monitor.url}/health/ready`)).status).toBe(503);
    expect((await fetch(`${monitor.url}/operator/queues`)).status).toBe(404);
    expect((await fetch(`${monitor.url}/metrics`, { method: 'POST' })).status).toBe(404);
    await monitor.close();
  });

  it('answers callers from a range and this machine, and closes the connections of others', async () => {
    const own = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
    const ready = () => Promise.resolve(true);
    const start = (host: string) => startMonitor({ host, port: 0, registry: openMetrics('worker', '1'), ready });
    const narrow = await start('198.51.100.0/24');
    const { port } = new URL(narrow.url);
    expect((await fetch(`http://127.0.0.1:${port}/health/live`)).status).toBe(200);
    if (own !== undefined) {
      await expect(fetch(`http://${own}:${port}/health/live`)).rejects.toThrow();
      const wide = await start(`${own}/32`);
      expect((await fetch(`http://${own}:${new URL(wide.url).port}/health/live`)).status).toBe(200);
      await wide.close();
    }
    await narrow.close();
  });
});
